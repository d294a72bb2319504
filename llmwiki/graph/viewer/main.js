// The page at work: which view is shown, what is open in it, and the frames in which it is drawn.

const LAYOUT_SLICE = 9; // milliseconds of a frame that the layout may take
const FIRST_SLICE = 350; // milliseconds of layout before the first picture
const FLIGHT = 320; // milliseconds that the camera takes to another place
const ZOOM = [0.004, 6]; // least and most

function start(graph) {
  const canvas = byId("canvas"), query = byId("query");
  const search = makeSearch(graph), stateOf = makeAddresses(graph);
  const home = graph.n <= ALL_FROM_START ? { kind: "all" } : { kind: "groups" };
  const camera = { x: 0, y: 0, k: 1 };
  let flight = null, scheduled = false, last = 0;
  let address = "", noting = false; // the address as it was set last, and whether it is to be set

  // `hover` and `cursor` are places in the scene, `selected` is a page, `edge` an open edge, -1 for
  // none of them; `hits` are the places that a search found.
  // `touched`: somebody moved the picture, so that it is not fitted to the window any more.
  const app = {
    graph, camera, view: null, scene: null, shown: new Uint8Array(0), passing: null, settled: true,
    hover: -1, cursor: -1, selected: -1, touched: false,
    at: "", edge: -1, hits: null,
    kindOff: [false, false, false, false], typeOff: new Set(),
    still: matchMedia("(prefers-reduced-motion: reduce)").matches,
    sizeOf: (g) => (app.passing ? app.passing[g] : graph.groups[g].members.length),
    dotOf: (i) => cssColour(graph.groups[graph.groupOf[i]].colour),
    looked, wake, moveTo, fit, zoom, inSight, sift, list, show, back, goGroup, open, close,
    toggleType, toggleKind, seek, clear, resize, tell, marked, openEdge, goAround, leaveLocal, clearQuery,
  };
  const painter = app.painter = makePainter(canvas, app);

  /** What the picture points at: under the mouse, else under the keyboard's cursor, else what is open. */
  function looked() {
    if (app.hover >= 0) return app.hover;
    const isOpen = app.selected >= 0 && !app.scene.bubbles && !app.hits && !marked();
    const open = isOpen ? app.scene.at(app.selected) : -1;
    const k = document.activeElement === canvas && app.cursor >= 0 ? app.cursor : open;
    return k >= 0 && app.shown[k] ? k : -1;
  }

  /** The pages of the edge that is marked in the picture; or null. */
  function marked() {
    return app.edge < 0 ? null : [graph.from[app.edge], graph.to[app.edge]];
  }

  // ---- frames and camera

  function wake() {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(frame);
  }

  function frame(now) {
    scheduled = false;
    const took = last ? now - last : 0;
    if (!app.settled) settleFor(LAYOUT_SLICE);
    if (flight) fly(now);
    const more = painter.frame(camera, took);
    last = more || !app.settled || flight ? now : 0;
    if (last) wake();
  }

  function settleFor(time) {
    const until = performance.now() + time;
    while (!app.settled && performance.now() < until) {
      app.settled = app.scene.settle.next().done === true;
    }
    if (!app.touched) fit(false);
    painter.spoil();
    if (app.settled) tellNote();
  }

  function fly(now) {
    flight.begun ??= now;
    const t = Math.min(1, (now - flight.begun) / FLIGHT), ease = 1 - Math.pow(1 - t, 3);
    const { from, to } = flight;
    camera.k = from.k * Math.pow(to.k / from.k, ease);
    camera.x = from.x + (to.x - from.x) * ease;
    camera.y = from.y + (to.y - from.y) * ease;
    if (t === 1) flight = null;
  }

  function moveTo(to, soft) {
    flight = soft && !app.still ? { from: { ...camera }, to } : null;
    if (!flight) Object.assign(camera, to);
    wake();
  }

  /** Shows the whole scene. */
  function fit(soft) {
    const box = boxOf(app.scene), [wide, high] = painter.size();
    const fitting = Math.min((wide - 90) / (box.x1 - box.x0), (high - 130) / (box.y1 - box.y0), 1.5);
    const k = Math.max(fitting, ZOOM[0]);
    app.touched = false;
    moveTo({ k, x: (box.x0 + box.x1) / 2, y: (box.y0 + box.y1) / 2 + 4 / k }, soft);
  }

  /** Nearer by a factor; the point (x, y) of the canvas, or its middle, keeps its place. */
  function zoom(by, x, y) {
    const [wide, high] = painter.size(), soft = x === undefined;
    const dx = soft ? 0 : x - wide / 2, dy = soft ? 0 : y - high / 2;
    const from = soft && flight ? flight.to : camera;
    const k = Math.min(Math.max(from.k * by, ZOOM[0]), ZOOM[1]);
    app.touched = true;
    moveTo({ k, x: from.x + dx / from.k - dx / k, y: from.y + dy / from.k - dy / k }, soft);
  }

  function inSight(k) {
    const [wide, high] = painter.size(), [x, y] = painter.place(k, camera);
    return x > 60 && x < wide - 60 && y > 60 && y < high - 60;
  }

  /** A new size: the whole is shown again, or what somebody has moved to keeps its place. */
  function resize() {
    const [before, above] = painter.size();
    if (before === canvas.clientWidth && above === canvas.clientHeight) return;
    painter.resize();
    const [wide, high] = painter.size();
    if (!app.touched) fit(false);
    else {
      camera.x += (wide - before) / 2 / camera.k;
      camera.y += (high - above) / 2 / camera.k;
    }
    wake();
  }

  // ---- views

  function show(view) {
    const first = !app.view;
    app.view = view; app.hover = app.cursor = -1; app.touched = false;
    painter.drop();
    app.scene = makeScene(graph, view);
    app.shown = new Uint8Array(app.scene.n).fill(1);
    app.settled = false;
    settleFor(FIRST_SLICE);
    trail();
    byId("local-bar").hidden = view.kind !== "around";
    sift();
    note();
    byId("tip").hidden = true;
    if (!first && document.activeElement === document.body) canvas.focus();
    const { n, bubbles } = app.scene;
    tell(`${bubbles ? counted(n, "community", "communities") : counted(n, "page")} shown`);
  }

  /** One view up; false if there is none. */
  function back() {
    const { view } = app;
    if (view.kind === "group") show({ kind: "groups" });
    else if (view.kind === "around" || view.kind === "pair") show(home);
    else return false;
    return true;
  }

  function goGroup(g, extra) {
    show({ kind: "group", group: g, extra });
  }

  /** The local graph of a page. */
  function goAround(i) {
    query.value = "";
    show({ kind: "around", page: i });
    tell(`${counted(app.scene.n, "page")} around ${graph.name[i]}`);
  }

  function leaveLocal() {
    const i = app.selected;
    show(home);
    if (i >= 0) open(i, true);
  }

  function trail() {
    const { view } = app, parts = [];
    const between = (sign) => make("i", { textContent: sign, data: { "aria-hidden": "true" } });
    const step = (text, here, to) => (here
      ? make("b", { dir: "auto", textContent: text, data: { "aria-current": "page" } })
      : make("button", { type: "button", dir: "auto", textContent: text, onclick: () => show(to) }));
    if (graph.groups.length > 1) {
      parts.push(step("Communities", view.kind === "groups", { kind: "groups" }));
      if (view.kind === "group") parts.push(between("›"), step(graph.groups[view.group].name, true));
      if (graph.n <= ALL_LIMIT) {
        parts.push(between("·"), step("All pages", view.kind === "all", { kind: "all" }));
      }
    }
    if (view.kind === "around") parts.push(between("›"), step(`Around ${graph.name[view.page]}`, true));
    byId("trail").replaceChildren(...parts);
  }

  // ---- filters and lists

  const passes = (i) => !app.typeOff.has(graph.typeOf[i]);

  /** How many pages of each community pass the filters. */
  function countPassing() {
    const passing = new Int32Array(graph.groups.length);
    for (let i = 0; i < graph.n; i++) if (passes(i)) passing[graph.groupOf[i]]++;
    return passing;
  }

  /** Applies the filters to what is shown and listed. */
  function sift() {
    const { scene } = app, filtered = app.typeOff.size > 0;
    app.passing = scene.bubbles && filtered ? countPassing() : null;
    app.shown = Uint8Array.from(scene.id, (i) => ((scene.bubbles ? app.sizeOf(i) > 0 : passes(i)) ? 1 : 0));
    byId("reset").hidden = !filtered && !app.kindOff.includes(true);
    painter.spoil();
    list();
    tellNote();
    wake();
  }

  function toggleType(t, off) { if (off) app.typeOff.add(t); else app.typeOff.delete(t); sift(); }
  function toggleKind(kind, off) { app.kindOff[kind] = off; sift(); }

  /** Searches for what somebody clicked. */
  function seek(text) { query.value = text; list(); }

  function clear() {
    app.typeOff.clear(); app.kindOff.fill(false);
    fillLegend(app, painter.look());
    sift();
  }

  /** The list beside the picture: what was searched for, else what the picture shows. */
  function list() {
    const text = query.value.trim(), results = byId("results"), name = byId("list-title");
    if (text) {
      const found = search(text, passes);
      markHits(found);
      name.textContent = found.length ? `${counted(found.length, "page")} found` : "Nothing found";
      fill(results, found.length, (k) => pageRow(found[k]));
      tell(name.textContent);
      return;
    }
    app.hits = null;
    wake();
    const { scene } = app;
    const order = scene.bubbles ? [...graph.groups.keys()].filter((g) => app.sizeOf(g) > 0)
      : scene.order.filter((k) => app.shown[k]);
    name.textContent = scene.bubbles ? "Communities" : "Pages, by rank";
    fill(results, order.length, (k) => (scene.bubbles ? groupRow(order[k]) : pageRow(scene.id[order[k]])));
  }

  /** Marks in the picture what a search found. */
  function markHits(found) {
    const { scene } = app;
    app.hits = new Set(found.map((i) => scene.at(scene.bubbles ? graph.groupOf[i] : i)).filter((k) => k >= 0));
    app.cursor = -1;
    wake();
  }

  function clearQuery() {
    if (!query.value) return false;
    query.value = "";
    list();
    return true;
  }

  function pageRow(i) {
    const links = counted(graph.degree(i), "link");
    return row(graph.name[i], app.dotOf(i), links, () => open(i, true), i === app.selected);
  }

  function groupRow(g) {
    const { name, colour } = graph.groups[g];
    return row(name, cssColour(colour), number(app.sizeOf(g)), () => goGroup(g));
  }

  /** The line below the picture: how much of how much is shown. */
  function tellNote() {
    const { scene, view } = app, visible = app.shown.reduce((sum, each) => sum + each, 0);
    const all = view.kind === "group" ? graph.groups[view.group].members.length : 0;
    const parts = [scene.bubbles ? counted(visible, "community", "communities") : counted(visible, "page")];
    if (view.kind === "around" && scene.n >= LOCAL_LIMIT) parts.push("the nearest and highest-ranked");
    if (scene.n < all) parts.push(`the highest-ranked of ${number(all)}`);
    if (!scene.bubbles && visible < scene.n) parts.push(`${number(scene.n - visible)} filtered out`);
    if (!app.settled) parts.push("settling …");
    byId("note").textContent = parts.join(" · ");
  }

  function tell(text) { byId("live").textContent = text; }

  // ---- the open page

  /** Opens a page's panel, in a view that shows it; `centre` brings the page into the middle. */
  function open(i, centre, byMouse, place) {
    const missing = app.scene.bubbles || app.scene.at(i) < 0;
    if (missing && app.view.kind === "around") goAround(i);
    else if (missing && home.kind === "all") show(home);
    else if (missing) goGroup(graph.groupOf[i], [i]);
    app.selected = i; app.at = place || ""; app.edge = -1; app.cursor = app.scene.at(i); app.hover = -1; app.hits = null;
    fillPanel(app, i, place);
    resize();
    if (app.view.kind === "around" ? !inSight(app.cursor) : centre || missing || !inSight(app.cursor)) {
      app.touched = true;
      const { x, y } = app.scene;
      moveTo({ x: x[app.cursor], y: y[app.cursor], k: Math.max(camera.k, 0.75) }, true);
    }
    if (!byMouse) byId("panel-title").focus({ preventScroll: true });
    tell(`${graph.name[i]}, ${graph.typeName(i)}, ${counted(graph.degree(i), "neighbour")}`);
    byId("tip").hidden = true;
    note();
    wake();
  }

  /** Opens an edge: what joins its two pages. */
  function openEdge(e) {
    const pages = [graph.from[e], graph.to[e]];
    if (app.scene.bubbles || pages.some((i) => app.scene.at(i) < 0)) show({ kind: "pair", pages });
    app.edge = e; app.selected = app.cursor = app.hover = -1; app.hits = null;
    fillWhy(app, e);
    resize();
    byId("panel-title").focus({ preventScroll: true });
    tell(`${KIND_NAMES[graph.kind[e]]} between ${pages.map((i) => graph.name[i]).join(" and ")}`);
    byId("tip").hidden = true;
    note();
    wake();
  }

  /** Closes the panel; false if none was open. */
  function close() {
    if (byId("panel").hidden) return false;
    byId("panel").hidden = true;
    app.selected = app.edge = -1;
    resize();
    canvas.focus();
    note();
    wake();
    return true;
  }

  // ---- the address

  /** What is open, as far as an address says it. */
  function stateNow() {
    const { view, edge, selected } = app, at = selected < 0 ? "" : app.at;
    if (edge >= 0) return { page: graph.from[edge], link: graph.to[edge] };
    if (view.kind !== "around") return { page: selected, at };
    return { page: selected < 0 ? view.page : selected, at, local: 1 };
  }

  /** Sets the address to what is open, once all that belongs to it has happened. */
  function note() {
    if (noting) return;
    noting = true;
    queueMicrotask(() => {
      noting = false;
      const now = addressOf(graph, stateNow());
      document.title = app.selected >= 0 ? `${graph.name[app.selected]} · ${wikiName}` : wikiName;
      if (now === address) return;
      address = now;
      location.hash = now;
    });
  }

  /** The view in which an address shows its page; null: the one that is there does. */
  function viewOf({ page, local }) {
    if (page >= 0 && local) return { kind: "around", page };
    if (!app.view || app.view.kind === "around" || app.view.kind === "pair") return home;
    return null;
  }

  /** Opens what an address says, as at the start and when somebody goes back. */
  function goAddress() {
    const state = stateOf(location.hash), { page, link, at } = state, told = addressOf(graph, state);
    if (told === address) return;
    address = told;
    const view = viewOf(state), same = view && app.view?.kind === view.kind && app.view.page === view.page;
    if (view && !same) show(view);
    const joining = page < 0 || link < 0 ? -1 : edgeBetween(graph, page, link);
    if (joining >= 0) openEdge(joining);
    else if (page >= 0 && page !== app.selected) open(page, true, false, at);
    else if (page >= 0) { app.at = at; goPlace(byId("panel"), at); }
    else close();
  }

  const wikiName = document.title;
  painter.resize();
  listen(app, canvas);
  const parts = [[graph.n, "page"], [graph.m, "link"], [graph.groups.filter((each) => each.colour >= 0 && each.name !== UNLINKED).length, "community", "communities"]];
  byId("size").textContent = parts.map((each) => counted(...each)).join(" · ");
  byId("empty").hidden = graph.n > 0;
  byId("filters").open = matchMedia("(min-width: 861px)").matches;
  if (location.hash.length > 1) goAddress(); else { address = "#"; show(home); }
  window.addEventListener("hashchange", goAddress);
  return app;
}

/** What tests and people at the console may read; nothing can be set through it. */
function status(app) {
  const { graph, painter } = app;
  return {
    get pages() { return graph.n; },
    get edges() { return graph.m; },
    get view() { return app.view.kind === "group" ? `group ${app.view.group}` : app.view.kind; },
    get hits() { return app.hits ? [...app.hits].map((k) => app.scene.label(k)).sort() : null; },
    get marked() { return app.marked()?.map((i) => graph.name[i]) ?? null; },
    get shown() { return app.shown.reduce((sum, each) => sum + each, 0); },
    get selected() { return app.selected < 0 ? null : graph.name[app.selected]; },
    get cursor() { return app.cursor < 0 ? null : app.scene.label(app.cursor); },
    get settled() { return app.settled && painter.ready(); },
    get zoom() { return app.camera.k; },
    /** Where the first of the scene are on the canvas, in CSS pixels: [label, x, y]. */
    get places() {
      const { scene } = app;
      const place = (k) => painter.place(k, app.camera);
      return scene.order.slice(0, 50).map((k) => [scene.label(k), place(k)[0], place(k)[1]]);
    },
  };
}

readBlock(byId("graph-data")).then((columns) => {
  const value = Object.freeze(status(start(unpack(columns))));
  Object.defineProperty(window, "wikiGraph", { value });
});
