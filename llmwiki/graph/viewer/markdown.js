// Markdown as elements. What a page says becomes text and elements made here, never markup.
// `ctx` makes what needs the graph: wikilinks, addresses, footnotes, items of lists that are claims.

const DEEPEST_TEXT = 12; // quotes, lists and emphasis within each other; what is deeper is plain
const MOST = 1000; // elements of one paragraph, and cells of one row: browsers take long over more
const LONGEST = 2000; // characters of a link or an address

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?=[ \t]|$)[ \t]*/;
const QUOTED = /^ {0,3}> ?/;
const CALLOUT = /^\[!([\w-]{1,40})\]([-+]?)[ \t]*/;
const NOTE = /^ {0,3}\[\^([^\]\s]{1,200})\]:[ \t]*/;
const REFERENCE = /^ {0,3}\[([^\]^[][^\][]{0,200})\]:[ \t]*(\S+)/;
const COLUMNS = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const SPECIAL = /\\[!-/:-@[-`{-~\n]|`+|!?\[\[|!?\[|\*{1,3}|_{1,3}|~~|==|<|https?:\/\/|%%|\$\$?|&|\n/g;
const ENTITIES = {
  amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'", nbsp: "\u00a0", ndash: "–", mdash: "—",
  hellip: "…", rarr: "→", larr: "←", times: "×", copy: "©", bull: "•", middot: "·",
};

const isBlank = (line) => !line.trim();
const startsBlock = (line) => FENCE.test(line) || HEADING.test(line) || RULE.test(line)
  || QUOTED.test(line) || /^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/.test(line);

/** Tabs before a line's first word as blanks. */
function detab(line) {
  if (!line.includes("\t")) return line;
  return line.replace(/^[ \t]+/, (lead) => {
    let wide = 0;
    for (const char of lead) wide += char === "\t" ? 4 - (wide % 4) : 1;
    return " ".repeat(Math.min(wide, 200));
  });
}

/** The lines of a text, its footnotes and references taken out of them into `ctx`. */
function readLines(text, ctx) {
  const kept = [];
  let fence = "", note = null;
  for (const raw of text.split(/\r?\n/)) {
    const line = detab(raw), mark = FENCE.exec(line);
    if (mark && !fence) fence = mark[1];
    else if (mark && mark[1].startsWith(fence)) fence = "";
    const begun = fence ? null : NOTE.exec(line);
    const reference = fence || begun ? null : REFERENCE.exec(line);
    if (begun) ctx.notes.set(note = begun[1], line.slice(begun[0].length));
    else if (note !== null && line.startsWith("    ")) {
      ctx.notes.set(note, `${ctx.notes.get(note)} ${line.trim()}`);
    } else {
      if (!isBlank(line)) note = null;
      if (reference) ctx.references.set(fold(reference[1]), reference[2]);
      else kept.push(line);
    }
  }
  return kept;
}

// ---- blocks: each reader gives the line behind what it read, or where it began if it is nothing

function readFence(lines, at, into) {
  const mark = FENCE.exec(lines[at]);
  if (!mark) return at;
  const held = [];
  let q = at + 1;
  for (; q < lines.length; q++) {
    const closing = FENCE.exec(lines[q]);
    if (closing && closing[1].startsWith(mark[1]) && !lines[q].slice(closing[0].length).trim()) break;
    held.push(lines[q]);
  }
  into.append(make("pre", {}, make("code", { textContent: held.join("\n") })));
  return q + 1;
}

function readIndented(lines, at, into) {
  if (!lines[at].startsWith("    ")) return at;
  const held = [];
  let q = at;
  for (; q < lines.length && (isBlank(lines[q]) || lines[q].startsWith("    ")); q++) held.push(lines[q].slice(4));
  into.append(make("pre", {}, make("code", { textContent: held.join("\n").trimEnd() })));
  return q;
}

function readHeading(lines, at, into, ctx) {
  const mark = HEADING.exec(lines[at]);
  if (!mark) return at;
  let text = lines[at].slice(mark[0].length).trim(), end = text.length;
  while (text[end - 1] === "#") end--;
  if (end < text.length && (!end || text[end - 1] === " ")) text = text.slice(0, end).trim();
  // The page's title is the panel's heading, so those of the text begin one deeper.
  const made = make(`h${Math.min(6, Math.max(3, mark[1].length + 1))}`, { dir: "auto" });
  inline(text.replace(/ \^[\w-]+$/, ""), made, ctx);
  made.dataset.heading = fold(made.textContent);
  into.append(made);
  return at + 1;
}

function readRule(lines, at, into) {
  if (!RULE.test(lines[at])) return at;
  into.append(make("hr"));
  return at + 1;
}

/** A quote, or a callout: `> [!warning]- Title`, folded where a sign follows the bracket. */
function readQuote(lines, at, into, ctx, depth) {
  if (!QUOTED.test(lines[at])) return at;
  const inside = [];
  let q = at;
  for (; q < lines.length; q++) {
    if (QUOTED.test(lines[q])) inside.push(detab(lines[q].replace(QUOTED, "")));
    else if (!isBlank(lines[q]) && !isBlank(inside.at(-1)) && !startsBlock(lines[q])) inside.push(lines[q]);
    else break;
  }
  const called = CALLOUT.exec(inside[0]);
  if (!called) {
    const made = make("blockquote", { dir: "auto" });
    blocks(inside, made, ctx, depth + 1);
    into.append(made);
    return q;
  }
  const kind = called[1].toLowerCase(), told = inside[0].slice(called[0].length).trim();
  const made = make(called[2] ? "details" : "div", { className: "callout", data: { "data-kind": kind } });
  if (called[2] === "+") made.open = true;
  const name = make(called[2] ? "summary" : "p", { className: "callout-title", dir: "auto" });
  inline(told || kind[0].toUpperCase() + kind.slice(1), name, ctx);
  made.append(name);
  blocks(inside.slice(1), made, ctx, depth + 1);
  into.append(made);
  return q;
}

function cellsOf(row) {
  const cells = [""];
  const plain = row.trim().replace(/^\|/, "");
  for (let q = 0; q < plain.length && cells.length < MOST / 10; q++) {
    if (plain[q] === "\\" && plain[q + 1] === "|") { cells[cells.length - 1] += "|"; q++; }
    else if (plain[q] === "|") cells.push("");
    else cells[cells.length - 1] += plain[q];
  }
  if (cells.length > 1 && isBlank(cells.at(-1))) cells.pop();
  return cells.map((cell) => cell.trim());
}

function readTable(lines, at, into, ctx) {
  const second = lines[at + 1];
  if (second === undefined || !lines[at].includes("|") || !COLUMNS.test(second)) return at;
  const heads = cellsOf(lines[at]), line = (cells, tag) => make("tr", {}, ...heads.map((_, c) => {
    const made = make(tag, { dir: "auto" });
    inline(cells[c] || "", made, ctx);
    return made;
  }));
  const body = make("tbody");
  let q = at + 2;
  for (; q < lines.length && lines[q].includes("|"); q++) body.append(line(cellsOf(lines[q]), "td"));
  const table = make("table", {}, make("thead", {}, line(heads, "th")), body);
  into.append(make("div", { className: "wide" }, table));
  return q;
}

/** The lines of one item from `at` on, without its sign and indent, and the line behind it. */
function readItem(lines, at, mark) {
  const rest = lines[at].slice(mark[0].length), sign = mark[1].length + mark[2].length;
  const indent = !rest || mark[0].length - sign > 4 ? sign + 1 : mark[0].length;
  const inside = [lines[at].slice(indent)];
  let q = at + 1, blank = false;
  for (; q < lines.length; q++) {
    const line = lines[q], lead = line.length - line.trimStart().length;
    if (isBlank(line)) { blank = true; inside.push(""); continue; }
    if (lead >= indent) inside.push(detab(line.slice(indent)));
    else if (!blank && !startsBlock(line)) inside.push(line.trimStart());
    else break;
    blank = false;
  }
  let left = inside.length;
  while (left && isBlank(inside[left - 1])) left--;
  return { inside: inside.slice(0, left), end: q, gap: left < inside.length };
}

function readList(lines, at, into, ctx, depth) {
  const first = ITEM.exec(lines[at]);
  if (!first) return at;
  const kind = first[2].at(-1), ordered = /\d/.test(first[2]);
  const made = make(ordered ? "ol" : "ul");
  if (ordered) made.start = Number.parseInt(first[2], 10);
  let q = at, gap = false, loose = false;
  for (let mark = first; mark && mark[2].at(-1) === kind && !RULE.test(lines[q]);) {
    const item = readItem(lines, q, mark);
    loose ||= gap || item.inside.some((line, k) => k && isBlank(line));
    gap = item.gap; q = item.end;
    const one = make("li", { dir: "auto" });
    if (!ctx.item(item.inside, one, depth)) fillItem(item.inside, one, ctx, depth);
    made.append(one);
    mark = q < lines.length ? ITEM.exec(lines[q]) : null;
  }
  if (!loose) {
    for (const each of made.querySelectorAll(":scope > li > p")) each.replaceWith(...each.childNodes);
  }
  into.append(made);
  return q;
}

function fillItem(inside, one, ctx, depth) {
  const task = /^\[([ xX])\][ \t]/.exec(inside[0] || "");
  if (task) {
    inside = [inside[0].slice(task[0].length), ...inside.slice(1)];
    one.className = "task";
    one.append(make("input", { type: "checkbox", disabled: true, checked: task[1] !== " " }));
  }
  blocks(inside, one, ctx, depth + 1);
}

/** Comments, which are not shown: `<!-- … -->` and `%% … %%` over whole lines. */
function readHidden(lines, at) {
  const line = lines[at].trimStart();
  const closing = line.startsWith("<!--") ? "-->" : line.startsWith("%%") ? "%%" : "";
  if (!closing) return at;
  if (line.includes(closing, 2)) return line.trimEnd().endsWith(closing) ? at + 1 : at;
  let q = at + 1;
  while (q < lines.length && !lines[q].includes(closing)) q++;
  return q + 1;
}

function readParagraph(lines, at, into, ctx) {
  let q = at + 1;
  while (q < lines.length && !isBlank(lines[q]) && !startsBlock(lines[q]) && !/^ {0,3}=+[ \t]*$/.test(lines[q])) q++;
  const under = q < lines.length && /^ {0,3}(?:=+|-+)[ \t]*$/.test(lines[q]);
  const text = lines.slice(at, q).map((line) => line.trimStart()).join("\n");
  const made = make(under ? "h3" : "p", { dir: "auto" });
  inline(text.replace(/ \^[\w-]{1,80}$/, ""), made, ctx);
  into.append(made);
  return under ? q + 1 : q;
}

const READERS = [readHidden, readFence, readIndented, readHeading, readRule, readQuote, readTable, readList];

/** Appends what the lines say to `into`. */
function blocks(lines, into, ctx, depth = 0) {
  if (depth > DEEPEST_TEXT) { into.append(lines.join("\n")); return; }
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at])) { at++; continue; }
    let end = at;
    for (const read of READERS) {
      end = read(lines, at, into, ctx, depth);
      if (end > at) break;
    }
    at = end > at ? end : readParagraph(lines, at, into, ctx);
  }
}

// ---- within a line: each reader gives [what it made, where it ends], or null if it is only text

/** Where `mark` closes what it opened before `from`, or -1; a mark known not to close is not sought. */
function closingOf(text, mark, from, dead) {
  if (dead.has(mark)) return -1;
  const char = mark[0];
  for (let at = text.indexOf(mark, from), tries = 0; at >= 0 && tries < 40; at = text.indexOf(mark, at + 1), tries++) {
    let end = at + mark.length;
    if (char === "`" || mark.length === 1) {
      if (text[at - 1] === char || text[end] === char) {
        while (text[end] === char) end++;
        at = end - 1;
        continue;
      }
    }
    if (char === "`") return at;
    if (at === from || /\s/.test(text[at - 1]) || text[at - 1] === "\\") continue;
    if (char === "_" && /[\p{L}\p{N}]/u.test(text[end] || " ")) continue;
    return at;
  }
  dead.add(mark);
  return -1;
}

function readCode(text, from, mark, dead) {
  const end = closingOf(text, mark, from + mark.length, dead);
  if (end < 0) return null;
  const held = text.slice(from + mark.length, end);
  const bare = held.length > 2 && held[0] === " " && held.at(-1) === " " ? held.slice(1, -1) : held;
  return [make("code", { textContent: bare }), end + mark.length];
}

const EMPHASIS = { "*": "em", _: "em", "**": "strong", __: "strong", "***": "strong", ___: "strong", "~~": "del", "==": "mark" };

function readEmphasis(text, from, mark, ctx, depth, dead) {
  const begin = from + mark.length;
  if (/\s|^$/.test(text[begin] || "")) return null;
  if (mark[0] === "_" && from && /[\p{L}\p{N}]/u.test(text[from - 1])) return null;
  const end = closingOf(text, mark, begin, dead);
  if (end < 0) return null;
  const made = make(EMPHASIS[mark]);
  inline(text.slice(begin, end), made, ctx, depth + 1);
  return [mark.length === 3 ? make("em", {}, made) : made, end + mark.length];
}

function readWikilink(text, from, mark, ctx) {
  const begin = from + mark.length, end = text.indexOf("]]", begin);
  const inside = end < 0 || end - begin > LONGEST ? "" : text.slice(begin, end);
  if (!inside.trim() || /[[\]\n]/.test(inside)) return null;
  const bar = inside.indexOf("|");
  const to = (bar < 0 ? inside : inside.slice(0, bar)).replace(/\\$/, "");
  const label = bar < 0 ? "" : inside.slice(bar + 1).trim();
  const hash = to.indexOf("#"), place = hash < 0 ? "" : to.slice(hash + 1).trim();
  const target = (hash < 0 ? to : to.slice(0, hash)).trim();
  const made = ctx.wikilink({ target, place, label: label.replace(/\\(.)/g, "$1"), embed: mark[0] === "!" });
  return [made, end + 2];
}

/** The bracket that closes the one before `from`, or -1. */
function bracketEnd(text, from, open, close) {
  const most = Math.min(text.length, from + LONGEST);
  for (let q = from, deep = 1; q < most; q++) {
    if (text[q] === "\\") q++;
    else if (text[q] === open) deep++;
    else if (text[q] === close && --deep === 0) return q;
  }
  return -1;
}

function readLink(text, from, mark, ctx, depth) {
  const begin = from + mark.length;
  if (text[begin] === "^") {
    const found = /^\^([^\]\s]{1,200})\]/.exec(text.slice(begin, begin + 210));
    return found && [ctx.note(found[1]), begin + found[0].length];
  }
  const end = bracketEnd(text, begin, "[", "]");
  if (end < 0) return null;
  let to, behind = end + 1;
  if (text[behind] === "(") {
    const close = bracketEnd(text, behind + 1, "(", ")");
    if (close < 0) return null;
    to = text.slice(behind + 1, close).trim().replace(/\s+["'(][^"')]*["')]$/, "").replace(/^<(.*)>$/, "$1");
    behind = close + 1;
  } else {
    const named = text[behind] === "[" ? text.indexOf("]", behind) : -1;
    const name = named > behind + 1 ? text.slice(behind + 1, named) : text.slice(begin, end);
    to = ctx.references.get(fold(name));
    if (to === undefined) return null;
    if (named > 0) behind = named + 1;
  }
  const words = document.createDocumentFragment();
  inline(text.slice(begin, end), words, ctx, depth + 1);
  return [ctx.address(to, words, mark[0] === "!"), behind];
}

const DROPPED = /^(?:b|i|u|em|strong|small|sup|sub|span|div|p|center|font|a|mark|kbd|details|summary|ul|ol|li)$/i;

function readAngle(text, from, ctx) {
  const near = text.slice(from, from + LONGEST);
  if (near.startsWith("<!--")) {
    const end = text.indexOf("-->", from + 4);
    return end < 0 ? null : [null, end + 3];
  }
  const address = /^<((?:https?:\/\/|mailto:)[^\s<>]+)>/.exec(near);
  if (address) return [ctx.address(address[1], address[1]), from + address[0].length];
  const tag = /^<(\/?)([a-zA-Z][a-zA-Z0-9]{0,20})(?:\s[^<>]*)?\/?>/.exec(near);
  if (!tag) return null;
  const end = from + tag[0].length;
  if (/^br$/i.test(tag[2])) return [make("br"), end];
  return DROPPED.test(tag[2]) ? [null, end] : null;
}

function readMaths(text, from, mark) {
  const begin = from + mark.length, end = text.indexOf(mark, begin);
  if (end <= begin || end - begin > LONGEST) return null;
  const inside = text.slice(begin, end);
  if (mark === "$" && (/^\s|\s$/.test(inside) || /\d/.test(text[end + 1] || ""))) return null;
  return [make("code", { className: "maths", textContent: inside.trim() }), end + mark.length];
}

function readEntity(text, from) {
  const found = /^&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/.exec(text.slice(from, from + 12));
  if (!found) return null;
  const code = found[1] ? Number(found[1]) : found[2] ? Number.parseInt(found[2], 16) : -1;
  const char = found[3] ? (Object.hasOwn(ENTITIES, found[3]) ? ENTITIES[found[3]] : "")
    : code > 31 && code < 0x110000 && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "";
  return char ? [char, from + found[0].length] : null;
}

function readSpan(text, from, mark, ctx, depth, dead) {
  const char = mark[0];
  if (mark === "\n") return [text.slice(from - 2, from) === "  " ? make("br") : "\n", from + 1];
  if (char === "\\") return [mark[1] === "\n" ? make("br") : mark[1], from + 2];
  if (char === "`") return readCode(text, from, mark, dead);
  if (mark.endsWith("[[")) return readWikilink(text, from, mark, ctx);
  if (mark.endsWith("[")) return readLink(text, from, mark, ctx, depth);
  if (char === "<") return readAngle(text, from, ctx);
  if (char === "&") return readEntity(text, from);
  if (char === "$") return readMaths(text, from, mark);
  if (char === "h") {
    const url = /^https?:\/\/[^\s<>"'`\]]+/.exec(text.slice(from, from + LONGEST))?.[0].replace(/[.,;:!?)*_~]+$/, "");
    return url && url.length > 8 ? [ctx.address(url, url), from + url.length] : null;
  }
  if (mark === "%%") {
    const end = text.indexOf("%%", from + 2);
    return end < 0 ? null : [null, end + 2];
  }
  return readEmphasis(text, from, mark, ctx, depth, dead);
}

/** Appends one paragraph's text to `into`. */
function inline(text, into, ctx, depth = 0) {
  const dead = new Set();
  let done = 0, at = 0, count = 0;
  while (depth <= DEEPEST_TEXT && count < MOST) {
    SPECIAL.lastIndex = at;
    const found = SPECIAL.exec(text);
    if (!found) break;
    const from = found.index, made = readSpan(text, from, found[0], ctx, depth, dead);
    at = made ? made[1] : from + found[0].length;
    if (!made) continue;
    if (from > done) into.append(text.slice(done, from));
    if (made[0] !== null) into.append(made[0]);
    if (typeof made[0] !== "string") count++;
    done = at;
  }
  if (done < text.length) into.append(text.slice(done));
}
