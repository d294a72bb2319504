// The bars below the picture: depth of a local graph, a way between two pages.

const DEEPEST_LOCAL = 5; // edges from its page that a local graph reaches at most

/** The bar of a local graph: its page and how far it reaches. */
function fillDepthBar(app) {
  const bar = byId("depth-bar"), { view } = app;
  bar.hidden = view.kind !== "around";
  if (bar.hidden) return;
  byId("depth").value = view.depth;
  byId("depth-told").textContent = counted(view.depth, "link");
}

/** The bar of a way: its pages, or the question for the second one. */
function fillWayBar(app) {
  const bar = byId("way-bar"), { graph, way } = app;
  bar.hidden = !way;
  if (!way) return;
  const told = byId("way-told");
  const page = (i) => make("button", {
    type: "button", className: "step", dir: "auto", textContent: short(graph.name[i], 40), onclick: () => app.open(i, false),
  });
  if (way.to < 0) {
    told.replaceChildren("Path from ", page(way.from), " to … choose a page in the picture, or search for it");
  } else if (!way.found) {
    told.replaceChildren("Nothing joins ", page(way.from), " and ", page(way.to));
  } else {
    const edge = (e) => make("button", {
      type: "button", className: "step", textContent: "—", title: `Why: ${KIND_NAMES[graph.kind[e]].toLowerCase()}`,
      data: { "aria-label": "Why this step" }, onclick: () => app.openEdge(e),
    });
    const steps = way.found.pages.flatMap((i, q) => (q ? [edge(way.found.edges[q - 1]), page(i)] : [page(i)]));
    told.replaceChildren(make("b", { textContent: counted(way.found.edges.length, "step") }), " ", ...steps);
  }
}

function listenBars(app) {
  byId("depth").max = DEEPEST_LOCAL;
  byId("depth").oninput = (event) => app.goAround(app.view.page, Number(event.target.value));
  byId("depth-close").onclick = app.leaveLocal;
  byId("way-close").onclick = app.dropWay;
}
