// Finding pages by what somebody remembers of their titles: any order, parts of words, typing errors.

const FUZZY_BELOW = 8; // results from which no guess at typing errors is needed

/** A text as it is compared: without accents and case. */
function fold(text) {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase();
}

const wordsOf = (text) => text.match(/[\p{L}\p{N}]+/gu) || [];

/** One bit a letter: words whose bits differ much cannot be one word with a typing error. */
function bitsOf(word) {
  let bits = 0;
  for (let i = 0; i < word.length; i++) bits |= 1 << (word.charCodeAt(i) & 31);
  return bits;
}

function bitCount(bits) {
  let count = 0;
  for (; bits; bits &= bits - 1) count++;
  return count;
}

/** Whether `typed` is `word`, or how it begins, but for `most` errors (a swap is one). */
function nearly(typed, word, most) {
  const wide = Math.min(word.length, typed.length + most);
  let older = null, last = Array.from({ length: wide + 1 }, (_, j) => j);
  for (let i = 1; i <= typed.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= wide; j++) {
      const same = typed[i - 1] === word[j - 1];
      let cost = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1));
      if (older && j > 1 && typed[i - 1] === word[j - 2] && typed[i - 2] === word[j - 1]) {
        cost = Math.min(cost, older[j - 2] + 1);
      }
      row.push(cost);
      if (cost < least) least = cost;
    }
    if (least > most) return false;
    older = last; last = row;
  }
  return Math.min(...last) <= most;
}

/** A function from a query and a filter to pages, best first. Folds the titles when first called. */
function makeSearch(graph) {
  let folded = null, words = null;

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

  /** Pages with most of the words, as they are or nearly so. */
  function guess(parts, keep, found) {
    words ||= folded.map((title) => wordsOf(title).map((word) => [word, bitsOf(word)]));
    const asked = parts.filter((part) => part.length > 2 || parts.length === 1)
      .map((part) => [part, bitsOf(part), part.length < 4 ? 0 : part.length < 8 ? 1 : 2]);
    const near = ([part, bits, most], list) => list.some(([word, have]) =>
      word.includes(part)
      || (most && bitCount(bits & ~have) <= most && nearly(part, word, most)));
    const hits = asked.map(() => []);
    for (const i of graph.byRank) {
      if (found.has(i) || !keep(i)) continue;
      const missed = asked.filter((each) => !near(each, words[i])).length;
      if (missed < asked.length) hits[missed].push(i);
    }
    return found.size ? hits[0] || [] : hits.find((list) => list.length) || [];
  }

  function byTag(query, keep) {
    const tags = new Set();
    graph.tags.forEach((tag, t) => { if (fold(tag).includes(query)) tags.add(t); });
    return [...graph.byRank].filter((i) => keep(i) && graph.tagsOf(i).some((t) => tags.has(t)));
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
    const found = hits.map(([, i]) => i);
    if (found.length >= FUZZY_BELOW) return found;
    return found.concat(guess(parts, keep, new Set(found)));
  };
}
