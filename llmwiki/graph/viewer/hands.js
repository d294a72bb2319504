// What keys, mouse, fingers and buttons do.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const NEARER = 1.4; // the step of one key
const EDGE_MERCY = 5; // pixels beside an edge that still mean it

/** The nearest of the scene in a direction from the cursor; without one, the first in sight; or -1. */
function nextPlace(app, direction) {
  const { scene, shown, cursor } = app;
  if (cursor < 0 || !shown[cursor]) return scene.order.find((k) => shown[k] && app.inSight(k)) ?? -1;
  let best = -1, least = Infinity;
  for (let k = 0; k < scene.n; k++) {
    if (!shown[k] || k === cursor) continue;
    const dx = scene.x[k] - scene.x[cursor], dy = scene.y[k] - scene.y[cursor];
    const along = dx * direction[0] + dy * direction[1];
    const across = Math.abs(dx * direction[1]) + Math.abs(dy * direction[0]);
    if (along <= 0 || across > 1.8 * along || along + 2 * across >= least) continue;
    least = along + 2 * across; best = k;
  }
  return best;
}

function listenKeys(app, canvas) {
  const { graph } = app, query = byId("query"), help = byId("help");
  const chord = (event) => event.ctrlKey || event.metaKey || event.altKey;

  function walk(direction) {
    const { scene } = app, k = nextPlace(app, direction);
    if (k < 0) return;
    app.cursor = k; app.hover = -1;
    if (!app.inSight(k)) {
      app.touched = true;
      app.moveTo({ k: app.camera.k, x: scene.x[k], y: scene.y[k] }, true);
    }
    const i = scene.id[k];
    app.tell(scene.bubbles ? `${scene.label(k)}, ${counted(app.sizeOf(scene.id[k]), "page")}`
      : `${graph.name[i]}, ${graph.typeName(i)}, ${counted(graph.degree(i), "neighbour")}`);
    app.wake();
  }

  function enter() {
    if (app.cursor < 0) walk(ARROWS.ArrowRight);
    else if (app.scene.bubbles) app.goGroup(app.scene.id[app.cursor]);
    else app.open(app.scene.id[app.cursor], false);
  }

  canvas.addEventListener("keydown", (event) => {
    const arrow = ARROWS[event.key];
    if (chord(event)) return;
    if (arrow) walk(arrow);
    else if (event.key === "Enter" || event.key === " ") enter();
    else return;
    event.preventDefault();
  });

  function escape(event) {
    if (event.target === query && app.clearQuery()) return;
    const cleared = app.clearQuery();
    if (!app.close() && !cleared && !app.back()) canvas.focus();
  }

  const anywhere = {
    "/": () => { query.focus(); query.select(); },
    "?": () => help.showModal(),
    "+": () => app.zoom(NEARER),
    "=": () => app.zoom(NEARER),
    "-": () => app.zoom(1 / NEARER),
    0: () => app.fit(true),
  };
  document.addEventListener("keydown", (event) => {
    const writing = event.target === query;
    if (chord(event) || help.open) return;
    if (event.key === "Escape") escape(event);
    else if (!writing && Object.hasOwn(anywhere, event.key)) anywhere[event.key]();
    else return;
    event.preventDefault();
  });

  let typing = 0;
  query.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(app.list, graph.n > 5000 ? 120 : 0);
  });
  query.addEventListener("keydown", (event) => {
    const first = () => byId("results").querySelector("button");
    if (event.key === "ArrowDown") { first()?.focus(); event.preventDefault(); }
    if (event.key !== "Enter" || !query.value.trim()) return;
    clearTimeout(typing);
    app.list();
    first()?.click();
  });
  walkList(byId("results"), query);
}

function listenMouse(app, canvas) {
  const { graph, painter, camera } = app;
  const fingers = new Map();
  let held = null; // what a press began on: where, which, and whether it was moved since

  function at(event) {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** What is under the mouse, with a little mercy for small pages; or -1. */
  function under(event) {
    const [px, py] = at(event), mercy = app.scene.bubbles ? 0 : 6;
    let best = -1, least = 2;
    for (let k = 0; k < app.scene.n; k++) {
      if (!app.shown[k]) continue;
      const [x, y, r] = painter.place(k, camera), over = Math.hypot(x - px, y - py) - Math.max(r, mercy);
      if (over < least) { least = over; best = k; }
    }
    return best;
  }

  /** The edge under the mouse, of those that can be seen; or -1, an edge of the graph. */
  function edgeUnder(event, mercy) {
    const { scene, shown } = app, [px, py] = at(event), looked = app.looked();
    if (scene.bubbles) return -1;
    let best = -1, least = mercy;
    for (let e = 0; e < scene.m; e++) {
      const a = scene.a[e], b = scene.b[e];
      if (!shown[a] || !shown[b] || app.kindOff[scene.kind[e]]) continue;
      if (looked >= 0 && a !== looked && b !== looked) continue;
      const [ax, ay] = painter.place(a, camera), [bx, by] = painter.place(b, camera);
      const dx = bx - ax, dy = by - ay, t = ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy || 1);
      const far = Math.hypot(ax + dx * Math.min(1, Math.max(0, t)) - px, ay + dy * Math.min(1, Math.max(0, t)) - py);
      if (far < least) { least = far; best = scene.edges[e]; }
    }
    return best;
  }

  function tipLine(k) {
    const { scene } = app, i = scene.id[k];
    if (scene.bubbles) return counted(app.sizeOf(i), "page");
    return graph.description[i] || graph.typeName(i);
  }

  function tip(k, event) {
    const made = byId("tip");
    made.hidden = k < 0;
    canvas.classList.toggle("over", k >= 0);
    if (k < 0) return;
    made.replaceChildren(make("b", { textContent: app.scene.label(k) }),
      make("p", { textContent: short(tipLine(k), 140) }));
    const [x, y] = at(event), [wide, high] = painter.size();
    const above = y + 18 + made.offsetHeight > high;
    made.style.left = `${Math.max(8, Math.min(x + 16, wide - made.offsetWidth - 8))}px`;
    made.style.top = `${above ? y - made.offsetHeight - 14 : y + 18}px`;
  }

  function pinch(event) {
    const before = fingers.get(event.pointerId);
    const [other] = [...fingers.values()].filter((each) => each.pointerId !== event.pointerId);
    const apart = (a) => Math.hypot(a.clientX - other.clientX, a.clientY - other.clientY) || 1;
    const [x, y] = at(event), [ox, oy] = at(other);
    app.zoom(apart(event) / apart(before), (x + ox) / 2, (y + oy) / 2);
    fingers.set(event.pointerId, event);
  }

  function drag(event) {
    const dx = event.clientX - held.x, dy = event.clientY - held.y;
    if (!held.moved && Math.hypot(dx, dy) < 4) return;
    held = { ...held, x: event.clientX, y: event.clientY, moved: true };
    app.touched = true;
    canvas.classList.add("held");
    if (held.k >= 0 && app.settled) {
      app.scene.x[held.k] += dx / camera.k; app.scene.y[held.k] += dy / camera.k;
      app.hover = held.k;
      painter.spoil();
    } else app.moveTo({ k: camera.k, x: camera.x - dx / camera.k, y: camera.y - dy / camera.k });
    tip(-1);
    app.wake();
  }

  function point(event) {
    const k = under(event);
    if (k !== app.hover) app.wake();
    app.hover = k;
    tip(k, event);
  }

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, event);
    held = fingers.size > 1 ? null : { x: event.clientX, y: event.clientY, k: under(event), moved: false };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (fingers.size === 2 && fingers.has(event.pointerId)) pinch(event);
    else if (held) drag(event);
    else if (event.pointerType === "mouse") point(event);
  });

  function press(k, event) {
    const e = k < 0 ? edgeUnder(event, event.pointerType === "mouse" ? EDGE_MERCY : 2 * EDGE_MERCY) : -1;
    if (e >= 0) app.openEdge(e);
    else if (k < 0) { app.cursor = -1; app.close(); app.wake(); }
    else if (app.scene.bubbles) app.goGroup(app.scene.id[k]);
    else app.open(app.scene.id[k], false, true);
  }

  function release(event) {
    const pressed = held && !held.moved && event.type === "pointerup" ? held.k : null;
    fingers.delete(event.pointerId);
    canvas.classList.remove("held");
    held = null;
    if (pressed !== null) press(pressed, event);
  }
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  // Without the click that follows a tap: it would be on the panel that the tap opens.
  canvas.addEventListener("touchend", (event) => event.preventDefault());
  canvas.addEventListener("pointerleave", () => {
    if (held) return;
    app.hover = -1;
    tip(-1);
    app.wake();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    app.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), ...at(event));
  }, { passive: false });
}

function listenButtons(app) {
  byId("zoom-in").onclick = () => app.zoom(NEARER);
  byId("zoom-out").onclick = () => app.zoom(1 / NEARER);
  byId("fit").onclick = () => app.fit(true);
  byId("help-open").onclick = () => byId("help").showModal();
  byId("reset").onclick = app.clear;
  byId("local-close").onclick = app.leaveLocal;
}

/** The colours are those of the system's theme. */
function listenTheme(app) {
  function apply() {
    app.painter.restyle();
    fillLegend(app, app.painter.look());
    if (app.scene) app.wake();
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  apply();
}

/** A link to a place of the open page leads there. */
function listenPanel() {
  const panel = byId("panel");
  panel.addEventListener("click", (event) => {
    const inside = event.target.closest("a[href^='#']:not([href^='#page='])");
    if (!inside) return;
    event.preventDefault();
    goPlace(panel, decodeURIComponent(inside.getAttribute("href").slice(1)));
  });
}

/** Starts to listen to everything. */
function listen(app, canvas) {
  listenKeys(app, canvas);
  listenMouse(app, canvas);
  listenButtons(app);
  listenTheme(app);
  listenPanel();
  canvas.addEventListener("focus", app.wake);
  canvas.addEventListener("blur", app.wake);
  new ResizeObserver(() => { if (app.scene) app.resize(); }).observe(canvas);
}
