// A page as the file holds it: HTML that was made and cleaned when the file was written; and why
// two pages are joined: the parts of both that link to or name the other.

const REASONS = 12; // parts that are told of each page
const BLOCKS = "p, li, td, th, h2, h3, h4, h5, h6";
/** The only way from text to markup: what the program that wrote this file has cleaned. */
const PAGES = window.trustedTypes?.createPolicy("pages", { createHTML: (html) => html })
  || { createHTML: (html) => html };

/** A page as an element; null where the file does not hold it. */
function readPage(graph, i) {
  const html = graph.pages[i] ?? null;
  if (html === null) return null;
  const into = make("article", { className: "page", innerHTML: PAGES.createHTML(html) });
  for (const link of into.querySelectorAll("a:not([href^='#'])")) link.target = "_blank";
  return into;
}

/** Brings a heading or a claim of a page that was read into sight. */
function goPlace(into, place) {
  for (const each of into.querySelectorAll(".meant")) each.classList.remove("meant");
  const found = place && into.querySelector(`#${CSS.escape(place.replace(/^\^/, ""))}`);
  if (!found) return;
  found.scrollIntoView({ block: "center" });
  found.classList.add("meant");
}

/** A link to a page within the viewer. */
function pageLink(graph, i) {
  return make("a", { dir: "auto", textContent: graph.name[i], href: addressOf(graph, { page: i }) });
}

/** The parts of page `i` that link to `j`: claims whole, of all else the paragraph. */
function linksOn(graph, into, j) {
  const to = addressOf(graph, { page: j }), found = new Set();
  for (const link of into.querySelectorAll("a")) {
    const href = link.getAttribute("href") || "";
    if (href !== to && !href.startsWith(`${to}&`)) continue;
    link.classList.add("hit");
    found.add(link.closest("li.claim") || link.closest(BLOCKS) || into);
  }
  return [...found];
}

/** The paragraphs of a page in which the name of `j` stands. */
function namesOn(graph, into, j) {
  const plain = (text) => ` ${wordsOf(fold(text)).join(" ")} `, names = [graph.title[j], ...graph.aliasesOf(j)].map(plain);
  const holds = (block) => names.some((name) => name.trim() && plain(block.textContent).includes(name));
  return [...into.querySelectorAll(BLOCKS)].filter((block) => !block.querySelector(BLOCKS) && holds(block));
}

/** Fills the panel with what joins the two pages of an edge. */
function fillWhy(app, e) {
  const { graph } = app, ends = [graph.from[e], graph.to[e]], kind = graph.kind[e];
  const sure = graph.weight.has(e) && kind > 1 ? `, ${Math.round(100 * graph.weight.get(e))} % sure` : "";
  const [one, other] = ends.map((i) => pageLink(graph, i));
  const body = make("section", { className: "why-list" });
  showPanel(app, [panelHead(app, make("h2", { id: "panel-title", tabIndex: -1 }, one, " — ", other)),
    make("p", { className: "lead" }, make("b", { textContent: KIND_NAMES[kind] }), `: ${KIND_WORDS[kind]}${sure}`), body]);
  if (graph.why.has(e)) body.append(make("p", { className: "page text", dir: "auto", textContent: graph.why.get(e) }));
  if (kind > 1) return;
  const read = ends.map((i) => readPage(graph, i));
  ends.forEach((i, q) => {
    const told = read[q] ? (kind ? namesOn : linksOn)(graph, read[q], ends[1 - q]) : [];
    if (!told.length) return;
    const rows = told.slice(0, REASONS).map((part) => make("li", {}, ...(part.matches("li, tr, td, th") ? part.childNodes : [part])));
    if (told.length > REASONS) rows.push(make("li", { className: "more", textContent: `+${number(told.length - REASONS)} more on the page` }));
    body.append(make("h3", {}, "On ", pageLink(graph, i)), make("ul", { className: "reasons page" }, ...rows));
  });
  if (body.childNodes.length) return;
  const text = read.includes(null) ? "This file does not hold the text of these pages."
    : "The words stand where this view does not look: in the source itself, in properties or in code.";
  body.append(make("p", { className: "quiet", textContent: text }));
}
