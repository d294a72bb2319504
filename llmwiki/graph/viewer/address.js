// What is open as the page's address, so that it can be kept, sent and gone back to:
// #page=concepts/Tea, with &at= a claim or heading, &link= another page, &local= for what is around it.

/** The address of a state: pages by their places, the rest as it is. */
function addressOf(graph, state) {
  const parts = [];
  const put = (key, value) => parts.push(`${key}=${encodeURIComponent(value).replaceAll("%2F", "/").replaceAll("%20", "+")}`);
  const idOf = (i) => (graph.id[i] === null ? `~${i}` : graph.id[i]);
  for (const key of ["page", "link"]) if (state[key] >= 0) put(key, idOf(state[key]));
  for (const key of ["at", "local"]) if (state[key]) put(key, state[key]);
  return `#${parts.join("&")}`;
}

/** A function from an address to a state; what names no page of this graph is left out. */
function makeAddresses(graph) {
  const places = new Map();
  graph.id.forEach((id, i) => places.set(id === null ? `~${i}` : id, i));
  return (hash) => {
    const told = new URLSearchParams(hash.replace(/^#/, ""));
    const pageOf = (key) => places.get(told.get(key)?.replace(/\.md$/, "").replace(/^wiki\//, "")) ?? -1;
    return { page: pageOf("page"), link: pageOf("link"), at: told.get("at") || "", local: told.has("local") ? 1 : 0 };
  };
}
