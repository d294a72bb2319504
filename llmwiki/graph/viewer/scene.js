// What stands on the canvas: some of the pages, or the groups as bubbles, with places and edges.

const ALL_FROM_START = 2000; // pages up to which everything is shown at once
const ALL_LIMIT = 20000; // pages up to which everything can be shown at all
const GROUP_LIMIT = 2000; // pages of one group that are shown: the highest-ranked
const BUBBLES = 120; // groups shown at once, the largest
const BUBBLE_LINKS = 3; // strongest edges of each bubble that are shown
const HUB_LINKS = 12; // edges that a bubble may have because they are the strongest of others
const APART = 50; // least radius of the bubbles that are no communities
const GAP = 54; // length of an edge at rest
const LOCAL_LIMIT = 600; // pages of a local graph

/** Rows of neighbours within a scene, as in the graph. */
function sceneRows(scene) {
  scene.m = scene.a.length;
  return Object.assign(scene, unpackRows(scene.n, { m: scene.m, from: scene.a, to: scene.b }));
}

/** Pages as a scene: those with edges first, by rank; those without in rows below the others. */
function pagesScene(graph, pages, view) {
  const inside = new Uint8Array(graph.n);
  for (const i of pages) inside[i] = 1;
  const linked = [], single = [];
  for (const i of pages) {
    let q = graph.start[i];
    while (q < graph.start[i + 1] && !inside[graph.other[q]]) q++;
    (q < graph.start[i + 1] ? linked : single).push(i);
  }
  const id = Int32Array.from([...linked, ...single]);
  const local = new Int32Array(graph.n).fill(-1);
  id.forEach((i, at) => { local[i] = at; });
  const a = [], b = [], kind = [], edges = [];
  for (let at = 0; at < linked.length; at++) {
    const i = id[at];
    for (let q = graph.start[i]; q < graph.start[i + 1]; q++) {
      const e = graph.edge[q], to = local[graph.other[q]];
      if (to < 0 || graph.from[e] !== i) continue;
      a.push(at); b.push(to); kind.push(graph.kind[e]); edges.push(e);
    }
  }
  const most = id.reduce((top, i) => Math.max(top, graph.rank[i]), 1);
  const n = id.length;
  const scene = sceneRows({
    view, bubbles: false, n, id, at: (i) => local[i],
    x: new Float64Array(n), y: new Float64Array(n),
    r: Float64Array.from(id, (i) => 4 + 10 * Math.sqrt(graph.rank[i] / most)),
    group: Int32Array.from(id, (i) => graph.groupOf[i]),
    a: Int32Array.from(a), b: Int32Array.from(b), kind: Uint8Array.from(kind), edges, linked: linked.length,
    label: (at) => graph.name[id[at]],
  });
  const hubs = new Map();
  for (let at = 0; at < linked.length; at++) {
    const g = scene.group[at], named = graph.title[id[at]] === graph.groups[g].name;
    if (!hubs.has(g) || (named && !hubs.get(g).named)) hubs.set(g, { at, named });
  }
  scene.first = new Set([...hubs.values()].map((hub) => hub.at));
  const byRank = (s, t) => scene.r[t] - scene.r[s] || s - t;
  const every = Array.from({ length: n }, (_, at) => at).sort(byRank);
  scene.order = every.filter((at) => scene.first.has(at)).concat(every.filter((at) => !scene.first.has(at)));
  scene.settle = settlePages(scene);
  return scene;
}

/** Centres for the groups of a scene: their own small layout of discs. */
function placeGroups(scene, members) {
  const groups = [...members.keys()], place = new Map(groups.map((g, k) => [g, k]));
  const n = groups.length, weight = new Map();
  for (let e = 0; e < scene.m; e++) {
    const g = place.get(scene.group[scene.a[e]]), h = place.get(scene.group[scene.b[e]]);
    if (g === h) continue;
    const key = Math.min(g, h) * n + Math.max(g, h);
    weight.set(key, (weight.get(key) || 0) + 1);
  }
  const size = Float64Array.from(groups, (g) => GAP * (0.5 + 0.62 * Math.sqrt(members.get(g).length)));
  return placeDiscs(size, [...weight], n, GAP);
}

/** Places discs by the edges between them: `weight` holds [place of one * n + of other, edges]. */
function placeDiscs(size, weight, n, gap) {
  const mean = size.reduce((sum, s) => sum + s, 0) / n;
  const bodies = {
    n, size: size.map((s) => s + gap / 4), group: null, gravity: 0.07,
    x: new Float64Array(n), y: new Float64Array(n), charge: size.map((s) => s * mean * 0.25),
    a: weight.map(([key]) => Math.floor(key / n)), b: weight.map(([key]) => key % n),
    pull: weight.map(([, count]) => Math.sqrt(count)),
    rest: weight.map(([key]) => size[Math.floor(key / n)] + size[key % n] + gap),
  };
  for (let k = 0; k < n; k++) [bodies.x[k], bodies.y[k]] = seed(k, 2 * mean + gap);
  const run = force(bodies, n <= 250 ? 260 : 80);
  while (!run.next().done);
  for (let pass = 0; pass < 40; pass++) collide(bodies, 0.8);
  return bodies;
}

/** Lays pages out: groups first, then pages in them, then the forces between pages. */
function* settlePages(scene) {
  const k = scene.linked, members = new Map();
  for (let at = 0; at < k; at++) {
    if (!members.has(scene.group[at])) members.set(scene.group[at], []);
    members.get(scene.group[at]).push(at);
  }
  if (members.size > 1) {
    const discs = placeGroups(scene, members);
    [...members.values()].forEach((list, g) => list.forEach((at, i) => {
      const [dx, dy] = seed(i, GAP);
      scene.x[at] = discs.x[g] + dx; scene.y[at] = discs.y[g] + dy;
    }));
  } else {
    for (let at = 0; at < k; at++) [scene.x[at], scene.y[at]] = seed(at, GAP);
  }
  const across = scene.n - k > 60 ? 34 : 120;
  rowsBelow(scene, across, Math.min(across, 56));
  yield;
  const same = (e) => scene.group[scene.a[e]] === scene.group[scene.b[e]];
  const strength = [1, 0.6, 0.8, 0.4], one = members.size < 2;
  const length = (e) => scene.r[scene.a[e]] + scene.r[scene.b[e]] + GAP * (one || same(e) ? 0.8 : 2);
  yield* force({
    n: k, x: scene.x.subarray(0, k), y: scene.y.subarray(0, k),
    size: scene.r.slice(0, k).map((r) => r + 13), group: scene.group.subarray(0, k), gravity: 0.05,
    charge: scene.r.slice(0, k).map((r) => 70 + 9 * r),
    a: scene.a, b: scene.b,
    pull: Array.from(scene.kind, (kind, e) => strength[kind] * (one || same(e) ? 1 : 0.12)),
    rest: Array.from(scene.kind, (_, e) => length(e)),
  }, k <= 400 ? 300 : k <= 2000 ? 200 : k <= 6000 ? 120 : 80);
  rowsBelow(scene, across, Math.min(across, 56));
}

/** What has no edges in this scene stands in rows, like a drawer below the picture. */
function rowsBelow(scene, across, down) {
  const from = scene.linked, count = scene.n - from;
  if (!count) return;
  const box = boxOf({ ...scene, n: from });
  const below = Math.floor((box.x1 - box.x0) / across);
  const rows = Math.ceil(count / Math.max(below, Math.sqrt(1.6 * count * down / across), 6));
  const wide = Math.ceil(count / rows), middle = (box.x0 + box.x1) / 2;
  for (let q = 0; q < count; q++) {
    scene.x[from + q] = middle + (q % wide - (wide - 1) / 2) * across;
    scene.y[from + q] = box.y1 + (from ? 16 + down / 2 : 0) + Math.floor(q / wide) * down;
  }
}

/** The strongest edges between the first `shown` groups, summed by kind. */
function joinGroups(graph, shown) {
  const { a, b, counts } = graph.pairs, joined = [];
  for (let p = 0; p < a.length; p++) {
    if (b[p] >= shown) continue;
    const four = counts.slice(4 * p, 4 * p + 4);
    joined.push({ g: a[p], h: b[p], counts: four, sum: four[0] + four[1] + four[2] + four[3] });
  }
  joined.sort((s, t) => t.sum - s.sum || s.g - t.g || s.h - t.h);
  const held = new Map();
  const few = (g, h) => (held.get(g) || 0) < BUBBLE_LINKS && (held.get(h) || 0) < HUB_LINKS;
  return joined.filter(({ g, h }) => {
    if (!few(g, h) && !few(h, g)) return false;
    for (const each of [g, h]) held.set(each, (held.get(each) || 0) + 1);
    return true;
  });
}

/** The largest groups as bubbles; the list beside the picture has all of them. */
function groupsScene(graph, view) {
  const shown = Math.min(BUBBLES, graph.groups.length), pairs = joinGroups(graph, shown);
  const every = Array.from({ length: shown }, (_, k) => k);
  const joined = new Set(pairs.flatMap(({ g, h }) => [g, h]));
  const id = every.filter((g) => joined.has(g)).concat(every.filter((g) => !joined.has(g)));
  const place = new Map(id.map((g, k) => [g, k]));
  const n = id.length, linked = joined.size, most = graph.groups[0]?.members.length || 1;
  const r = Float64Array.from(id, (g) => 16 + 84 * Math.sqrt(graph.groups[g].members.length / most));
  id.forEach((g, k) => { if (graph.groups[g].colour < 0) r[k] = Math.max(r[k], APART); });
  const a = Int32Array.from(pairs, ({ g }) => place.get(g));
  const b = Int32Array.from(pairs, ({ h }) => place.get(h));
  const weight = pairs.map(({ sum }, e) => [a[e] * linked + b[e], sum]);
  const discs = placeDiscs(r.slice(0, linked), weight, linked, 24);
  const scene = sceneRows({
    view, bubbles: true, n, linked, id: Int32Array.from(id), at: (g) => place.get(g) ?? -1,
    x: new Float64Array(n), y: new Float64Array(n), r, a, b, counts: pairs.map((pair) => pair.counts),
    label: (k) => graph.groups[id[k]].name,
  });
  scene.x.set(discs.x); scene.y.set(discs.y);
  const largest = r.slice(linked).reduce((top, each) => Math.max(top, each), 0);
  rowsBelow(scene, Math.max(2 * largest + 16, 150), 2 * largest + 40);
  scene.group = scene.id;
  scene.order = Array.from({ length: n }, (_, k) => k).sort((s, t) => r[t] - r[s] || s - t);
  scene.first = new Set(scene.order);
  scene.settle = [][Symbol.iterator]();
  return scene;
}

/** The surest edge between two pages; -1: there is none. */
function edgeBetween(graph, i, j) {
  const { start, other, edge, kind } = graph;
  let best = -1;
  for (let q = start[i]; q < start[i + 1]; q++) {
    if (other[q] === j && (best < 0 || kind[edge[q]] < kind[best])) best = edge[q];
  }
  return best;
}

/** A page and those joined to it, by rank, at most `LOCAL_LIMIT`. */
function pagesAround(graph, i) {
  const near = new Set(graph.other.subarray(graph.start[i], graph.start[i + 1]));
  const ordered = [...near].sort((s, t) => graph.rank[t] - graph.rank[s] || s - t);
  return [i, ...ordered.filter((j) => j !== i)].slice(0, LOCAL_LIMIT);
}

/** Some pages with what stands beside them, so that they are seen where they are. */
function pagesBeside(graph, pages) {
  const found = new Set(pages), most = 60;
  for (const i of pages) {
    const near = pagesAround(graph, i);
    for (const j of near.slice(1, 1 + most)) found.add(j);
  }
  return [...found];
}

/** The pages of a view, and how many of them could not be shown. `extra` pages are always in it. */
function pagesOf(graph, view) {
  if (view.kind === "all") return [...graph.byRank];
  if (view.kind === "around") return pagesAround(graph, view.page);
  if (view.kind === "pair") return pagesBeside(graph, view.pages);
  const members = graph.groups[view.group].members;
  const pages = new Set(members.slice(0, GROUP_LIMIT));
  for (const i of view.extra || []) {
    pages.add(i);
    for (let q = graph.start[i]; q < graph.start[i + 1] && pages.size < 2 * GROUP_LIMIT; q++) {
      if (graph.groupOf[graph.other[q]] === view.group) pages.add(graph.other[q]);
    }
  }
  return [...pages];
}

function makeScene(graph, view) {
  if (view.kind === "groups") return groupsScene(graph, view);
  return pagesScene(graph, pagesOf(graph, view), view);
}

/** The box around a scene, with room for its circles. */
function boxOf(scene) {
  let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
  for (let k = 0; k < scene.n; k++) {
    x0 = Math.min(x0, scene.x[k] - scene.r[k]); x1 = Math.max(x1, scene.x[k] + scene.r[k]);
    y0 = Math.min(y0, scene.y[k] - scene.r[k]); y1 = Math.max(y1, scene.y[k] + scene.r[k]);
  }
  return scene.n ? { x0, y0, x1, y1 } : { x0: -1, y0: -1, x1: 1, y1: 1 };
}
