"""The plain way to a graph: pages parsed, networkx, its Louvain, a page of pyvis.

usage: python -m benchmarks.graph_plain ROOT OUT

Writes OUT/graph.html and prints one line of JSON: pages, edges, communities, modularity.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import frontmatter
import networkx
from pyvis.network import Network

_LINK = re.compile(r"\[\[([^\]|#]+)")


def main(argv: list[str]) -> int:
    """As the module says."""
    root, out = (Path(argument) for argument in argv)
    made: networkx.Graph[str] = networkx.Graph()
    texts: dict[str, str] = {}
    for path in sorted((root / "wiki").glob("*/*.md")):
        page = frontmatter.load(str(path))
        texts[path.stem.lower()] = page.content
        made.add_node(path.stem.lower(), label=str(page.get("title", path.stem)))
    for source, text in texts.items():
        for target in _LINK.findall(text):
            to = target.strip().rpartition("/")[2].lower()
            if to in texts and to != source:
                made.add_edge(source, to)
    groups = networkx.community.louvain_communities(made, seed=42)
    group_of = {node: number for number, group in enumerate(groups) for node in group}
    drawn = Network(cdn_resources="in_line")
    for node, data in made.nodes(data=True):
        drawn.add_node(node, label=data["label"], group=group_of[node])
    for source, target in made.edges:
        drawn.add_edge(source, target)
    out.mkdir(parents=True, exist_ok=True)
    (out / "graph.html").write_text(drawn.generate_html(notebook=False), "utf-8")
    told = {
        "pages": len(made),
        "edges": made.number_of_edges(),
        "communities": len(groups),
        "modularity": round(networkx.community.modularity(made, groups), 4),
    }
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
