"use strict";
// Everything here is an addition: without it each view is whole, and each link leads somewhere.

const at = document.body.dataset.at;

// --- search while one types ---

for (const input of document.querySelectorAll("input[data-live]")) {
  const found = document.getElementById("found");
  const form = input.form;
  let waiting = 0;
  let under = null;
  const look = async () => {
    under?.abort();
    under = new AbortController();
    const words = input.value.trim();
    if (!words) { found.replaceChildren(); return; }
    const query = new URLSearchParams(new FormData(form));
    try {
      const answer = await fetch(`/search?${query}`, { signal: under.signal });
      if (!answer.ok) return;
      const view = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = view.getElementById("found");
      if (fresh) found.replaceChildren(...fresh.childNodes);
      if (location.pathname === "/search") history.replaceState(null, "", `/search?${query}`);
    } catch (error) {
      if (error.name !== "AbortError") found.replaceChildren();
    }
  };
  form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(look, 120); });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    found.querySelector("a")?.focus();
    event.preventDefault();
  });
  found.addEventListener("keydown", (event) => {
    const links = [...found.querySelectorAll("a.page")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const place = links.indexOf(document.activeElement);
    if (!step || place < 0) return;
    (links[place + step] ?? (step < 0 ? input : links[place])).focus();
    event.preventDefault();
  });
}

// --- keys ---

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, select, textarea");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    (document.querySelector("[data-first], [data-live]") ?? document.querySelector(".find input")).focus();
    event.preventDefault();
  }
  if (event.key === "Escape") hide();
});

// --- what stands behind a link ---

const card = document.createElement("div");
card.id = "preview";
card.role = "tooltip";
card.hidden = true;
document.body.append(card);
const known = new Map();
let timer = 0;
let link = null;

function hide() {
  clearTimeout(timer);
  link?.removeAttribute("aria-describedby");
  link = null;
  card.hidden = true;
}

async function told(path) {
  if (!known.has(path)) {
    const answer = await fetch(`/preview${path}${at ? `?at=${encodeURIComponent(at)}` : ""}`);
    known.set(path, answer.ok ? await answer.json() : null);
  }
  return known.get(path);
}

async function show(from) {
  const said = await told(from.pathname).catch(() => null);
  if (!said || link !== from) return;
  const title = document.createElement("b");
  title.textContent = said.title;
  const text = document.createElement("p");
  text.textContent = said.text || "Nothing is said of it yet.";
  card.replaceChildren(title, text);
  card.dir = "auto";
  card.hidden = false;
  const box = from.getBoundingClientRect();
  const below = box.bottom + card.offsetHeight + 12 < innerHeight || box.top < card.offsetHeight + 80;
  card.style.left = `${Math.max(16, Math.min(box.left, innerWidth - card.offsetWidth - 16)) + scrollX}px`;
  card.style.top = `${(below ? box.bottom + 6 : box.top - card.offsetHeight - 6) + scrollY}px`;
  from.setAttribute("aria-describedby", "preview");
}

function point(event) {
  const from = event.target.closest?.("a.page");
  if (!from || !from.pathname.startsWith("/wiki/") || from === link) return;
  hide();
  link = from;
  timer = setTimeout(show, 220, from);
}
document.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") point(event); });
document.addEventListener("focusin", (event) => { if (event.target.matches(":focus-visible")) point(event); });
document.addEventListener("pointerout", (event) => { if (link && event.target.closest("a") === link) hide(); });
document.addEventListener("focusout", hide);

// --- quotes: a claim that is led to shows them, and one button shows all ---

function unfold() {
  const place = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const quotes = place && place.matches(".claim") && place.querySelector("details.quotes");
  if (quotes) { quotes.open = true; place.scrollIntoView(); }
}
addEventListener("hashchange", unfold);
unfold();

const all = document.getElementById("unfold");
if (all) {
  all.hidden = false;
  all.addEventListener("click", () => {
    const quotes = [...document.querySelectorAll("details.quotes")];
    const open = !quotes.every((each) => each.open);
    for (const each of quotes) each.open = open;
    all.textContent = open ? "Fold quotes" : "Unfold quotes";
  });
}

// --- the past: a slider in place of a list of commits ---

for (const form of document.querySelectorAll("form[data-slider]")) {
  const list = form.querySelector("select");
  const range = document.createElement("input");
  const told = document.createElement("output");
  range.type = "range";
  range.min = 0;
  range.max = list.length - 1;
  range.value = list.length - 1 - list.selectedIndex;
  range.setAttribute("aria-label", "Commit");
  const tell = () => {
    list.selectedIndex = list.length - 1 - range.value;
    told.textContent = list.options[list.selectedIndex].text;
    range.setAttribute("aria-valuetext", told.textContent);
  };
  range.addEventListener("input", tell);
  range.addEventListener("change", () => form.requestSubmit());
  tell();
  list.hidden = true;
  list.after(told, range);
  form.querySelector("button").hidden = true;
}
