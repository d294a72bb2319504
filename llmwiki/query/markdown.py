"""A checked answer as Markdown, and as a file that `wiki apply` takes."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

from llmwiki.core.text import sha256_hex
from llmwiki.query.answer_schema import ANSWER_SCHEMA

if TYPE_CHECKING:
    from pathlib import Path

    from llmwiki.query.ask import CheckedAnswer
    from llmwiki.repo.repository import Repository


_KEPT = re.compile(r"answer-[0-9a-f]{16}\.json")


def markdown(answered: CheckedAnswer) -> str:
    """The answer as Markdown, each statement with the citations that were known."""
    blocks: list[str] = []
    opens = True
    for each in answered.statements:
        said = each.statement
        opens |= said.opens
        if each.status == "unsupported":
            continue
        text = " ".join([said.text, *(cited.handle for cited in each.cited)])
        if opens:
            blocks.append(said.marker + text)
            opens = False
        else:
            blocks[-1] += " " + text
    out = ""
    for before, block in zip(["", *blocks], blocks, strict=False):
        is_list = _is_item(before) and _is_item(block)
        out += ("\n" if is_list else "\n\n") * bool(out) + block
    return out


def keep(repo: Repository, answered: CheckedAnswer, title: str) -> str:
    """Keeps an answer that was paid for and could not be filed; the command that files it."""
    from llmwiki.store.private import common_files

    data: dict[str, object] = {
        "schema": ANSWER_SCHEMA,
        "question": answered.question,
        "answer": markdown(answered),
    }
    if title:
        data["title"] = title
    held = json.dumps(data, ensure_ascii=True, sort_keys=True).encode()
    files, name = common_files(repo), f"jobs/answer-{sha256_hex(held)[:16]}.json"
    files.write(name, held)
    path = shlex.quote(files.path(name).as_posix())
    return f"wiki apply {path} --model {shlex.quote(answered.model)}"


def forget(repo: Repository, file: Path) -> None:
    """Deletes a kept answer once it is filed; any other file stays."""
    from llmwiki.store.private import common_files

    files = common_files(repo)
    name = f"jobs/{file.name}"
    if _KEPT.fullmatch(file.name) and file.resolve() == files.path(name).resolve():
        files.delete(name)


def _is_item(block: str) -> bool:
    return block.lstrip(" \t>").startswith(("- ", "* ", "+ ")) or block.lstrip()[:1].isdigit()
