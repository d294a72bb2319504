// The picture as a file: PNG by a second canvas, SVG by a pen that writes down what it is told to draw.

const PNG_SCALE = 2; // pixels of the file for one of the window

const escapeXml = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
  .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
const round = (value) => String(Math.round(value * 10) / 10);

/** A pen with what of a canvas's the painter uses; `text()` is the SVG of all it drew. */
function makeSvgPen(wide, high) {
  const out = [];
  let path = [], dash = [];
  const pen = {
    globalAlpha: 1, fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, lineCap: "butt", lineJoin: "miter",
    font: "12px sans-serif", textAlign: "start", textBaseline: "alphabetic",
    setTransform() {}, clearRect() {}, drawImage() {},
    setLineDash(list) { dash = list; },
    beginPath() { path = []; },
    moveTo(x, y) { path.push(`M${round(x)} ${round(y)}`); },
    lineTo(x, y) { path.push(`L${round(x)} ${round(y)}`); },
    closePath() { path.push("Z"); },
    rect(x, y, w, h) { path.push(`M${round(x)} ${round(y)}h${round(w)}v${round(h)}h${round(-w)}Z`); },
    arc(x, y, r) {
      const d = round(2 * r), s = round(r);
      path.push(`M${round(x - r)} ${round(y)}a${s} ${s} 0 1 0 ${d} 0a${s} ${s} 0 1 0 -${d} 0Z`);
    },
    fillRect(x, y, w, h) { pen.beginPath(); pen.rect(x, y, w, h); pen.fill(); },
    fill() { out.push(`<path d="${path.join("")}" fill="${pen.fillStyle}"${alpha()}/>`); },
    stroke() { if (path.length) out.push(`<path d="${path.join("")}" fill="none"${line()}${alpha()}/>`); },
    fillText(text, x, y) { write(text, x, y, `fill="${pen.fillStyle}"`); },
    strokeText(text, x, y) { write(text, x, y, `fill="none"${line()}`); },
  };
  const alpha = () => (pen.globalAlpha < 1 ? ` opacity="${Math.round(pen.globalAlpha * 100) / 100}"` : "");
  const line = () => ` stroke="${pen.strokeStyle}" stroke-width="${round(pen.lineWidth)}" stroke-linejoin="${pen.lineJoin}"`
    + ` stroke-linecap="${pen.lineCap}"${dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : ""}`;

  function write(text, x, y, how) {
    const [, bold, size, family] = /^(600 )?([\d.]+)px (.*)$/.exec(pen.font) || [];
    const face = `font-family="${escapeXml(family || "sans-serif")}" font-size="${size || 12}"${bold ? " font-weight=\"600\"" : ""}`;
    out.push(`<text x="${round(x)}" y="${round(y)}" ${face} text-anchor="middle" dominant-baseline="central" ${how}${alpha()}>${escapeXml(text)}</text>`);
  }

  pen.text = () => `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}">\n${out.join("\n")}\n</svg>\n`;
  return pen;
}

/** The picture as a Blob of `form`: "svg" or "png". */
function pictureOf(app, form) {
  const [wide, high] = app.painter.size();
  if (form === "svg") {
    const pen = makeSvgPen(wide, high);
    app.painter.copyTo(pen, app.camera);
    return Promise.resolve(new Blob([pen.text()], { type: "image/svg+xml" }));
  }
  const canvas = make("canvas", { width: wide * PNG_SCALE, height: high * PNG_SCALE });
  const pen = canvas.getContext("2d");
  pen.setTransform(PNG_SCALE, 0, 0, PNG_SCALE, 0, 0);
  app.painter.copyTo(pen, app.camera);
  return new Promise((done) => { canvas.toBlob(done, "image/png"); });
}

/** Hands the picture over as a download. */
async function savePicture(app, form) {
  const url = URL.createObjectURL(await pictureOf(app, form));
  make("a", { href: url, download: `graph.${form}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
  app.tell(`Picture saved as graph.${form}`);
}
