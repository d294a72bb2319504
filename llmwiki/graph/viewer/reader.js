// A page as it is read in the viewer: its Markdown, with claims, quotes and links that lead on.

const CLAIM_ID = /[ \t]\^(c-[0-9a-z]{6,60})[ \t]*$/;
const STRUCK = /^~~([^]*)~~[ \t]*(?:→|->)[ \t]*([^]*)$/;
const EVIDENCE = /^["“]([^]*)["”](?:[ \t]*\(\d+(?:st|nd|rd|th)\))?[ \t]*(?:(?:—|–|--?)[ \t]*)?\[\^([^\]\s]+)\],?[ \t]*([^\n]*)$/;
const ASKED = /[ \t]*<!--[^]*$/; // the words to ask by, behind a quote
const SOURCE_NOTE = /^\[\[([^\]|#]+)(?:\|([^\]]*))?\]\](?:[ \t]*\(([^()]*)\))?(?:,[ \t]*(.*))?$/;
const PAIRS = /^\([^]*[:=][^]*\)$/;
const PLAIN_FILE = /^raw(?:\/(?!\.\.?(?:\/|$))[^/\\\x00-\x1f\x7f]+)+$/; // a path that stays in raw/
const PICTURE = /\.(?:png|jpe?g|gif|svg|webp|bmp|avif|mp4|webm|mov|mp3|pdf)$/i;

/** A link to a page within the viewer; `place` is a heading or, behind `^`, a claim on it. */
function pageLink(graph, j, text, place = "") {
  const made = make("a", {
    className: "to-page", dir: "auto", textContent: text, href: addressOf(graph, { page: j, at: place }),
  });
  made.dataset.page = j;
  return made;
}

function outLink(url, ...words) {
  return make("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, ...words);
}

/** The text of a claim on a page, as it is read; "" where it is not there. */
async function claimWords(graph, j, id) {
  const text = await graph.texts.read(j), at = text ? text.search(new RegExp(`[ \\t]\\^${id}[ \\t]*$`, "m")) : -1;
  if (at < 0) return "";
  const line = text.slice(text.lastIndexOf("\n", at) + 1, at).replace(/^\s*[-*+][ \t]+/, "");
  const struck = STRUCK.exec(line), plain = make("span");
  inline(struck ? struck[1] : line, plain, plainContext());
  return plain.textContent;
}

/** Makes text of all that would need the graph. */
function plainContext() {
  const words = ({ target, label }) => label || target.split("/").at(-1);
  return {
    notes: new Map(), references: new Map(), item: () => false, wikilink: words,
    note: () => "", address: (_, inside) => inside,
  };
}

/** What the reader makes of links, footnotes and claims on page `i`. */
function pageContext(graph, i) {
  const resolve = makeResolver(graph, i), notes = new Map(), references = new Map(), waiting = [];

  function wikilink({ target, place, label, embed }) {
    const j = target ? resolve(target) : i, shown = label || (place && !target ? place : target.split("/").at(-1));
    if (embed && PICTURE.test(target)) return make("span", { className: "picture", textContent: `picture: ${label || target}` });
    if (j < 0) return make("span", { className: "nowhere", title: "No page of this name in the graph", textContent: shown });
    const id = place.startsWith("^") ? place.slice(1) : "";
    const made = pageLink(graph, j, label ? "" : id ? graph.name[j] : shown, place);
    if (label) inline(label, made, plainContext());
    if (!id || label || !/^[\w-]{1,80}$/.test(id)) return made;
    // A link to a claim says what the claim says, once its page is unpacked.
    waiting.push(claimWords(graph, j, id).then((words) => {
      if (!words) return;
      made.textContent = words;
      if (j !== i) made.after(make("span", { className: "from", textContent: ` ${graph.name[j]}` }));
    }));
    return made;
  }

  function address(to, inside, isPicture) {
    const shown = make("span", {}, inside);
    if (isPicture) {
      shown.prepend("picture: ");
      shown.className = "picture";
    }
    if (/^(?:https?:\/\/|mailto:)/i.test(to)) return outLink(to, shown);
    if (/^[a-z][a-z0-9+.-]*:/i.test(to) || isPicture) return shown;
    let plain = to;
    try { plain = decodeURIComponent(to); } catch { /* what is no encoding is the path itself */ }
    const [path, place = ""] = plain.split("#"), j = path ? resolve(path) : i;
    const file = path.replace(/^(?:\.{0,2}\/)+/, "");
    if (j >= 0) return pageLink(graph, j, shown.textContent, place);
    return PLAIN_FILE.test(file) ? outLink(fileHref(file), shown) : shown;
  }

  /** A footnote's source: the page of it, its title, and the document. */
  function sourceOf(id) {
    const found = SOURCE_NOTE.exec(notes.get(id) || "");
    if (!found) return null;
    const path = (found[4] || "").trim();
    return {
      j: resolve(found[1]), title: found[2] || found[1].split("/").at(-1), date: found[3] || "",
      file: PLAIN_FILE.test(path) ? path : "",
    };
  }

  function note(id) {
    const source = sourceOf(id), told = notes.get(id);
    const words = plainContext(), plain = make("span");
    inline(told || "", plain, words);
    const shown = source?.j >= 0 ? pageLink(graph, source.j, source.title) : make("span", { textContent: id });
    return make("sup", { className: "note", title: plain.textContent.slice(0, 300) }, shown);
  }

  const ctx = { notes, references, waiting, wikilink, address, note, sourceOf };
  ctx.item = (lines, into, depth) => fillClaim(ctx, lines, into, depth);
  return ctx;
}

/** A quote with its source and its place there. */
function quoteOf(ctx, [, quote, id, behind]) {
  const source = ctx.sourceOf(id), place = behind.replace(ASKED, ""), words = make("blockquote", { dir: "auto" });
  words.append("“");
  inline(quote, words, plainContext());
  words.append("”");
  const title = source?.title || id, told = make("figcaption");
  told.append(source?.j >= 0 ? pageLink(ctx.graph, source.j, title) : title);
  if (source?.date) told.append(` (${source.date})`);
  const shown = place || (source?.file || "").split("/").at(-1);
  if (shown) told.append(" ", source?.file ? outLink(fileHref(source.file), shown) : shown);
  return make("figure", { className: "quote" }, words, told);
}

/** The pairs behind a claim: `(as of: 2017; scope: …; key = value)`. */
function pairsOf(ctx, line) {
  const pairs = line.slice(1, -1).split(/(?<!\\); /).map((pair) => {
    const made = make("span", { className: "pair", dir: "auto" });
    inline(pair, made, ctx);
    return made;
  });
  return make("div", { className: "pairs" }, ...pairs);
}

/** Fills a list item that is a claim; false if it is none. */
function fillClaim(ctx, lines, into, depth) {
  let last = 0;
  while (last + 1 < lines.length && lines[last + 1] && !ITEM.test(lines[last + 1])) last++;
  const head = lines.slice(0, last + 1).join("\n"), id = CLAIM_ID.exec(head);
  if (!id) return false;
  into.className = "claim";
  into.dataset.claim = id[1];
  const text = head.slice(0, id.index), struck = STRUCK.exec(text), said = make("div", { className: "said", dir: "auto" });
  if (struck) {
    into.classList.add("struck");
    const old = make("del");
    inline(struck[1], old, ctx);
    said.append(old);
    const gone = /^gone in ([0-9a-f]{8})/.exec(struck[2]), now = make("div", { className: "now", dir: "auto" });
    now.append(make("b", { textContent: gone ? "Gone" : "Updated" }), " ");
    if (gone) now.append(`its words are not in the source's version ${gone[1]}`); else inline(struck[2], now, ctx);
    into.append(said, now);
  } else {
    inline(text, said, ctx);
    into.append(said);
  }
  const rest = [];
  for (let q = last + 1; q < lines.length; q++) {
    const mark = ITEM.exec(lines[q]);
    let held = mark ? lines[q].slice(mark[0].length) : lines[q];
    while (mark && q + 1 < lines.length && lines[q + 1].startsWith("  ") && !ITEM.test(lines[q + 1].trimStart())) {
      held += `\n${lines[++q].trim()}`;
    }
    const quote = mark && EVIDENCE.exec(held);
    if (quote) into.append(quoteOf(ctx, quote));
    else if (mark && PAIRS.test(held)) into.append(pairsOf(ctx, held));
    else rest.push(lines[q]);
  }
  blocks(rest, into, ctx, depth + 1);
  return true;
}

/** The text of a page as an element that may be read; null where the file does not hold it. */
async function readPage(graph, i) {
  const text = await graph.texts.read(i);
  if (text === null) return null;
  const ctx = Object.assign(pageContext(graph, i), { graph });
  const lines = readLines(text.slice(bodyStart(text)), ctx), into = make("article", { className: "page" });
  const first = lines.findIndex((line) => !isBlank(line));
  // The title stands above, in the panel's head.
  if (first >= 0 && /^#[ \t]/.test(lines[first]) && fold(lines[first].slice(1)).trim() === fold(graph.title[i])) {
    lines.splice(0, first + 1);
  }
  blocks(lines, into, ctx);
  fillNotes(ctx, into);
  return { into, ready: Promise.all(ctx.waiting) };
}

/** The footnotes at the end of a page: its sources, and other notes. */
function fillNotes(ctx, into) {
  if (!ctx.notes.size) return;
  const rows = [...ctx.notes].map(([id, told]) => {
    const source = ctx.sourceOf(id), row = make("li", { dir: "auto" });
    if (!source) { row.append(make("b", { textContent: `${id} ` })); inline(told, row, ctx); return row; }
    row.append(source.j >= 0 ? pageLink(ctx.graph, source.j, source.title) : source.title);
    if (source.date) row.append(` (${source.date})`);
    if (source.file) row.append(" ", outLink(fileHref(source.file), source.file));
    return row;
  });
  const sources = [...ctx.notes.keys()].every((id) => ctx.sourceOf(id));
  into.append(make("h3", { textContent: sources ? "Sources" : "Footnotes" }), make("ul", { className: "notes" }, ...rows));
}

/** Brings a heading or a claim of a page that was read into sight. */
function goPlace(into, place) {
  for (const each of into.querySelectorAll(".meant")) each.classList.remove("meant");
  if (!place) return;
  const wanted = place.startsWith("^") ? place.slice(1) : fold(place.split("#").at(-1)).trim();
  const key = place.startsWith("^") ? "claim" : "heading";
  const found = [...into.querySelectorAll(`[data-${key}]`)].find((each) => each.dataset[key].trim() === wanted);
  if (!found) return;
  found.scrollIntoView({ block: "center" });
  found.classList.add("meant");
}
