// What is around a page, or around the two of an edge.

const LOCAL_LIMIT = 600; // pages of a local graph

/** The surest edge between two pages; -1: there is none. */
function edgeBetween(graph, i, j) {
  const { start, other, edge, kind } = graph;
  let best = -1;
  for (let q = start[i]; q < start[i + 1]; q++) {
    if (other[q] === j && (best < 0 || kind[edge[q]] < kind[best])) best = edge[q];
  }
  return best;
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

/** Some pages with what stands beside them, so that they are seen where they are. */
function pagesBeside(graph, pages) {
  const found = new Set(pages), most = 60;
  for (const i of pages) {
    const near = pagesAround(graph, i, 1);
    for (const j of near.slice(1, 1 + most)) found.add(j);
  }
  return [...found];
}
