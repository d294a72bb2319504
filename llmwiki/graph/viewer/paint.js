// Drawing. Edges and nodes go to a picture that may take several frames to finish; each frame shows
// the last finished one, moved and scaled, with labels and what is looked at on top.

const PALETTE = 12;
const SHAPES = { source: "square", entity: "diamond", synthesis: "triangle", concept: "circle" };
const CORNERS = { // of a shape: how many, the angle of the first, the radius against a circle's
  diamond: [4, 0, 1.2], triangle: [3, -Math.PI / 2, 1.25], hexagon: [6, 0, 1.05],
};
const DASH = [[], [], [7, 5], [1.5, 4]];
const WIDTH = [1.1, 0.6, 1.3, 1.3];
const MANY = 6000; // edges of a scene from which they are drawn thinner, and few while it settles
const TOGETHER = 250; // edges of one path
const MOVING = 1500; // edges drawn in a frame while the camera moves (a page counts as three)
const FULL_FRAME = 34; // milliseconds: above it less is drawn in a frame, below it more

const shapeOf = (type) => (Object.hasOwn(SHAPES, type) ? SHAPES[type] : "hexagon");

/** Adds a shape around (x, y) to the path. */
function trace(pen, shape, x, y, r) {
  if (r < 2.2) { pen.rect(x - r, y - r, 2 * r, 2 * r); return; }
  if (shape === "circle") { pen.moveTo(x + r, y); pen.arc(x, y, r, 0, 2 * Math.PI); return; }
  if (shape === "square") { pen.rect(x - r * 0.88, y - r * 0.88, r * 1.76, r * 1.76); return; }
  const [corners, turn, grow] = CORNERS[shape];
  for (let q = 0; q < corners; q++) {
    const angle = turn + q * 2 * Math.PI / corners;
    const px = x + grow * r * Math.cos(angle), py = y + grow * r * Math.sin(angle);
    if (q) pen.lineTo(px, py); else pen.moveTo(px, py);
  }
  pen.closePath();
}

/** The colours of the theme in force. */
function readLook() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  return {
    ground: value("--ground"), ink: value("--ink"), quiet: value("--quiet"), edge: value("--edge"),
    accent: value("--accent"), single: value("--single"),
    font: getComputedStyle(document.body).fontFamily,
    colours: Array.from({ length: PALETTE }, (_, c) => value(`--c${c}`)),
  };
}

const cssColour = (c) => (c < 0 ? "var(--single)" : `var(--c${c % PALETTE})`);
const sameCamera = (a, b) => a.k === b.k && a.x === b.x && a.y === b.y;

function makePainter(canvas, app) {
  const ctx = canvas.getContext("2d");
  const screen = { wide: 1, high: 1, dense: 1, look: readLook() };
  const labels = makeLabels(app, screen, place);
  let front = document.createElement("canvas"), back = document.createElement("canvas");
  let seen = null; // the camera `front` was painted with, and the size of it
  let job = null, jobCamera = null, stale = true; // the painting of `back`
  let share = 4000; // edges that a frame may draw
  let last = {}, veil = 0, styled = { scene: null };

  const toX = (x, camera) => (x - camera.x) * camera.k + screen.wide / 2;
  const toY = (y, camera) => (y - camera.y) * camera.k + screen.high / 2;

  /** Radius on the screen: smaller than life when near, never too small to see. */
  function radius(k, camera) {
    const { scene } = app, zoom = camera.k;
    if (scene.bubbles) return scene.r[k] * zoom;
    return Math.max(scene.r[k] * (zoom < 1 ? Math.pow(zoom, 0.8) : Math.pow(zoom, 0.45)), 1.4);
  }

  /** Where the k-th of the scene is on the screen: [x, y, radius]. */
  function place(k, camera) {
    return [toX(app.scene.x[k], camera), toY(app.scene.y[k], camera), radius(k, camera)];
  }

  const colour = (c) => (c < 0 ? screen.look.single : screen.look.colours[c % PALETTE]);

  function colourOf(k) {
    const { scene, graph } = app;
    return graph.groups[scene.group[k]].colour;
  }

  /** Edges in the order in which they are painted: those of one kind and colour together. */
  function styles() {
    const { scene } = app;
    if (styled.scene === scene) return styled;
    const style = new Uint8Array(scene.m);
    const tinted = scene.first.size > 1;
    for (let e = 0; e < scene.m; e++) {
      const same = tinted && scene.group[scene.a[e]] === scene.group[scene.b[e]];
      style[e] = (3 - scene.kind[e]) * 16 + (same ? colourOf(scene.a[e]) + 2 : 0);
    }
    const order = Int32Array.from(style, (_, e) => e).sort((d, e) => style[d] - style[e] || d - e);
    return styled = { scene, style, order };
  }

  // ---- the picture below: generators that yield how many edges' worth they drew

  function* paintBase(target, camera) {
    const { scene, shown } = app;
    const pen = target.getContext("2d");
    pen.setTransform(screen.dense, 0, 0, screen.dense, 0, 0);
    const px = Float32Array.from(scene.x, (x) => toX(x, camera));
    const py = Float32Array.from(scene.y, (y) => toY(y, camera));
    yield* (scene.bubbles ? paintLinks(pen, camera, px, py) : paintEdges(pen, px, py));
    pen.globalAlpha = 1; pen.setLineDash([]);
    let count = 0;
    for (let q = scene.n - 1; q >= 0; q--) {
      const k = scene.order[q], x = px[k], y = py[k], r = radius(k, camera);
      if (!shown[k] || x < -r || y < -r || x > screen.wide + r || y > screen.high + r) continue;
      paintNode(pen, k, x, y, r);
      if (++count % 100 === 0) yield 300;
    }
    if (scene.bubbles) yield* labels.bubbles(pen, camera, scene.order);
  }

  function* paintEdges(pen, px, py) {
    const { scene, shown } = app;
    const { style, order } = styles();
    const step = !app.settled && scene.m > MANY ? Math.ceil(scene.m / 3000) : 1;
    const faint = Math.max(0.1, 0.62 - 0.12 * Math.log10(1 + Math.min(scene.m / step, 40000)));
    const outside = (p, q, most) => (p < 0 && q < 0) || (p > most && q > most);
    let now = -1, open = 0;
    for (let q = 0; q < order.length; q += step) {
      const e = order[q], a = scene.a[e], b = scene.b[e];
      if (app.kindOff[scene.kind[e]] || !shown[a] || !shown[b]) continue;
      if (outside(px[a], px[b], screen.wide) || outside(py[a], py[b], screen.high)) continue;
      if (style[e] !== now || open >= TOGETHER) {
        if (open) { pen.stroke(); yield open; }
        now = style[e]; open = 0;
        begin(pen, scene.kind[e], now % 16, faint);
      }
      pen.moveTo(px[a], py[a]); pen.lineTo(px[b], py[b]);
      open++;
    }
    if (open) { pen.stroke(); yield open; }
  }

  /** A path of edges of one kind; `tint` is their group's colour and 2 more, 0 between groups. */
  function begin(pen, kind, tint, faint) {
    pen.strokeStyle = tint ? colour(tint - 2) : screen.look.edge;
    pen.globalAlpha = faint * [1, 0.7, 1.5, 1.5][kind] * (tint ? 1.25 : 0.8);
    // Lines of at most one pixel are much the quicker ones to draw.
    pen.lineWidth = app.scene.m > MANY ? Math.min(WIDTH[kind], 0.9) : WIDTH[kind];
    pen.setLineDash(DASH[kind]);
    pen.beginPath();
  }

  function* paintLinks(pen, camera, px, py) {
    const { scene, shown } = app;
    const counts = scene.counts.map((four) =>
      four.reduce((sum, count, kind) => sum + (app.kindOff[kind] ? 0 : count), 0));
    const most = Math.max(1, ...counts);
    pen.strokeStyle = screen.look.edge; pen.lineCap = "round";
    for (let e = 0; e < scene.m; e++) {
      const a = scene.a[e], b = scene.b[e], share = Math.sqrt(counts[e] / most);
      if (!share || !shown[a] || !shown[b]) continue;
      pen.globalAlpha = 0.12 + 0.3 * share;
      pen.lineWidth = Math.max(0.7, (0.8 + 7 * share) * Math.min(camera.k, 1.5));
      pen.beginPath(); pen.moveTo(px[a], py[a]); pen.lineTo(px[b], py[b]); pen.stroke();
    }
    yield scene.m;
  }

  function paintNode(pen, k, x, y, r, ring) {
    const { scene, graph } = app, fill = colour(colourOf(k));
    pen.globalAlpha = 1;
    pen.beginPath();
    if (scene.bubbles) {
      pen.arc(x, y, r, 0, 2 * Math.PI);
      pen.fillStyle = screen.look.ground; pen.fill();
      pen.fillStyle = fill; pen.globalAlpha = 0.2; pen.fill();
      pen.globalAlpha = 1; pen.strokeStyle = ring || fill; pen.lineWidth = ring ? 3 : 1.5; pen.stroke();
      return;
    }
    trace(pen, shapeOf(graph.typeName(scene.id[k])), x, y, r);
    pen.fillStyle = fill; pen.lineJoin = "round";
    if (r > 2.6) {
      pen.strokeStyle = ring || screen.look.ground; pen.lineWidth = ring ? 3 : Math.min(3, r * 0.42);
      pen.stroke();
    }
    pen.fill();
    if (!ring) return;
    pen.strokeStyle = ring; pen.lineWidth = 1.5;
    pen.beginPath(); pen.arc(x, y, r + 5, 0, 2 * Math.PI); pen.stroke();
  }

  // ---- what is looked at, above a veil

  /** What is looked at and its neighbours, a few hundred at most, as [place, edge]. */
  function around(k) {
    const { scene, shown } = app, near = [];
    for (let q = scene.start[k]; q < scene.start[k + 1] && near.length < 400; q++) {
      const to = scene.other[q], e = scene.edge[q];
      if (shown[to] && (scene.bubbles || !app.kindOff[scene.kind[e]])) near.push([to, e]);
    }
    return near.sort(([s], [t]) => scene.r[t] - scene.r[s] || s - t);
  }

  function paintLooked(k, camera) {
    const { scene } = app, near = around(k), [x, y, r] = place(k, camera);
    drawVeil(veil);
    ctx.lineCap = "butt"; ctx.globalAlpha = 0.75;
    for (const [to, e] of near) {
      const kind = scene.bubbles ? 0 : scene.kind[e], [px, py] = place(to, camera);
      ctx.strokeStyle = colour(colourOf(to));
      ctx.lineWidth = WIDTH[kind] * 1.5; ctx.setLineDash(DASH[kind]);
      ctx.beginPath(); ctx.moveTo(x, y); ctx.lineTo(px, py); ctx.stroke();
    }
    ctx.setLineDash([]);
    for (const [to] of [...near].reverse()) paintNode(ctx, to, ...place(to, camera));
    paintNode(ctx, k, x, y, r, screen.look.accent);
    writeNames([k, ...near.map(([to]) => to)], camera);
  }

  // ---- what is marked, above a veil: hits of a search, the two pages of an edge

  function drawVeil(thick) {
    ctx.globalAlpha = thick; ctx.fillStyle = screen.look.ground;
    ctx.fillRect(0, 0, screen.wide, screen.high);
    ctx.globalAlpha = 1;
  }

  function writeNames(list, camera) {
    if (!app.scene.bubbles) { labels.pages(ctx, camera, list); return; }
    const run = labels.bubbles(ctx, camera, list);
    while (!run.next().done);
  }

  /** Places of the scene above a veil; of an edge with a thick line between them. */
  function paintMarked(list, camera, isEdge) {
    drawVeil(isEdge ? 0.82 : 0.72);
    if (isEdge) {
      ctx.strokeStyle = screen.look.accent; ctx.lineWidth = 3.5; ctx.lineCap = "round"; ctx.setLineDash([]);
      ctx.beginPath();
      for (const k of list) ctx.lineTo(...place(k, camera).slice(0, 2));
      ctx.stroke();
    }
    for (const k of [...list].reverse()) paintNode(ctx, k, ...place(k, camera), screen.look.accent);
    writeNames(list, camera);
  }

  /** What is on top of the picture. */
  function paintMarks(camera) {
    const { scene } = app, k = app.looked(), pair = scene.bubbles ? null : app.marked();
    const goal = k < 0 ? 0 : scene.bubbles ? 0.6 : 0.82;
    veil = app.still || k < 0 || Math.abs(goal - veil) < 0.04 ? goal : veil + (goal - veil) * 0.4;
    if (k >= 0) paintLooked(k, camera);
    else if (pair) paintMarked(pair.map((i) => app.scene.at(i)).filter((at) => at >= 0), camera, true);
    else if (app.hits) paintMarked(scene.order.filter((at) => app.hits.has(at) && app.shown[at]), camera, false);
    else if (!scene.bubbles) labels.pages(ctx, camera, null);
    return veil !== goal;
  }

  // ---- frames

  function work(camera) {
    if (!job && stale) {
      stale = false; jobCamera = { ...camera, wide: screen.wide, high: screen.high };
      back.width = screen.wide * screen.dense; back.height = screen.high * screen.dense;
      job = paintBase(back, jobCamera);
    }
    const most = sameCamera(camera, last) ? share : Math.min(share, MOVING);
    last = { ...camera };
    for (let spent = 0; job && spent < most;) {
      const step = job.next();
      if (!step.done) { spent += step.value; continue; }
      [front, back] = [back, front];
      seen = jobCamera; job = null;
    }
    if (seen && !job && !sameCamera(seen, camera)) stale = true;
  }

  /** One frame, `took` milliseconds after the one before; true if another is needed soon. */
  function frame(camera, took) {
    share = took > FULL_FRAME ? Math.max(600, share * 0.6) : Math.min(12000, share * 1.1);
    work(camera);
    const { wide, high, dense } = screen;
    ctx.setTransform(dense, 0, 0, dense, 0, 0);
    ctx.globalAlpha = 1; ctx.setLineDash([]);
    ctx.clearRect(0, 0, wide, high);
    if (seen) {
      const across = seen.wide * camera.k / seen.k, down = seen.high * camera.k / seen.k;
      ctx.drawImage(front, toX(seen.x, camera) - across / 2, toY(seen.y, camera) - down / 2, across, down);
    }
    const moves = paintMarks(camera);
    return Boolean(job) || stale || moves;
  }

  function resize() {
    screen.dense = Math.min(window.devicePixelRatio || 1, 2);
    screen.wide = Math.max(canvas.clientWidth, 1);
    screen.high = Math.max(canvas.clientHeight, 1);
    canvas.width = screen.wide * screen.dense; canvas.height = screen.high * screen.dense;
    job = null; stale = true;
  }

  /** Nothing painted so far holds: the scene is another. */
  function drop() { seen = job = null; stale = true; }

  return {
    frame, resize, drop, place,
    spoil: () => { stale = true; },
    restyle: () => { screen.look = readLook(); labels.forget(); stale = true; },
    size: () => [screen.wide, screen.high],
    ready: () => Boolean(seen) && !job && !stale,
    look: () => screen.look,
  };
}
