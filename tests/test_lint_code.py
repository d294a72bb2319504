"""What a lint keeps is forgotten when the code that decides findings changes, and only then."""

from __future__ import annotations

import shutil
from pathlib import Path

import llmwiki
from llmwiki.lint.run import code_stamp

_PACKAGE = Path(llmwiki.__file__).parent


def test_other_code_is_another_stamp(tmp_path: Path) -> None:
    copy = tmp_path / "llmwiki"
    shutil.copytree(_PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = code_stamp(copy)
    (copy / "__pycache__").mkdir()
    assert code_stamp(copy) == before
    rule = copy / "lint/rules/links.py"
    rule.write_text(rule.read_text().replace("leads to no page", "leads on no page"))
    assert code_stamp(copy) != before
    # An archive holds one version.
    assert code_stamp(tmp_path / "wiki.pyz/llmwiki") == code_stamp(tmp_path / "wiki.pyz/llmwiki")
