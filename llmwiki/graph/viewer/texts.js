// The texts of the pages, unpacked part by part when one is asked for.

const UNSEEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]/g;

/** A text without what changes the direction of others, or cannot be seen. */
const visible = (text) => text.replace(UNSEEN, "");

/** `firsts` holds the first page of each part; the parts stand in blocks of the page. */
function makeTexts(firsts) {
  const blocks = [...document.querySelectorAll("script.texts")], parts = [];
  return {
    any: firsts.length > 0,
    /** The Markdown of a page; null where the file does not hold it. */
    async read(i) {
      if (!firsts.length) return null;
      let low = 0, high = firsts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (firsts[middle] <= i) low = middle; else high = middle - 1;
      }
      parts[low] ||= readBlock(blocks[low]);
      const text = (await parts[low])[i - firsts[low]];
      return text === null ? null : visible(text);
    },
  };
}

/** Where a page's own text begins: behind its frontmatter. */
function bodyStart(text) {
  const opened = /^\uFEFF?---[ \t]*\r?\n/.exec(text);
  if (!opened) return 0;
  const closing = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/gm;
  closing.lastIndex = opened[0].length;
  return closing.exec(text) ? closing.lastIndex : 0;
}

/** Which page a link on page `i` leads to: a function from what is written to a page, or -1. */
function makeResolver(graph, i) {
  const near = new Map();
  const keyOf = (text) => fold(text).replace(/\.(?:md|html)$/, "").trim();
  const last = (key) => key.slice(key.lastIndexOf("/") + 1);
  function hold(key, page, path) {
    if (!key) return;
    if (near.has(key)) near.get(key).push([page, path]); else near.set(key, [[page, path]]);
  }
  // A link makes an edge, so what it means is among the neighbours, or the page itself.
  const around = [i];
  for (let q = graph.start[i]; q < graph.start[i + 1]; q++) {
    if (graph.kind[graph.edge[q]] === 0) around.push(graph.other[q]);
  }
  for (const j of around) {
    const path = keyOf(graph.id[j] || "");
    hold(last(path), j, `/wiki/${path}`);
    for (const name of [graph.title[j], ...graph.aliasesOf(j)]) hold(keyOf(name), j, "");
  }
  return (written) => {
    const plain = written.replaceAll("\\", "/").split("/");
    const key = keyOf(plain.filter((part) => part !== "." && part !== ".." && part).join("/"));
    const found = [...near.get(last(key)) || [], ...near.get(key) || []];
    const whole = found.find(([, path]) => path.endsWith(`/${key}`));
    const named = found.find(([, path]) => !path) || (key.includes("/") ? null : found[0]);
    return (whole || named || [-1])[0];
  };
}
