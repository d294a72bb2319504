// The bar below the picture: how far a local graph reaches.

const DEEPEST_LOCAL = 5; // edges from its page that a local graph reaches at most

function fillDepthBar(app) {
  const bar = byId("depth-bar"), { view } = app;
  bar.hidden = view.kind !== "around";
  if (bar.hidden) return;
  byId("depth").value = view.depth;
  byId("depth-told").textContent = counted(view.depth, "link");
}

function listenBars(app) {
  byId("depth").max = DEEPEST_LOCAL;
  byId("depth").oninput = (event) => app.goAround(app.view.page, Number(event.target.value));
  byId("depth-close").onclick = app.leaveLocal;
}
