// Finding pages by what somebody remembers of their titles: any order, parts of words; and by tags.

/** A text as it is compared: without accents and case. */
function fold(text) {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase();
}

const wordsOf = (text) => text.match(/[\p{L}\p{N}]+/gu) || [];

/** A function from a query and a filter to pages, best first. Folds the titles when first called. */
function makeSearch(graph) {
  let folded = null;

  function score(title, query, parts) {
    if (title === query || title.startsWith(`${query} · `)) return 100;
    let sum = title.startsWith(query) ? 40 : title.includes(query) ? 20 : 0;
    for (const part of parts) {
      const at = title.indexOf(part);
      if (at < 0) return 0;
      const begins = at === 0 || !/[\p{L}\p{N}]/u.test(title[at - 1]);
      sum += begins ? 6 : 2;
    }
    return sum + 10 * query.length / (query.length + title.length);
  }

  function byTag(query, keep) {
    return [...graph.byRank].filter((i) => keep(i) && graph.tagsOf(i).some((tag) => fold(tag).includes(query)));
  }

  return function search(text, keep) {
    const query = fold(text.trim());
    if (query.startsWith("#")) return byTag(query.slice(1), keep);
    folded ||= graph.title.map((title, i) => fold([title, ...graph.aliasesOf(i)].join(" · ")));
    const parts = query.split(/\s+/).filter(Boolean);
    if (!parts.length) return [];
    const hits = [];
    for (const i of graph.byRank) {
      const points = keep(i) ? score(folded[i], query, parts) : 0;
      if (points) hits.push([points, i]);
    }
    hits.sort((a, b) => b[0] - a[0]);
    return hits.map(([, i]) => i);
  };
}
