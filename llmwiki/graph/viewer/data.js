// The graph as the page holds it: columns, unpacked into arrays that the rest can walk.

const KINDS = ["EXTRACTED", "MENTION", "INFERRED", "AMBIGUOUS"];
const KIND_NAMES = ["Link", "Mention", "Inferred", "Ambiguous"];
const KIND_WORDS = [
  "a link in the text", "the name stands in the text", "inferred by a model", "unsure, by a model",
];
const TYPES_TOLD = 12; // types beyond count as "other": what pages say of themselves has no bound
const SINGLE = "Pages on their own";
const UNLINKED = "(unlinked)"; // as graph/nodes_and_edges.py names pages without any edge: no community

/** What a block of the page holds: JSON, deflated and in base64. */
async function readBlock(block) {
  const text = block.textContent;
  block.remove();
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const UNSEEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]/g;

/** A text without what changes the direction of others, or cannot be seen. */
const visible = (text) => text.replace(UNSEEN, "");

/** Neighbours as one row a node: those of `i` stand at `start[i]` to `start[i + 1]`. */
function unpackRows(n, { m, from, to }) {
  const start = new Int32Array(n + 1), other = new Int32Array(2 * m), edge = new Int32Array(2 * m);
  for (let e = 0; e < m; e++) { start[from[e] + 1]++; start[to[e] + 1]++; }
  for (let i = 0; i < n; i++) start[i + 1] += start[i];
  const next = start.slice(0, n);
  for (let e = 0; e < m; e++) {
    const a = from[e], b = to[e];
    edge[next[a]] = e; other[next[a]++] = b;
    edge[next[b]] = e; other[next[b]++] = a;
  }
  return { start, other, edge };
}

/** The groups shown: communities as they come, those of one page folded into a last one. */
function unpackGroups(columns, byRank) {
  const n = columns.title.length;
  const size = new Int32Array(columns.communities.length);
  for (let i = 0; i < n; i++) size[columns.community[i]]++;
  const groups = [], place = new Int32Array(size.length).fill(-1), single = [];
  for (let c = 0; c < size.length; c++) {
    if (size[c] < 2) continue;
    place[c] = groups.length;
    groups.push({ name: columns.communities[c], members: [], colour: groups.length % 12 });
  }
  const of = new Int32Array(n);
  for (const i of byRank) {
    of[i] = place[columns.community[i]];
    if (of[i] < 0) single.push(i); else groups[of[i]].members.push(i);
  }
  for (const i of single) of[i] = groups.length;
  if (single.length) groups.push({ name: SINGLE, members: single, colour: -1 });
  return { groups, of };
}

/** Pairs of groups with edges between them: `counts[4 * p + kind]` edges of each kind. */
function unpackPairs(groups, of, { m, from, to, kind }) {
  const places = new Map(), a = [], b = [];
  let counts = [];
  for (let e = 0; e < m; e++) {
    const g = Math.min(of[from[e]], of[to[e]]), h = Math.max(of[from[e]], of[to[e]]);
    if (g === h) continue;
    const key = g * groups.length + h;
    let p = places.get(key);
    if (p === undefined) {
      places.set(key, p = a.length);
      a.push(g); b.push(h); counts.push(0, 0, 0, 0);
    }
    counts[4 * p + kind[e]]++;
  }
  return { a, b, counts };
}

/** Types by falling number of pages, those beyond `TYPES_TOLD` as one. */
function unpackTypes(columns) {
  const count = new Map();
  for (const type of columns.type) count.set(type, (count.get(type) || 0) + 1);
  const order = [...count].sort(([s, some], [t, others]) => others - some || (s < t ? -1 : 1));
  const types = order.slice(0, TYPES_TOLD).map(([name, some]) => ({ name, count: some }));
  const place = new Map(types.map(({ name }, t) => [name, t]));
  const rest = order.slice(TYPES_TOLD).reduce((sum, [, some]) => sum + some, 0);
  if (rest) types.push({ name: "other types", count: rest });
  return { types, of: Int32Array.from(columns.type, (type) => place.get(type) ?? TYPES_TOLD) };
}

/** The title of each page, and behind those that several pages have where they are. */
function unpackNames(columns, ids) {
  const count = new Map();
  for (const title of columns.title) count.set(title, (count.get(title) || 0) + 1);
  return columns.title.map((title, i) => (count.get(title) < 2 ? title : visible(`${title} (${ids[i] || `page ${i + 1}`})`)));
}

function unpack(columns) {
  const n = columns.title.length;
  const ends = {
    m: columns.kind.length, from: Int32Array.from(columns.from), to: Int32Array.from(columns.to),
    kind: Uint8Array.from(columns.kind),
  };
  const rows = unpackRows(n, ends);
  const byRank = Int32Array.from(columns.title, (_, i) => i);
  byRank.sort((i, j) => columns.rank[j] - columns.rank[i] || i - j);
  const { groups, of: groupOf } = unpackGroups(columns, byRank);
  const { types, of: typeOf } = unpackTypes(columns);
  // The file of each page, "" where none may be named; and its path below wiki/ or the root, without `.md`.
  const files = columns.path.map((path, i) => (path.endsWith("/") ? `${path}${columns.title[i]}.md` : path));
  const ids = files.map((file) => (file ? file.replace(/^wiki\//, "").slice(0, -3) : null));
  const aliases = new Map(columns.aliases);
  return {
    n, ...ends, ...rows, byRank, groups, groupOf, types, typeOf,
    pairs: unpackPairs(groups, groupOf, ends),
    title: columns.title, name: unpackNames(columns, ids), id: ids, pages: columns.pages,
    aliasesOf: (i) => aliases.get(i) || [],
    description: columns.description, rank: columns.rank,
    claimCount: columns.claimCount,
    typeName: (i) => columns.type[i], tagsOf: (i) => columns.tags[i],
    degree: (i) => rows.start[i + 1] - rows.start[i],
    weight: new Map(columns.weight), why: new Map(columns.why),
    /** Where a page's file is, seen from graph/; null where none may be named. */
    href: (i) => (files[i] ? fileHref(files[i]) : null),
  };
}

/** The address of a file of the wiki, seen from graph/. */
function fileHref(path) {
  return "../" + path.split("/").map(encodeURIComponent).join("/");
}
