// Why two pages are joined: the lines of both that link to or name the other, as they stand there.

const REASONS = 12; // lines that are told of each page
const LINE_CUT = 600; // characters of a line that are told

const isTo = (into, j) => [...into.querySelectorAll("a.to-page")].filter((a) => a.dataset.page === String(j));

/** The lines of a page's body as { line, section, quote }, code left out. */
function* proseLines(lines) {
  let fence = "", section = "";
  for (const line of lines) {
    const mark = FENCE.exec(line);
    if (mark) fence = fence ? (mark[1].startsWith(fence) ? "" : fence) : mark[1];
    if (mark || fence) continue;
    const heading = HEADING.exec(line);
    if (heading && heading[1].length > 1) section = line.slice(heading[0].length).trim();
    if (!isBlank(line)) yield { line, section };
  }
}

/** What a line is, in words. */
function kindOfLine(section, hasClaim) {
  if (hasClaim) return "Claim";
  if (section === "Related" || section === "Relations") return "Relation";
  return section ? `In “${section}”` : "In the text";
}

/** The reasons that page `i` gives for its edge to `j`: [what it is, element]. */
async function reasonsOn(graph, i, j) {
  const text = await graph.texts.read(i);
  if (text === null) return null;
  const ctx = Object.assign(pageContext(graph, i), { graph }), found = [], quotes = [];
  const lines = readLines(text.slice(bodyStart(text)), ctx);
  const cited = new Set([...ctx.notes.keys()].filter((id) => ctx.sourceOf(id)?.j === j));
  let claim = "";
  for (const { line, section } of proseLines(lines)) {
    const mark = ITEM.exec(line.trimStart()), held = line.trimStart().slice(mark ? mark[0].length : 0);
    const id = CLAIM_ID.exec(held), quote = id ? null : EVIDENCE.exec(held);
    if (id) claim = held.slice(0, id.index);
    if (id && [...cited].some((source) => claim.includes(`[^${source}]`))) quotes.push([claim, null]);
    if (quote) {
      if (cited.has(quote[2])) quotes.push([claim, quote]);
      continue;
    }
    if (!/\[\[|\]\(/.test(held)) continue;
    const told = make("p", { dir: "auto" });
    if (mark && PAIRS.test(held)) {
      inline(claim, told, ctx);
      told.append(pairsOf(ctx, held));
    } else inline(held.slice(0, id ? Math.min(id.index, LINE_CUT) : LINE_CUT).replace(QUOTED, ""), told, ctx);
    for (const link of isTo(told, j)) link.classList.add("hit");
    if (told.querySelector("a.hit")) found.push([kindOfLine(section, id !== null || PAIRS.test(held)), told]);
  }
  for (const [said, quote] of quotes) {
    const told = make("div"), words = make("p", { dir: "auto" });
    inline(said, words, ctx);
    told.append(words, ...(quote ? [quoteOf(ctx, quote)] : [])); // a claim may be its quote
    found.push(["A claim quotes it", told]);
  }
  if (!found.length && cited.size) found.push(["A footnote names it", make("p", { textContent: graph.name[j] })]);
  await Promise.all(ctx.waiting);
  return found;
}

/** Where page `i` names `j` without a link: [what it is, element], the name marked. */
async function namesOn(graph, i, j) {
  const text = await graph.texts.read(i);
  if (text === null) return null;
  const parts = [graph.title[j], ...graph.aliasesOf(j)].map((name) => wordsOf(name)).filter((words) => words.length);
  const name = new RegExp(`(?<![\\p{L}\\p{N}])(?:${parts.map((words) => words.join("[^\\p{L}\\p{N}]+")).join("|")})(?![\\p{L}\\p{N}])`, "iu");
  const found = [], plain = plainContext();
  for (const { line } of proseLines(readLines(text.slice(bodyStart(text)), plain))) {
    const shown = make("span"), mark = ITEM.exec(line.trimStart());
    inline(line.trimStart().slice(mark ? mark[0].length : 0).replace(CLAIM_ID, "").slice(0, 4 * LINE_CUT), shown, plain);
    const words = shown.textContent, at = parts.length ? name.exec(words) : null;
    if (!at) continue;
    const from = Math.max(0, at.index - 160), end = at.index + at[0].length;
    found.push(["Named in the text", make("p", { dir: "auto" }, (from ? "…" : "") + words.slice(from, at.index),
      make("mark", { textContent: at[0] }), words.slice(end, end + 200) + (words.length > end + 200 ? "…" : ""))]);
  }
  return found;
}

/** What one page says of the other, under its name. */
function reasonList(graph, i, reasons) {
  if (!reasons.length) return [];
  const rows = reasons.slice(0, REASONS).map(([kind, told]) =>
    make("li", {}, make("b", { className: "reason", textContent: kind }), told));
  const more = reasons.length - rows.length;
  if (more) rows.push(make("li", { className: "more", textContent: `+${number(more)} more on the page` }));
  return [make("h3", {}, "On ", pageLink(graph, i, graph.name[i])), make("ul", { className: "reasons page" }, ...rows)];
}

/** Fills the panel with what joins the two pages of an edge. */
async function fillWhy(app, e) {
  const { graph } = app, a = graph.from[e], b = graph.to[e], kind = graph.kind[e];
  const sure = graph.weight.has(e) && kind > 1 ? `, ${Math.round(100 * graph.weight.get(e))} % sure` : "";
  const name = make("h2", { id: "panel-title", tabIndex: -1 }, pageLink(graph, a, graph.name[a]), " — ", pageLink(graph, b, graph.name[b]));
  const body = make("section", { className: "why-list" });
  showPanel(app, [panelHead(app, name),
    make("p", { className: "lead" }, make("b", { textContent: KIND_NAMES[kind] }), `: ${KIND_WORDS[kind]}${sure}`), body]);
  if (graph.why.has(e)) body.append(make("p", { className: "page text", dir: "auto", textContent: graph.why.get(e) }));
  if (kind > 1) return;
  const told = await Promise.all([[a, b], [b, a]].map(([i, j]) => (kind ? namesOn : reasonsOn)(graph, i, j)));
  body.append(...[a, b].flatMap((i, q) => reasonList(graph, i, told[q] || [])));
  if (!body.childNodes.length) {
    const text = told.includes(null) ? "This file does not hold the text of these pages." : "The words stand where this view does not look: in the source itself, in properties or in code.";
    body.append(make("p", { className: "quiet", textContent: text }));
  }
}
