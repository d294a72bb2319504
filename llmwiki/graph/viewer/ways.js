// Ways through the graph: what is around a page, and the shortest way between two.

const LOCAL_LIMIT = 600; // pages of a local graph

/** Edges of a page as [kind, page, edge], the surest first; kinds that are `off` are left out. */
function edgesOf(graph, i, off) {
  const found = [];
  for (let q = graph.start[i]; q < graph.start[i + 1]; q++) {
    const e = graph.edge[q], kind = graph.kind[e];
    if (!off[kind]) found.push([kind, graph.other[q], e]);
  }
  return found.sort((s, t) => s[0] - t[0] || s[1] - t[1]);
}

/** The pages up to `depth` edges away, nearest first and then by rank, at most `LOCAL_LIMIT`. */
function pagesAround(graph, i, depth) {
  const seen = new Set([i]);
  let ring = [i];
  for (let far = 0; far < depth && ring.length && seen.size < LOCAL_LIMIT; far++) {
    const next = new Set();
    for (const at of ring) {
      for (let q = graph.start[at]; q < graph.start[at + 1]; q++) {
        if (!seen.has(graph.other[q])) next.add(graph.other[q]);
      }
    }
    ring = [...next].sort((s, t) => graph.rank[t] - graph.rank[s] || s - t);
    ring = ring.slice(0, LOCAL_LIMIT - seen.size);
    for (const j of ring) seen.add(j);
  }
  return [...seen];
}

/** A shortest way as { pages, edges }, over the surest edges where there are several; or null. */
function shortestWay(graph, from, to, off) {
  const before = new Map([[from, null]]);
  let ring = [from];
  while (ring.length && !before.has(to)) {
    const next = [];
    for (const at of ring) {
      for (const [, j, e] of edgesOf(graph, at, off)) {
        if (before.has(j)) continue;
        before.set(j, [at, e]);
        next.push(j);
      }
    }
    ring = next;
  }
  if (!before.has(to)) return null;
  const pages = [to], edges = [];
  for (let step = before.get(to); step; step = before.get(step[0])) {
    pages.unshift(step[0]); edges.unshift(step[1]);
  }
  return { pages, edges };
}

/** A way with what stands beside it, so that it is seen where it runs. */
function pagesAlong(graph, pages) {
  const found = new Set(pages), most = Math.max(4, Math.floor(120 / pages.length));
  for (const i of pages) {
    const near = pagesAround(graph, i, 1);
    for (const j of near.slice(1, 1 + most)) found.add(j);
  }
  return [...found];
}
