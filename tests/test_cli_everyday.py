"""What a person meets in a day at the command line: help with examples, and errors that help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import wikikit
from wikikit import NOTE, Wiki

from llmwiki.interfaces.cli.command_table import cli


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


@pytest.fixture
def tea(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, _with_tea)


def _with_tea(made: Wiki) -> None:
    made.put("raw/tea.md", NOTE)
    made.ok("ingest", "raw/tea.md", "--model", "offline")


def commands(group: click.Group, name: str = "wiki") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group, info_name=name)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        assert command is not None
        yield f"{name} {each}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} {each}")


# --- help ----------------------------------------------------------------------------------


def test_every_command_that_takes_something_has_an_example_that_calls_it() -> None:
    found = dict(commands(cli))
    assert len(found) > 20
    for name, command in found.items():
        if not any(isinstance(each, click.Argument) and each.required for each in command.params):
            continue
        told = (command.help or "").partition("Example")[2]
        assert f"{name}\n" in told or f"{name} " in told, name


def test_help_explains_a_command(wiki: Wiki) -> None:
    for words in (("search",), ("graph", "path"), ("skills", "list")):
        assert wiki.ok("help", *words).out == wiki.ok(*words, "--help").out
    assert wiki.ok("help").out == wiki.ok("--help").out
    assert wiki.ok("graph", "help", "path").out == wiki.ok("graph", "path", "--help").out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("serch", "x"), "There is no command `serch`. Did you mean `wiki search`?"),
        (("help", "serch"), "Did you mean `wiki search`?"),
        (("graph", "bananas"), "lists them: infer, neighbours, path."),
        (("graph", "neighbors"), "Did you mean `wiki graph neighbours`?"),
    ],
)
def test_a_misspelt_command_is_answered(wiki: Wiki, words: tuple[str, ...], says: str) -> None:
    done = wiki.run(*words)
    assert done.code == 2 and says in done.err, done


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("ingest", "Such as: wiki ingest raw/"),
        ("apply", "Such as: wiki apply "),
        ("show", "Such as: wiki show "),
        ("remember", "Such as: wiki remember "),
    ],
)
def test_a_command_without_what_it_needs_shows_an_example(wiki: Wiki, name: str, says: str) -> None:
    done = wiki.run(name)
    assert done.code == 2 and says in done.err, done


# --- errors that say what to do ------------------------------------------------------------


@pytest.mark.parametrize("name", ["search", "context", "query"])
def test_no_words_are_answered_with_the_command_that_was_meant(wiki: Wiki, name: str) -> None:
    done = wiki.run(name, "")
    assert done.code == 2 and f"Such as: wiki {name} " in done.err, done


@pytest.mark.parametrize("words", [("lint",), ("memory", "list"), ("search",)])
def test_an_option_of_all_commands_is_told_its_place_before_one(
    wiki: Wiki, words: tuple[str, ...]
) -> None:
    done = wiki.run(*words, "--root", ".")
    assert done.code == 2 and "Did you mean" not in done.err, done
    assert f"wiki --root … {' '.join(words)}\n" in done.err, done


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("search", "tea", "--at", "HEAD~9999"), "git log --oneline"),
        (("lint", "--at", "HEAD~9999"), "git log --oneline"),
        (("lint", "--changed", "nope"), "git log --oneline"),
        (("lint", "nofolder/"), "paths start at the folder you are in"),
        (("lint", "/"), "Name files or folders below"),
        (("apply", "nope.json"), "Name the file that holds the agent's JSON"),
        (("config", "model"), "Did you mean model.id?"),
        (("config", "zzz"), "`wiki config` lists all"),
    ],
)
def test_what_is_not_there_says_what_to_do(tea: Wiki, words: tuple[str, ...], says: str) -> None:
    done = tea.run(*words)
    assert done.code == 2 and says in done.err, done
    assert "Errno" not in done.err and "No such file or directory" not in done.err


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"{}", "it has no `schema`"),
        (b'{"schema": null}', "it has no `schema`"),
        (b'{"schema": true}', "its `schema` is true"),
        (b'{"schema": "a"}', 'its `schema` is "a"'),
        (b"{", "is not JSON: line 1, column 2: "),
        (b"\xff", "is not JSON: byte 0 is no UTF-8"),
        (b"[" * 100_000, "is not JSON: it is nested too deeply"),
    ],
)
def test_a_broken_answer_is_told_in_words(wiki: Wiki, answer: bytes, says: str) -> None:
    done = wiki.run("apply", "-", stdin=answer)
    assert done.code == 5 and says in done.err, done
    assert not {"None", "True", "codec", "recursion"} & set(done.err.replace("'", " ").split())


def test_a_setting_that_is_none_is_answered_with_the_one_that_was_meant(
    wiki: Wiki, tmp_path: Path
) -> None:
    wiki.put(".llmwiki.toml", 'format = 3\n\n[model]\nname = "offline"\n\n[lint]\nbaselin = 3\n')
    told = wiki.ok("config").err
    assert "there is no setting lint.baselin; did you mean lint.baseline?" in told, told
    own = tmp_path / "home/config/llmwiki/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text("[ingest]\nmaxcost = 3\n")
    assert "did you mean ingest.max_cost?" in wiki.ok("config").err
    own.write_text("[ingest\n")
    done = wiki.run("config")
    assert done.code == 2 and "is not TOML" in done.err and "line 1" in done.err, done


# --- a wiki in a wiki ----------------------------------------------------------------------


def test_a_folder_of_a_wiki_does_not_become_another_unasked(wiki: Wiki) -> None:
    before = wiki.head
    for place in ("notes", "raw/notes"):
        done = wiki.run("init", place)
        assert done.code == 3 and "--nested" in done.err, done
        assert not (wiki.root / place).exists()
    assert wiki.head == before
    wiki.ok("init", "notes", "--nested")
    assert (wiki.root / "notes/.llmwiki.toml").is_file()
    # It is completed without being asked again, and so is the outer one.
    wiki.ok("init", "notes")
    wiki.ok("init")


def test_a_repository_of_its_own_inside_of_a_wiki_may_have_a_wiki(wiki: Wiki) -> None:
    inner = wiki.root / "other"
    inner.mkdir()
    wiki.git("init", "-q", str(inner))
    wiki.ok("init", "other")
    assert (inner / ".llmwiki.toml").is_file()


def test_sources_without_claims_are_told_once_and_bounded(tea: Wiki) -> None:
    for number in range(12):
        tea.put(f"raw/empty-{number:02}.md", f"# Nothing {number}\n\n> Hello?\n")
    done = tea.ok("ingest", "raw", "--model", "offline")
    assert done.err.count("gave no claims") == 1 and "12 sources gave no claims" in done.err
    assert "raw/empty-09.md --prepare" in done.err and "raw/empty-10.md" not in done.err
    assert "and 2 more" in done.err and "claims, so" not in done.out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--prepare", "--estimate"), "--prepare and --estimate exclude"),
        (("--prepare", "--dry-run"), "--prepare and --dry-run exclude"),
        (("--prepare", "--review"), "--review and --prepare exclude each other"),
    ],
)
def test_options_that_would_be_left_aside_are_refused(
    tea: Wiki, options: tuple[str, ...], says: str
) -> None:
    done = tea.run("ingest", "raw/tea.md", *options)
    assert done.code == 2 and says in done.err, done


def test_quiet_says_only_what_failed(tea: Wiki) -> None:
    tea.put("raw/later.md", "# Later\n\nThe kettle is a vessel of two litres.\n")
    tea.put("raw/broken.pdf", b"%PDF-1.7 nothing")
    done = tea.run("ingest", "-q", "raw")
    assert done.code != 0 and not done.err
    assert done.out.count("\n") == 1 and done.out.startswith("failed    raw/broken.pdf")
    assert "raw/later.md" not in tea.ok("status", "--json").json["sources"]["new"]
    (tea.root / "raw/broken.pdf").unlink()
    for command in (("ingest", "--quiet", "raw"), ("watch", "--once", "-q")):
        done = tea.ok(*command)
        assert not done.out + done.err


# --- sources that give nothing, or are gone ------------------------------------------------


def test_a_source_without_claims_is_said_so_and_counted(tea: Wiki) -> None:
    tea.put("raw/empty.md", "# Nothing\n\n> Hello?\n")
    tea.put("raw/later.md", "# Later\n\nThe kettle is a vessel of two litres.\n")
    done = tea.ok("ingest", "raw/empty.md", "raw/later.md", "--model", "offline")
    assert "0 claims" in done.out
    assert "raw/empty.md gave no claims" in done.err
    assert "\n  wiki ingest --again raw/empty.md --prepare\n" in done.err
    status = tea.ok("status")
    assert "Sources   3 ingested (1 without claims)\n" in status.out
    assert "  no claims raw/empty.md\n" in status.out
    assert tea.ok("status", "--json").json["sources"]["without_claims"] == ["raw/empty.md"]
    skipped = tea.ok("ingest", "raw/empty.md", "--prepare")
    assert not skipped.out and "raw/empty.md: unchanged; --again" in skipped.err
    assert "Hello?" in tea.prepare("raw/empty.md", "--again")
    tea.put("raw/two.md", "# Two\n\n> Hello again?\n")
    batch = ("raw/empty.md", "raw/two.md", "--review", "--model", "offline")
    for files in (batch, batch[1:]):
        told = re.search(
            r"(wiki review reject \w+), then wiki ingest .*raw/two.md --prepare",
            tea.ok("ingest", *files).err,
        )
        assert told
        tea.ok(*told[1].split()[1:], "--yes")
        assert (tea.root / "raw/two.md").exists()


def test_a_source_that_is_gone_says_the_way_back_and_the_way_out(tea: Wiki) -> None:
    (tea.root / "raw/tea.md").unlink()
    told = tea.ok("status").out
    assert "  missing   raw/tea.md\n" in told and "git log --oneline -- raw/tea.md" in told
    assert "`wiki undo <commit>`" in tea.run("lint", "--explain", "WK203").out
    commit = tea.git("log", "--format=%h", "--", "raw/tea.md").split()[0]
    tea.git("checkout", commit, "--", "raw/tea.md")
    assert "missing" not in tea.ok("status").out
    (tea.root / "raw/tea.md").unlink()
    tea.ok("undo", commit)
    assert "wiki/sources/tea-md.md" not in tea.files()
    assert "missing   raw" not in tea.ok("status").out


# --- what people type, and settings ------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ask", "wiki query"),
        ("add", "wiki ingest"),
        ("rm", "wiki retract"),
        ("taint", "wiki why --rests"),
        ("version", "wiki --version"),
    ],
)
def test_a_wrong_verb_is_answered_by_the_right_one(tea: Wiki, typed: str, meant: str) -> None:
    done = tea.run(typed)
    assert done.code == 2 and f"Did you mean `{meant}`?" in done.err


def test_a_setting_is_written_and_the_other_lines_stay(
    tea: Wiki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    place = tmp_path / "llmwiki/config.toml"
    assert str(place) in tea.ok("config", "ingest.max_cost", "2").out
    place.write_text("# mine\n[model]\nid = 'a' # old\n\n" + place.read_text())
    tea.ok("config", "model.id", "claude-sonnet-5")
    tea.ok("config", "model.read_timeout", "60")
    assert place.read_text() == (
        '# mine\n[model]\nid = "claude-sonnet-5"\nread_timeout = 60.0\n\n[ingest]\nmax_cost = 2.0\n'
    )
    assert tea.ok("config", "model.id").out == "claude-sonnet-5\n"
    for key, value in (
        ("model.ids", "x"),
        ("ingest.max_cost", "-1"),
        ("fetch.allow", "maybe"),
        ("model.id", "x\n[fetch]\nallow = true"),
        ("model.id", "a\x1b[2J"),
    ):
        assert tea.run("config", key, value).code == 2
    place.write_text('model = { id = "a" }\n')
    assert "line by line" in tea.run("config", "model.id", "b").err
    assert place.read_text() == 'model = { id = "a" }\n'


# --- what a first day showed ---------------------------------------------------------------


def test_a_model_that_is_named_wins_over_settings_that_do_without(tea: Wiki) -> None:
    tea.ok("config", "model.id", "offline")
    assert tea.ok("query", "how is green tea steeped").code == 0
    named = tea.run("query", "how is green tea steeped", "--model", "some-model")
    assert named.code == 4 and "no key" in named.err


def test_places_are_shown_as_they_are_printed(tea: Wiki) -> None:
    lines = tea.ok("show", "raw/tea.md#L5").out
    assert "> 5  - Green tea" in lines
    assert tea.ok("show", "raw/tea.md:5").out == tea.ok("show", "raw/tea.md L5").out == lines
    ident, (path, _claim) = next(iter(tea.claims().items()))
    claim = tea.ok("show", ident).out
    page = Path(path).stem
    assert tea.ok("show", f"{page}#^{ident}").out == claim
    assert tea.ok("show", f"[[{page}#^{ident}]]").out == claim


def test_init_without_a_name_makes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = wikikit.bare(tmp_path, monkeypatch)
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("GIT_COMMITTER_EMAIL", raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    (tmp_path / "config").write_text("[user]\n\tuseConfigOnly = true\n")
    done = place.run("init", str(tmp_path / "new"))
    assert done.code == 3 and "who you are" in done.err
    assert not (tmp_path / "new").exists()


def test_an_empty_source_is_told_as_what_it_is(tea: Wiki) -> None:
    tea.put("raw/empty.md", "")
    told = tea.ok("status").out
    assert "empty     raw/empty.md" in told and "fill it, or remove it" in told
    assert "Next" not in told
    assert "or remove it" in tea.run("lint").out


def test_a_secret_in_a_batch_ends_in_its_own_code_and_names_the_file_once(tea: Wiki) -> None:
    tea.put("raw/a.txt", b"\0\1")
    tea.put("raw/b.md", "The key is AKIAIOSFODNN7EXAMPL" + "Q.\n")
    done = tea.run("ingest", "raw", "--model", "offline")
    assert done.code == 7
    assert done.out.count("raw/a.txt") == 1


def test_a_shell_is_told_what_completes_a_line(wiki: Wiki) -> None:
    for line, told in (
        ("wiki gra", "plain,graph\n"),
        ("wiki log --si", "plain,--since\n"),
        ("wiki ingest ra", "file,ra\n"),
        ("wiki nowhere x", ""),
    ):
        wiki.env |= {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        wiki.env["_WIKI_COMPLETE"] = "bash_complete"
        assert wiki.run().out.strip() == told.strip(), line
