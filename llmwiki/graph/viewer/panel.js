// Everything that is text: lists, filters, the open page. Texts are set as text, never as markup.

const ROWS = 100; // lines of a list that are made at once

/** An element with text or children; `props` are its own properties, never markup. */
function make(tag, props = {}, ...inside) {
  const made = document.createElement(tag);
  const { data, ...rest } = props;
  Object.assign(made, rest);
  for (const [key, value] of Object.entries(data || {})) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

const byId = (id) => document.getElementById(id);
const number = (count) => count.toLocaleString("en");
const counted = (count, one, many) => `${number(count)} ${count === 1 ? one : many || one + "s"}`;

function dot(colour) {
  const made = make("span", { className: "dot", data: { "aria-hidden": "true" } });
  made.style.background = colour;
  return made;
}

/** One line of a list: a button with a coloured dot, a text and perhaps a count. */
function row(text, colour, count, onclick, current) {
  const button = make("button", { type: "button", className: "row", onclick },
    dot(colour), make("span", { className: "text", dir: "auto", textContent: text }));
  if (count) button.append(make("span", { className: "count", textContent: count }));
  if (current) button.setAttribute("aria-current", "true");
  return button;
}

/** Fills a list with the first lines, and a button for more. `line(k)` makes the k-th. */
function fill(list, count, line, from = 0) {
  if (!from) list.replaceChildren();
  const upto = Math.min(count, from + ROWS);
  for (let k = from; k < upto; k++) list.append(make("li", {}, line(k)));
  if (upto === count) return;
  const more = make("button", {
    type: "button", className: "row", textContent: `${number(count - upto)} more`,
    onclick: () => {
      more.parentElement.remove();
      fill(list, count, line, upto);
      list.children[upto].querySelector("button").focus();
    },
  });
  list.append(make("li", {}, more));
}

/** Up and down walk the buttons of a list. */
function walkList(list, before) {
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!step) return;
    const buttons = [...list.querySelectorAll("button.row")];
    const at = buttons.indexOf(document.activeElement) + step;
    event.preventDefault();
    if (at < 0 && before) before.focus();
    else buttons[Math.min(Math.max(at, 0), buttons.length - 1)]?.focus();
  });
}

/** A small picture of a shape or of a kind of line, for the legend. */
function sample(draw) {
  const canvas = make("canvas", { width: 40, height: 28, data: { "aria-hidden": "true" } });
  canvas.style.width = "20px"; canvas.style.height = "14px";
  const pen = canvas.getContext("2d");
  pen.setTransform(2, 0, 0, 2, 0, 0);
  draw(pen);
  return canvas;
}

function key(name, count, checked, picture, onchange) {
  const box = make("input", { type: "checkbox", checked, onchange });
  return make("li", {}, make("label", {}, box, picture,
    make("span", { className: "text", dir: "auto", textContent: name }),
    make("span", { className: "count", textContent: number(count) })));
}

/** Legend and filters of types and kinds, in the colours of now. */
function fillLegend(app, look) {
  const { graph } = app;
  byId("types").replaceChildren(...graph.types.map((type, t) => {
    const picture = sample((pen) => {
      pen.fillStyle = look.quiet;
      pen.beginPath();
      trace(pen, shapeOf(type.name), 10, 7, 5);
      pen.fill();
    });
    const toggle = (event) => app.toggleType(t, !event.target.checked);
    return key(type.name, type.count, !app.typeOff.has(t), picture, toggle);
  }));
  const counts = [0, 0, 0, 0];
  for (const kind of graph.kind) counts[kind]++;
  byId("kinds").replaceChildren(...[0, 1, 2, 3].filter((kind) => counts[kind] || kind === 0).map((kind) => {
    const picture = sample((pen) => {
      pen.strokeStyle = look.quiet; pen.lineWidth = WIDTH[kind] * 1.3;
      pen.setLineDash(DASH[kind].map((length) => length * 0.8));
      pen.beginPath(); pen.moveTo(0, 7); pen.lineTo(20, 7); pen.stroke();
    });
    const toggle = (event) => app.toggleKind(kind, !event.target.checked);
    const line = key(KIND_NAMES[kind], counts[kind], !app.kindOff[kind], picture, toggle);
    line.title = `${KINDS[kind]}: ${KIND_WORDS[kind]}`;
    return line;
  }));
}

/** Neighbours of a page as [page, edge], the surest and highest-ranked first. */
function neighboursOf(graph, i) {
  const { start, other, edge, kind, rank } = graph, list = [];
  for (let q = start[i]; q < start[i + 1]; q++) list.push([other[q], edge[q]]);
  return list.sort(([a, d], [b, e]) => kind[d] - kind[e] || rank[b] - rank[a] || a - b);
}

const title = (text) => make("h3", { textContent: text });
const words = (text, className = "text") => make("span", { className, dir: "auto", textContent: text });

function neighbourSection(app, i) {
  const { graph } = app, list = neighboursOf(graph, i), rows = make("ul");
  fill(rows, list.length, (k) => {
    const [j, e] = list[k], kind = graph.kind[e];
    const sure = graph.weight.has(e) ? ` ${Math.round(100 * graph.weight.get(e))} %` : "";
    const said = kind ? KIND_NAMES[kind].toLowerCase() + sure : "";
    const line = row(graph.name[j], app.dotOf(j), said, () => app.open(j, true));
    if (graph.why.has(e)) line.querySelector(".text").append(words(graph.why.get(e), "why"));
    const why = make("button", {
      type: "button", className: "ask", textContent: "why", onclick: () => app.openEdge(e),
      data: { "aria-label": `Why ${graph.name[j]}` },
    });
    return make("div", { className: "pair-row" }, line, why);
  });
  walkList(rows);
  return make("section", { className: "neighbours" }, title(counted(list.length, "neighbour")), rows);
}

/** Type, community and tags of a page. */
function aboutLine(app, i) {
  const { graph } = app, group = graph.groups[graph.groupOf[i]];
  const community = make("button", {
    type: "button", className: "chip", title: "Its community", onclick: () => app.goGroup(graph.groupOf[i]),
  }, dot(cssColour(group.colour)), words(group.name));
  const tags = graph.tagsOf(i).map((tag) => make("button", {
    type: "button", className: "chip", dir: "auto", title: "Pages with this tag",
    textContent: `#${tag}`, onclick: () => app.seek(`#${tag}`),
  }));
  return make("div", { className: "about" }, words(graph.typeName(i), "chip text"), community, ...tags);
}

/** The panel's head: what is open, and the way out. */
function panelHead(app, name) {
  const close = make("button", {
    type: "button", className: "close", id: "panel-close", textContent: "×", onclick: app.close,
    data: { "aria-label": "Close" },
  });
  return make("header", {}, name, close);
}

function showPanel(app, parts) {
  const panel = byId("panel");
  panel.replaceChildren(...parts);
  panel.hidden = false;
  panel.scrollTop = 0;
}

/** What can be done with the open page. */
function actionLine(app, i) {
  const { graph } = app, button = (text, title, onclick) => make("button", {
    type: "button", className: "act", textContent: text, title, onclick,
  });
  const line = make("div", { className: "acts" });
  if (graph.degree(i)) {
    line.append(button("Local graph", "Only what is around this page", () => app.goAround(i)));
  }
  const href = graph.href(i);
  if (href) {
    line.append(make("a", {
      className: "open act", href, target: "_blank", rel: "noopener noreferrer",
      textContent: "Open the file",
    }));
  }
  return line;
}

/** The open page, told in the panel. */
function fillPanel(app, i, place) {
  const { graph } = app, parted = graph.name[i] !== graph.title[i];
  const name = make("h2", { id: "panel-title", dir: "auto", tabIndex: -1, textContent: graph.title[i] });
  const parts = [panelHead(app, name)];
  if (parted && graph.id[i]) parts.push(make("p", { className: "quiet where", dir: "auto", textContent: visible(graph.id[i]) }));
  parts.push(aboutLine(app, i), actionLine(app, i));
  const read = readPage(graph, i);
  if (read) parts.push(read);
  else {
    if (graph.description[i]) {
      parts.push(make("p", { className: "lead text", dir: "auto", textContent: graph.description[i] }));
    }
    if (graph.claimCount[i]) {
      parts.push(make("p", { className: "quiet", textContent: `${counted(graph.claimCount[i], "claim")} on the page` }));
    }
    parts.push(make("p", { className: "quiet", textContent: "Its text is in the file only." }));
  }
  showPanel(app, [...parts, neighbourSection(app, i)]);
  if (read && place) goPlace(read, place);
}
