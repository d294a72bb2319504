"""The documents say what the program does: commands, settings, links, examples, versions."""

from __future__ import annotations

import importlib.util
import re
import shlex
import socket
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import click
import pytest
from crash.armed import POINTS

import llmwiki
from llmwiki.core import errors
from llmwiki.core.settings_table import OPTIONS
from llmwiki.ingest.extraction.schema import Stance
from llmwiki.pages.page import Page
from llmwiki.pages.write import SECTIONS
from llmwiki.sources.formats import CONVERTERS

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")], key=lambda path: path.as_posix()
)
DOCUMENTS = [path for path in DOCUMENTS if path.name not in ("CLAUDE.md", "AGENTS.md", "GEMINI.md")]
NAMES = [path.relative_to(ROOT).as_posix() for path in DOCUMENTS]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(<?([^)<>\s]+)>?\)")
_CODE = re.compile(r"``.+?``|`[^`\n]+`")


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def make_cli() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_cli", ROOT / "docs/make_cli.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


COMMANDS: dict[str, click.Command] = {
    name: command for name, command, _context in make_cli().commands()
}


@cache
def anchors(text: str) -> set[str]:
    """The fragments of a document's headings, as GitHub makes them."""
    plain = _FENCE.sub("", text)
    found: set[str] = set()
    for title in re.findall(r"^#{1,6} +(.+?) *$", plain, re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        number = 0
        while (slug if not number else f"{slug}-{number}") in found:
            number += 1
        found.add(slug if not number else f"{slug}-{number}")
    return found


def prose(text: str) -> str:
    """A document without fenced blocks and code spans."""
    return _CODE.sub("", _FENCE.sub("", text))


def spoken_commands(text: str) -> Iterator[list[str]]:
    """The words of each `wiki …` line in the shell examples of a document."""
    for language, block in _FENCE.findall(text):
        if language not in ("sh", "console"):
            continue
        joined = block.replace("\\\n", " ")
        lines = joined.splitlines()
        if language == "console":
            lines = [line[2:] for line in lines if line.startswith("$ ")]
        for line in lines:
            words = shlex.split(line, comments=True)
            while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
                words = words[1:]
            if words and words[0] == "wiki":
                yield words[1:]


def test_the_list_of_commands_is_what_help_says() -> None:
    made = make_cli().render()
    assert read("docs/cli.md") == made, "run: python docs/make_cli.py"
    for name, command in COMMANDS.items():
        assert f"## `{name}`\n" in made
        assert command.help, f"{name} says nothing of itself"


@pytest.mark.parametrize("name", [n for n in COMMANDS if n not in ("wiki", "wiki config")])
def test_each_command_is_documented_for_people(name: str) -> None:
    told = "".join(read(n) for n in NAMES if n not in ("docs/cli.md", "CHANGELOG.md"))
    assert re.search(rf"`?\b{name}\b", told), f"{name} stands in no document but docs/cli.md"


def test_each_option_says_what_it_does() -> None:
    for name, command in COMMANDS.items():
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.help, f"{name} {option.opts[0]}"


@pytest.mark.parametrize("name", NAMES)
def test_examples_use_commands_and_options_that_exist(name: str) -> None:
    for words in spoken_commands(read(name)):
        path, rest = "wiki", list(words)
        if rest[:1] in (["-C"], ["--root"]):
            rest = rest[2:]
        while rest and f"{path} {rest[0]}" in COMMANDS:
            path = f"{path} {rest.pop(0)}"
        assert path != "wiki" or words in (["--version"], ["--help"]), words
        known = {opt for p in COMMANDS[path].params for opt in (*p.opts, *p.secondary_opts)}
        used = {word.split("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
        assert used <= known | {"--help", "-h"}, words


def test_the_tour_has_examples() -> None:
    spoken = {words[0] for words in spoken_commands(read("docs/tour.md"))}
    assert spoken >= {"init", "ingest", "apply", "status", "show", "log", "undo", "remember"}


@pytest.mark.parametrize("name", NAMES)
def test_relative_links_lead_somewhere(name: str) -> None:
    text = read(name)
    for target in _LINK.findall(prose(text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        place = (ROOT / name).parent / path if path else ROOT / name
        assert place.exists(), f"{target} in {name}"
        assert place.resolve().is_relative_to(ROOT.resolve()), f"{target} leads out"
        if fragment:
            assert fragment in anchors(place.read_text("utf-8")), f"{target} in {name}"


def test_the_newest_version_of_the_changelog_is_the_programs() -> None:
    versions = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", read("CHANGELOG.md"), re.MULTILINE)
    assert versions and versions[0] == llmwiki.__version__


@pytest.mark.parametrize(
    "name", [*NAMES, "docs/demo.sh", "docs/make_cli.py", "Makefile", "pyproject.toml"]
)
def test_no_document_names_a_path_of_a_machine(name: str) -> None:
    text = read(name)
    found = re.findall(
        r"/(?:work|root|home|Users|mnt|var/folders)/\w+|/tmp/(?:tmp\.|venv)\w*", text
    )
    assert found == []
    assert str(ROOT.resolve()) not in text
    host = socket.gethostname()
    assert len(host) < 6 or host == "localhost" or host not in text


def test_each_setting_is_documented_with_its_default() -> None:
    rows = {
        cells[1].strip(" `"): [
            *(cell.strip(" `").replace(",", "_") for cell in cells[2:5]),
            cells[5].strip().replace("`", "").lower(),
        ]
        for line in read("docs/configuration.md").splitlines()
        if line.startswith("| `") and len(cells := line.split("|")) == 7
    }
    for option in OPTIONS:
        default, allowed, from_repository, meaning = rows[option.key]
        theirs = str(option.of_repository or "yes") if option.from_repository else "no"
        assert default == (str(option.default) or "empty"), option.key
        assert allowed == str(option.range or ""), option.key
        assert from_repository == theirs, option.key
        assert meaning.startswith(option.meaning.replace("`", "").lower()), option.key


def test_each_exit_code_is_documented() -> None:
    told = {int(code) for code in re.findall(r"^\| (\d+)", read("docs/cli.md"), re.MULTILINE)}
    classes = [c for c in vars(errors).values() if isinstance(c, type)]
    raised = {c.exit_code for c in classes if issubclass(c, errors.WikiError)}
    assert raised | {0, 1, 130} <= told


def example(name: str, heading: str) -> str:
    """The first block of Markdown under a heading of a document."""
    after = read(name).split(f"\n{heading}\n", 1)[1]
    return next(block for language, block in _FENCE.findall(after) if language == "markdown")


def test_the_example_page_of_the_format_is_one() -> None:
    page = Page.parse("wiki/concepts/Self-attention.md", example("docs/format.md", "## A page"))
    assert (page.type, page.title, page.aliases) == (
        "concept",
        "Self-attention",
        ("intra-attention",),
    )
    assert [s.resource for s in page.sources] == ["/raw/papers/attention.md"]
    standing, struck, denied = page.claims
    assert denied.attribute("stance") == "rejected"
    assert denied.text == denied.evidence[0].quote == "Attention needs recurrence."
    assert standing.attribute("stance") == "measured"
    assert standing.attribute("scope") == "n < d"
    assert standing.slot == ("sequential operations", "O(1)")
    assert (struck.successor or "").startswith("[[Self-attention#^c-2b7m0q4xza|Self-attention]]")
    assert page.cited() == {"papers-attention-md"}
    assert any(node.kind == "rel" for node in page.body)
    nested = [part.kind for node in page.body if node.kind == "c" for part in node.parts]
    assert nested == ["a", "e", "a", "e", "e"]


def test_the_format_names_every_section_and_stance() -> None:
    text = read("docs/format.md")
    for section in SECTIONS:
        assert f"| `## {section}` |" in text
    for stance in Stance.__args__:
        assert stance == "stated" or f"`{stance}`" in text


def test_the_comparison_names_every_format_that_is_read() -> None:
    row = next(
        line for line in read("docs/comparison.md").splitlines() if line.startswith("| formats")
    )
    ours = row.split("|")[2]
    assert all(converter.name in ours for converter in CONVERTERS)
    assert ours.count(",") == len(CONVERTERS) + 4


def test_failpoints_in_the_documents_exist() -> None:
    named = re.findall(r"LLMWIKI_FAILPOINT=([a-z.-]+)", read("docs/promises.md"))
    assert {name for name in named if name != "name"} <= set(POINTS)
    assert len(named) > 1


def test_each_promise_names_tests_that_exist() -> None:
    rows = [line for line in read("docs/promises.md").splitlines() if "`test_" in line]
    assert len(rows) <= 40
    for row in rows:
        assert row.count("|") == 3, row
        code = ""
        for file, test in re.findall(r"`(?:(test_\w+\.py)::)?(test_\w+)`", row.split("|")[2]):
            code = read(f"tests/{file}") if file else code
            assert re.search(rf"^ *def {test}\(", code, re.MULTILINE), row


def test_each_word_of_the_glossary_is_defined_in_the_code() -> None:
    after = read("docs/architecture.md").partition("| word | meaning | in the code |\n")[2]
    rows = [line.split("|") for line in after.partition("\n\n")[0].splitlines()[1:]]
    assert 20 <= len(rows) <= 40
    package = Path(llmwiki.__file__).parent
    code = "\n".join(path.read_text("utf-8") for path in sorted(package.rglob("*.py")))
    kinds = r"^ *(?:class|def) (\w+)", r"^ *(\w+)\b.* = "
    given = {name for kind in kinds for name in re.findall(kind, code, re.MULTILINE)}
    assert {row[3].strip(" `") for row in rows} <= given


@pytest.mark.parametrize("name", ["SECURITY.md", "CONTRIBUTING.md", "docs/architecture.md"])
def test_files_of_the_program_that_a_document_names_exist(name: str) -> None:
    package = Path(llmwiki.__file__).parent
    for path in re.findall(r"`([a-z_]+/[a-z_./]+\.py)`", read(name)):
        assert (ROOT / path).exists() or list(package.glob(f"**/{path}")), f"{path} in {name}"
