// The graph as the page holds it: columns, unpacked into arrays that the rest can walk.

const KINDS = ["EXTRACTED", "MENTION", "INFERRED", "AMBIGUOUS"];
const KIND_NAMES = ["Link", "Mention", "Inferred", "Ambiguous"];
const KIND_WORDS = [
  "a link in the text", "the name stands in the text", "inferred by a model", "unsure, by a model",
];
const TYPES_TOLD = 12; // types beyond count as "other": what pages say of themselves has no bound
const SINGLE = "Pages on their own";
const UNLINKED = "(unlinked)"; // as graph/model.py names pages without any edge: no community

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

/** The pages of the file, unpacked part by part; `firsts` holds the first page of each part. */
function makePages(firsts) {
  const blocks = [...document.querySelectorAll("script.part")], parts = [];
  return {
    /** The HTML of a page; null where the file does not hold it. */
    async read(i) {
      const part = firsts.findLastIndex((first) => first <= i);
      if (part < 0) return null;
      parts[part] ||= readBlock(blocks[part]);
      return (await parts[part])[i - firsts[part]];
    },
  };
}

/** Ends of all edges, each pair as differences to the one before. */
function unpackEnds(columns) {
  const m = columns.kind.length;
  const from = new Int32Array(m), to = new Int32Array(m), kind = new Uint8Array(m);
  let source = 0, target = 0;
  for (let e = 0; e < m; e++) {
    if (columns.from[e]) { source += columns.from[e]; target = 0; }
    target += columns.to[e];
    from[e] = source; to[e] = target; kind[e] = columns.kind.charCodeAt(e) - 48;
  }
  return { m, from, to, kind };
}

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
  const count = new Array(columns.types.length).fill(0);
  for (const t of columns.type) count[t]++;
  const order = count.map((_, t) => t).sort((s, t) => count[t] - count[s] || s - t);
  const told = order.slice(0, TYPES_TOLD), place = new Int32Array(order.length).fill(told.length);
  told.forEach((t, i) => { place[t] = i; });
  const types = told.map((t) => ({ name: columns.types[t], count: count[t] }));
  const rest = order.slice(TYPES_TOLD).reduce((sum, t) => sum + count[t], 0);
  if (rest) types.push({ name: "other types", count: rest });
  return { types, of: Int32Array.from(columns.type, (t) => place[t]) };
}

/** Path of each page below wiki/, without `.md`; null for a path that is not plainly in wiki/. */
function unpackIds(columns) {
  return columns.title.map((title, i) => {
    const folder = columns.folders[columns.folder[i]];
    return folder ? `${folder}/${columns.stem[i] || title}`.slice(5) : null;
  });
}

/** The title of each page, and behind those that several pages have where they are. */
function unpackNames(columns, ids) {
  const count = new Map();
  for (const title of columns.title) count.set(title, (count.get(title) || 0) + 1);
  return columns.title.map((title, i) => (count.get(title) < 2 ? title : visible(`${title} (${ids[i] || `page ${i + 1}`})`)));
}

function unpack(columns) {
  const n = columns.title.length;
  const ends = unpackEnds(columns);
  const rows = unpackRows(n, ends);
  const byRank = Int32Array.from(columns.title, (_, i) => i);
  byRank.sort((i, j) => columns.rank[j] - columns.rank[i] || i - j);
  const { groups, of: groupOf } = unpackGroups(columns, byRank);
  const { types, of: typeOf } = unpackTypes(columns);
  const tagAt = new Int32Array(n + 1);
  for (let i = 0; i < n; i++) tagAt[i + 1] = tagAt[i] + columns.tagCount[i];
  const ids = unpackIds(columns), aliases = new Map(columns.aliases);
  return {
    n, ...ends, ...rows, byRank, groups, groupOf, types, typeOf,
    pairs: unpackPairs(groups, groupOf, ends),
    title: columns.title, name: unpackNames(columns, ids), id: ids, pages: makePages(columns.parts),
    aliasesOf: (i) => aliases.get(i) || [],
    description: columns.description, rank: columns.rank,
    claims: columns.claims, claimCount: columns.claimCount,
    tags: columns.tags, typeName: (i) => columns.types[columns.type[i]],
    tagsOf: (i) => columns.tag.slice(tagAt[i], tagAt[i + 1]),
    degree: (i) => rows.start[i + 1] - rows.start[i],
    weight: new Map(columns.weight), why: new Map(columns.why),
    /** Where a page's file is, seen from graph/; null for a path that is not plainly in wiki/. */
    href: (i) => (ids[i] === null ? null : fileHref(`wiki/${ids[i]}.md`)),
  };
}

/** The address of a file of the wiki, seen from graph/. */
function fileHref(path) {
  return "../" + path.split("/").map(encodeURIComponent).join("/");
}
