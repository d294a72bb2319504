// The bars below the picture: depth of a local graph, a way between two pages, time; and saving.

const DEEPEST_LOCAL = 5; // edges from its page that a local graph reaches at most
const STEP_TIME = 90; // milliseconds between two steps of the playing time
const PLAY_STEPS = 120; // steps of a whole play

const dayOf = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);

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

/** The bar of time: the pages that were there after a commit. */
function makeTimeBar(app) {
  const { graph } = app, bar = byId("time-bar"), slider = byId("time"), play = byId("time-play");
  const last = graph.births.length;
  let timer = 0;
  const counts = new Int32Array(last + 1);
  for (const at of graph.born) counts[at]++;

  function tellTime() {
    const at = Number(slider.value), isNow = at >= last;
    let there = 0;
    for (let q = 0; q <= Math.min(at, last); q++) there += counts[q];
    const [seconds, subject] = graph.births[Math.min(at, last - 1)];
    byId("time-told").textContent = isNow ? `now, ${counted(graph.n, "page")}`
      : `${dayOf(seconds)}, ${counted(there, "page")} of ${number(graph.n)}`;
    byId("time-subject").textContent = isNow ? "" : subject;
    slider.setAttribute("aria-valuetext", byId("time-told").textContent);
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "▶";
    play.setAttribute("aria-label", "Play");
  }

  function go(at) {
    slider.value = at;
    tellTime();
    app.setTime(at >= last ? Infinity : Number(slider.value));
  }

  play.onclick = () => {
    if (timer) { stop(); return; }
    if (Number(slider.value) >= last) go(0);
    play.textContent = "❚❚";
    play.setAttribute("aria-label", "Pause");
    const step = Math.max(1, Math.ceil(last / PLAY_STEPS));
    timer = setInterval(() => {
      go(Math.min(last, Number(slider.value) + step));
      if (Number(slider.value) >= last) stop();
    }, STEP_TIME);
  };
  slider.max = last;
  slider.value = last;
  slider.oninput = () => { stop(); go(Number(slider.value)); };
  const toggle = byId("time-open");
  toggle.hidden = last < 2;
  function close() {
    if (bar.hidden) return;
    stop();
    go(last);
    bar.hidden = true;
    toggle.setAttribute("aria-pressed", "false");
  }
  toggle.onclick = () => {
    if (!bar.hidden) { close(); return; }
    bar.hidden = false;
    toggle.setAttribute("aria-pressed", "true");
    tellTime();
    slider.focus();
  };
  byId("time-close").onclick = close;
  return { close };
}

function listenBars(app) {
  byId("depth").max = DEEPEST_LOCAL;
  byId("depth").oninput = (event) => app.goAround(app.view.page, Number(event.target.value));
  byId("depth-close").onclick = app.leaveLocal;
  byId("way-close").onclick = app.dropWay;
  const menu = byId("save-menu"), save = byId("save");
  const show = (open) => { menu.hidden = !open; save.setAttribute("aria-expanded", String(open)); };
  save.onclick = () => { show(menu.hidden); if (!menu.hidden) menu.querySelector("button").focus(); };
  menu.addEventListener("click", (event) => {
    const form = event.target.dataset.form;
    if (form) savePicture(app, form);
    show(false);
    save.focus();
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    show(false);
    save.focus();
  });
  menu.addEventListener("focusout", (event) => { if (!menu.contains(event.relatedTarget) && event.relatedTarget !== save) show(false); });
  return makeTimeBar(app);
}

/** Filters by how many links a page has. */
function listenDegree(app) {
  const { graph } = app;
  let most = 0, alone = 0;
  for (let i = 0; i < graph.n; i++) {
    most = Math.max(most, graph.degree(i));
    if (!graph.degree(i)) alone++;
  }
  const slider = byId("degree"), box = byId("alone");
  slider.max = Math.min(most, 20);
  byId("degree-row").hidden = most < 2;
  byId("alone-row").hidden = !alone;
  byId("alone-count").textContent = number(alone);
  slider.oninput = () => { byId("degree-told").textContent = slider.value; app.setDegree(Number(slider.value)); };
  box.onchange = () => app.setAlone(box.checked);
}
