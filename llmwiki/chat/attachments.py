"""Files that are sent along with a message: how they are told, and what is meant by them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.core.document import Picture

MAX_EXCERPT = 12_000
"""Characters of a file that a model is shown."""
MOST_PICTURES = 4
"""Pictures of one message that a model is shown."""
IMAGES = {
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "png": "image/png",
    "gif": "image/gif",
    "webp": "image/webp",
}
"""Endings of pictures to their types."""
TEXTS = frozenset(["md", "txt", "json", "yaml", "yml", "csv", "go", "py", "ts", "tsx", "js", "jsx"])
"""Endings of files of which an excerpt is shown."""


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file that a person named."""

    path: str
    text: str | None = None
    """None where it is no text."""
    pictures: tuple[Picture, ...] = ()
    """What the model is shown of it."""
    sha: str = ""
    """SHA-256 of its bytes, where it is shown as pictures."""


@dataclass(frozen=True, slots=True)
class AttachmentGoal:
    """What may be meant by sending files along."""

    name: str
    words: tuple[str, ...]
    """Any of them in the message, case ignored, says so."""
    needs: str
    """`image` or `document`: a file of this kind must be there; empty: any."""
    policy: str
    """What the model is told."""
    japanese: str
    """The same where the person writes Japanese."""


GOALS: tuple[AttachmentGoal, ...] = (
    AttachmentGoal(
        "save_data",
        ("保存", "保管", "アーカイブ", "dataとして", "データとして", "save"),
        "",
        "It is to be kept: do not digest it; say that `wiki ingest FILE` takes it in.",
        "データとして保存: 要約せず、`wiki ingest FILE` で取り込めると伝える。",
    ),
    AttachmentGoal(
        "knowledge_add",
        ("ナレッジ", "知識追加", "知見追加", "remember", "knowledge"),
        "",
        "It is to be learned: say in a few points what is new against the wiki, and that"
        " `wiki ingest FILE` takes it in with its quotes.",
        "ナレッジに追加: wiki にない点を短く挙げ、`wiki ingest FILE` で引用と共に"
        "取り込めると伝える。",
    ),
    AttachmentGoal(
        "image_prompt",
        ("描画", "画像生成", "生成プロンプト", "promptにして", "プロンプトにして"),
        "image",
        "Write a prompt that would make this picture.",
        "画像生成プロンプト: この画像を作るプロンプトを書く。",
    ),
    AttachmentGoal(
        "image_analysis",
        ("分析", "解析", "内容確認", "見て", "describe"),
        "image",
        "Say what the picture shows, then what follows from it.",
        "画像の分析: 写っているものを述べ、そこから言えることを述べる。",
    ),
    AttachmentGoal(
        "doc_prompt",
        (
            "プロンプトとして", "promptとして", "system prompt", "プロンプト化", "テンプレート化",
        ),
        "document",
        "Rewrite the document as instructions, nothing added.",
        "プロンプト化: 何も足さず、文書を指示文に書き直す。",
    ),
)  # fmt: skip
"""In their order: the first that fits is meant."""

DEFAULT = "default"
_FIRST_LOOK = {
    True: (
        "A picture, and no word about it: say what you can do with it, and ask.",
        "画像の初動: 何ができるかを伝え、どうするかを尋ねる。",
    ),
    False: (
        "A file, and no word about it: say in a line what it is, then answer.",
        "添付の初動: それが何かを一行で述べてから答える。",
    ),
}
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


def ending(path: str) -> str:
    """The ending of a name, in lower case."""
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def is_image(path: str) -> bool:
    """Whether a file is a picture, by its name."""
    return ending(path) in IMAGES


def goal(text: str, paths: Sequence[str]) -> str:
    """What is meant by the files, by the words of the message."""
    said = text.strip().lower()
    if not said or said.startswith(("[file:", "[image]")):
        return DEFAULT
    kinds = {"image" if is_image(path) else "document" for path in paths if path.strip()}
    for each in GOALS:
        fits = any(word.lower() in said for word in each.words)
        if fits and (not each.needs or each.needs in kinds):
            return each.name
    return DEFAULT


def excerpt(file: AttachedFile) -> str:
    """What is told of one file below its name."""
    if is_image(file.path):
        return "  [type=image]\n"
    is_told = ending(file.path) in TEXTS or bool(file.pictures)
    if not is_told or file.text is None:
        return ""
    text = file.text[:MAX_EXCERPT]
    if len(file.text) > MAX_EXCERPT:
        text += "\n... (truncated)"
    lines = "".join(f"    {line}\n" for line in text.split("\n"))
    return f"  [excerpt]\n{lines}"


def listing(files: Sequence[AttachedFile]) -> str:
    """All files, numbered, with their excerpts; empty for none."""
    if not files:
        return ""
    rows = [f"- #{n} {file.path}\n{excerpt(file)}" for n, file in enumerate(files, start=1)]
    return "[ATTACHMENTS]\n" + "".join(rows)


def policy(text: str, paths: Sequence[str], *, is_japanese: bool = True) -> str:
    """What the model is told of what is meant, in the language of the person; empty without
    files."""
    if not paths:
        return ""
    name = goal(text, paths)
    found = next(((each.policy, each.japanese) for each in GOALS if each.name == name), None)
    told = found or _FIRST_LOOK[any(is_image(path) for path in paths)]
    return f"[ATTACHMENT_POLICY]\n{told[is_japanese]}\n"


def writes_japanese(text: str) -> bool:
    """Whether a message is written in Japanese."""
    return _JAPANESE.search(text) is not None
