"""Headings that any document may have, by what stands below them."""

from __future__ import annotations

import re

from llmwiki.sources.plain_words import strip_markup

_KINDS = {
    "pointers": """backlinks| related| related notes| copyright| acknowledgements| acknowledgments|
        bibliography| citations| contributors| credits| external links| footnotes| further reading|
        licence| license| link| links| reference| references| see also| source| sources| literatur|
        quellen| siehe auch| verweise| danksagung| lizenz| ライセンス| リンク| 出典| 参照| 参考|
        参考リンク| 参考文献| 参考資料| 謝辞| 関連リンク""",
    "contents": "contents| table of contents| toc| inhalt| inhaltsverzeichnis| 目次",
    "people": """attendees| attendance| attending| members| representatives| invited| invitees|
        observers| participants| present| apologies| regrets| absent| guests| visitors| roll call|
        registration| how to join| joining instructions| dial-in| anwesend| anwesende|
        anwesende mitglieder| anwesenheit| anwesenheitsliste| teilnehmer| teilnehmende|
        entschuldigt| abwesend| gäste| 出席者| 参加者| 欠席者""",
    "agenda": "agenda| agenda items| proposed agenda| tagesordnung| tagesordnungspunkte| 議題",
    "notes": """notes| minutes| meeting notes| discussion| summary| protokoll| besprechung| 議事録|
        議事""",
    "questions": """open issues| open question| open questions| questions| unknowns| unresolved|
        unresolved issues| unresolved questions| offene fragen| offene punkte| 未決事項| 未解決|
        検討事項| 疑問点""",
    "openings": """abstract| summary| overview| introduction| tl;dr| description| purpose| about|
        zusammenfassung| einleitung| überblick| 概要| はじめに| 要約""",
    "others": """background| changelog| changes| configuration| context| design| details| example|
        examples| faq| features| getting started| glossary| goals| history| home| how to| index|
        installation| motivation| note| rationale| readme| requirements| rules| scope| status|
        test| usage| use| warning| what| why| hintergrund| hinweis| hinweise| regeln| sonstiges|
        verschiedenes| おわりに| 背景| 目的| まとめ| 結論| 内容| 詳細| 説明| 課題| 設定| 使い方|
        注意| decision| decisions| resolution| resolutions| conclusion| conclusions| outcome|
        outcomes| action| actions| action items| tasks| todo| todos| to do| next steps|
        decisions and actions| beschluss| beschlüsse| ergebnis| ergebnisse| aufgaben|
        nächste schritte| 決定| 決定事項| 宿題| タスク""",
}
_NUMBER = re.compile(r"(?:\(?\d{1,3}(?:\.\d{1,3}){0,4}[.):：]?|§\s*\d{0,3}|[IVX]{1,5}\.)\s+")


def _by_heading() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for kind, headings in _KINDS.items():
        for heading in headings.split("|"):
            key = " ".join(heading.split())
            found[key] = found.get(key, frozenset()) | {kind}
    return found


_KIND_OF = _by_heading()


def unnumbered(title: str) -> str:
    """The words of a heading without its number."""
    return _NUMBER.sub("", strip_markup(title), count=1)


def kinds_of(title: str) -> frozenset[str]:
    """What is told below such a heading (`pointers`, `agenda` …); empty for one that names it."""
    return _KIND_OF.get(unnumbered(title).casefold().strip(" :：.*"), frozenset())
