// The page at work: which view is shown, what is open in it, and the frames in which it is drawn.

const LAYOUT_SLICE = 9; // milliseconds of a frame that the layout may take
const FIRST_SLICE = 350; // milliseconds of layout before the first picture
const FLIGHT = 320; // milliseconds that the camera takes to another place
const ZOOM = [0.004, 6]; // least and most

function start(graph) {
  const canvas = byId("canvas"), query = byId("query");
  const search = makeSearch(graph);
  const camera = { x: 0, y: 0, k: 1 };
  let flight = null, scheduled = false, last = 0;

  // `hover` and `cursor` are places in the scene, `selected` is a page, -1 for none of them.
  // `touched`: somebody moved the picture, so that it is not fitted to the window any more.
  const app = {
    graph, camera, view: null, scene: null, shown: new Uint8Array(0), passing: null, settled: true,
    hover: -1, cursor: -1, selected: -1, touched: false,
    colourBy: "group", kindOff: [false, false, false, false], typeOff: new Set(), group: -1, tag: -1,
    still: matchMedia("(prefers-reduced-motion: reduce)").matches,
    sizeOf: (k) => (app.passing ? app.passing[k] : app.scene.sizes[k]),
    dotOf: (i) => cssColour(app.colourBy === "type" ? graph.typeOf[i] : groupOf(i).colour),
    looked, wake, moveTo, fit, zoom, inSight, sift, list, show, back, goGroup, goBubble, open, close,
    toggleType, toggleKind, pickTag, pickGroup, clear, recolour, resize, tell,
  };
  const groupOf = (i) => graph.groups[graph.groupOf[i]];
  const painter = app.painter = makePainter(canvas, app);

  /** What the picture points at: under the mouse, else under the keyboard's cursor, else what is open. */
  function looked() {
    if (app.hover >= 0) return app.hover;
    const open = app.selected >= 0 && !app.scene.bubbles ? app.scene.at(app.selected) : -1;
    const k = document.activeElement === canvas && app.cursor >= 0 ? app.cursor : open;
    return k >= 0 && app.shown[k] ? k : -1;
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

  function fit(soft) {
    const box = boxOf(app.scene), [wide, high] = painter.size();
    const k = Math.min((wide - 90) / (box.x1 - box.x0), (high - 130) / (box.y1 - box.y0), 1.5);
    app.touched = false;
    moveTo({
      k: Math.max(k, ZOOM[0]), x: (box.x0 + box.x1) / 2, y: (box.y0 + box.y1) / 2 + 4 / Math.max(k, ZOOM[0]),
    }, soft);
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
    sift();
    byId("tip").hidden = true;
    if (!first && document.activeElement === document.body) canvas.focus();
    const { n, bubbles } = app.scene;
    tell(`${bubbles ? counted(n, "community", "communities") : counted(n, "page")} shown`);
  }

  /** One view up; false if there is none. */
  function back() {
    const { view } = app;
    if (view.kind === "group") show({ kind: "groups", first: view.from });
    else if (view.first) show({ kind: "groups", first: Math.max(0, view.first - BUBBLES + 1) });
    else return false;
    return true;
  }

  function goGroup(g, extra) {
    show({ kind: "group", group: g, extra, from: app.view.first ?? app.view.from ?? 0 });
  }

  function goBubble(k) {
    if (app.scene.id[k] < 0) show({ kind: "groups", first: app.scene.behind });
    else goGroup(app.scene.id[k]);
  }

  function trail() {
    const { view } = app, parts = [], groups = { kind: "groups", first: 0 };
    const between = (sign) => make("i", { textContent: sign, data: { "aria-hidden": "true" } });
    const step = (text, here, to) => (here
      ? make("b", { dir: "auto", textContent: text, data: { "aria-current": "page" } })
      : make("button", { type: "button", dir: "auto", textContent: text, onclick: () => show(to) }));
    if (graph.groups.length > 1) {
      parts.push(step("Communities", view.kind === "groups" && !view.first, groups));
      if (view.first || view.from) {
        const smaller = { kind: "groups", first: view.first || view.from };
        parts.push(between("›"), step("Smaller ones", Boolean(view.first), smaller));
      }
      if (view.kind === "group") parts.push(between("›"), step(graph.groups[view.group].name, true));
      if (graph.n <= ALL_LIMIT) {
        parts.push(between("·"), step("All pages", view.kind === "all", { kind: "all" }));
      }
    }
    byId("trail").replaceChildren(...parts);
  }

  // ---- filters and lists

  function passes(i) {
    return !app.typeOff.has(graph.typeOf[i]) && (app.group < 0 || graph.groupOf[i] === app.group)
      && (app.tag < 0 || graph.hasTag(i, app.tag));
  }

  /** How many pages of each bubble pass the filters. */
  function countPassing(scene) {
    const passing = new Int32Array(scene.n);
    for (let i = 0; i < graph.n; i++) {
      const k = graph.groupOf[i] < app.view.first ? -1 : scene.at(graph.groupOf[i]);
      if (k >= 0 && passes(i)) passing[k]++;
    }
    return passing;
  }

  /** Applies the filters to what is shown and listed. */
  function sift() {
    const { scene } = app, filtered = app.typeOff.size > 0 || app.group >= 0 || app.tag >= 0;
    app.passing = scene.bubbles && filtered ? countPassing(scene) : null;
    const passing = (i, k) => (scene.bubbles ? !app.passing || app.passing[k] > 0 : passes(i));
    app.shown = Uint8Array.from(scene.id, (i, k) => (passing(i, k) ? 1 : 0));
    byId("reset").hidden = !filtered && !app.kindOff.includes(true);
    painter.spoil();
    list();
    tellNote();
    wake();
  }

  function toggleType(t, off) { if (off) app.typeOff.add(t); else app.typeOff.delete(t); sift(); }
  function toggleKind(kind, off) { app.kindOff[kind] = off; sift(); }
  function pickTag(t) { app.tag = t; byId("tag").value = t < 0 ? "" : t; sift(); }
  function pickGroup(g) { app.group = g; byId("group").value = g < 0 ? "" : g; sift(); }
  function recolour(by) { app.colourBy = by; fillLegend(app, painter.look()); sift(); }

  function clear() {
    app.typeOff.clear(); app.kindOff.fill(false);
    pickGroup(-1); pickTag(-1);
    fillLegend(app, painter.look());
  }

  /** The list beside the picture: what was searched for, else what the picture shows. */
  function list() {
    const text = query.value.trim(), results = byId("results"), name = byId("list-title");
    if (text) {
      const found = search(text, passes);
      name.textContent = found.length ? `${counted(found.length, "page")} found` : "Nothing found";
      fill(results, found.length, (k) => pageRow(found[k]));
      tell(name.textContent);
      return;
    }
    const { scene } = app, order = scene.order.filter((k) => app.shown[k]);
    name.textContent = scene.bubbles ? "Communities" : "Pages";
    const line = (k) => (scene.bubbles ? groupRow(order[k]) : pageRow(scene.id[order[k]]));
    fill(results, order.length, line);
  }

  function pageRow(i) {
    const links = counted(graph.degree(i), "link");
    return row(graph.title[i], app.dotOf(i), links, () => open(i, true), i === app.selected);
  }

  function groupRow(k) {
    const g = app.scene.id[k], colour = cssColour(g < 0 ? -1 : graph.groups[g].colour);
    return row(app.scene.label(k), colour, number(app.sizeOf(k)), () => goBubble(k));
  }

  /** The line below the picture: how much of how much is shown. */
  function tellNote() {
    const { scene, view } = app, parts = [];
    const visible = app.shown.reduce((sum, each) => sum + each, 0);
    if (scene.bubbles) {
      parts.push(counted(visible, "community", "communities"), "their strongest links shown");
    } else {
      const all = view.kind === "group" ? graph.groups[view.group].members.length : graph.n;
      parts.push(counted(visible, "page"));
      if (scene.n < all) parts.push(`the highest-ranked of ${number(all)}`);
      if (visible < scene.n) parts.push(`${number(scene.n - visible)} filtered out`);
    }
    if (!app.settled) parts.push("settling …");
    byId("note").textContent = parts.join(" · ");
  }

  function tell(text) { byId("live").textContent = text; }

  // ---- the open page

  /** Opens a page's panel, in a view that shows it; `centre` brings the page into the middle. */
  function open(i, centre, byMouse) {
    const missing = app.scene.bubbles || app.scene.at(i) < 0;
    if (missing) goGroup(graph.groupOf[i], [i]);
    app.selected = i; app.cursor = app.scene.at(i); app.hover = -1;
    fillPanel(app, i);
    resize();
    if (centre || missing || !inSight(app.cursor)) {
      app.touched = true;
      const { x, y } = app.scene;
      moveTo({ x: x[app.cursor], y: y[app.cursor], k: Math.max(camera.k, 0.75) }, true);
    }
    if (!byMouse) byId("panel-title").focus({ preventScroll: true });
    tell(`${graph.title[i]}, ${graph.typeName(i)}, ${counted(graph.degree(i), "neighbour")}`);
    byId("tip").hidden = true;
    wake();
  }

  /** Closes the panel; false if none was open. */
  function close() {
    if (byId("panel").hidden) return false;
    byId("panel").hidden = true;
    app.selected = -1;
    resize();
    canvas.focus();
    wake();
    return true;
  }

  painter.resize();
  listen(app, canvas);
  fillChoices(graph);
  const parts = [[graph.n, "page"], [graph.m, "link"], [graph.groups.filter((each) => each.colour >= 0).length, "community", "communities"]];
  byId("size").textContent = parts.map((each) => counted(...each)).join(" · ");
  byId("empty").hidden = graph.n > 0;
  byId("filters").open = matchMedia("(min-width: 861px)").matches;
  show(graph.n <= ALL_FROM_START ? { kind: "all" } : { kind: "groups", first: 0 });
  return app;
}

/** What tests and people at the console may read; nothing can be set through it. */
function status(app) {
  const { graph, painter } = app;
  return {
    get pages() { return graph.n; },
    get edges() { return graph.m; },
    get communities() { return graph.groups.length; },
    get view() { return app.view.kind === "group" ? `group ${app.view.group}` : app.view.kind; },
    get shown() { return app.shown.reduce((sum, each) => sum + each, 0); },
    get selected() { return app.selected < 0 ? null : graph.title[app.selected]; },
    get cursor() { return app.cursor < 0 ? null : app.scene.label(app.cursor); },
    get settled() { return app.settled && painter.ready(); },
    get zoom() { return app.camera.k; },
    get theme() { return document.documentElement.dataset.theme; },
    /** Where the first of the scene are on the canvas, in CSS pixels: [label, x, y]. */
    get places() {
      const { scene } = app;
      const place = (k) => painter.place(k, app.camera);
      return scene.order.slice(0, 50).map((k) => [scene.label(k), place(k)[0], place(k)[1]]);
    },
  };
}

readColumns().then((columns) => {
  const value = Object.freeze(status(start(unpack(columns))));
  Object.defineProperty(window, "wikiGraph", { value });
});
