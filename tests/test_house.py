"""The package as a house: one name for one type, and no room that its plan does not show."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import llmwiki

PACKAGE = Path(llmwiki.__file__).parent
DOCS = PACKAGE.parent / "docs"
_CLASS = re.compile(r"^class ([A-Za-z]\w*)", re.MULTILINE)


def test_a_public_type_has_a_name_of_its_own() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in _CLASS.findall(path.read_text("utf-8")):
            homes[name].append(path.relative_to(PACKAGE).as_posix())
    assert "WikiError" in homes
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_every_room_is_shown_and_explained() -> None:
    text = (DOCS / "architecture.md").read_text("utf-8")
    figure = text.partition("```text")[2].partition("```")[0]
    rows = [line.partition("|")[2].partition("|")[0] for line in text.splitlines() if "|" in line]
    table = " ".join(rows)
    rooms = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
    assert rooms
    for room in rooms:
        assert f"{room}/" in figure, f"{room}/ is not in the figure"
        assert f"`{room}/`" in table, f"{room}/ is not in the table"


def test_what_the_plan_names_exists() -> None:
    for line in (DOCS / "architecture.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) != 3 or not cells[0].startswith("`") or not cells[0].endswith("/`"):
            continue
        rooms = [word.strip(" `/") for word in cells[0].split(",")]
        for name in (word.strip(" `") for word in cells[2].split(",")):
            places = [PACKAGE / room / name for room in rooms]
            assert any(place.exists() for place in places), (cells[0], name)


def test_a_name_of_a_module_is_given_once() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        given: dict[str, int] = defaultdict(int)
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                given[node.name] += 1
            elif isinstance(node, ast.Assign):
                for each in node.targets:
                    if isinstance(each, ast.Name):
                        given[each.id] += 1
        assert {name for name, times in given.items() if times > 1} == set(), path
