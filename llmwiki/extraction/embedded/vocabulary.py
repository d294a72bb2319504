"""The closed word lists of English and Japanese that the rules ask."""

from __future__ import annotations

import re
from collections.abc import Set

from llmwiki.language.plurals import word_set


def phrases(text: str) -> frozenset[str]:
    """A set of phrases written with bars between them."""
    return frozenset(" ".join(phrase.split()) for phrase in text.split("|"))


def made_of(words: Set[str], text: str) -> bool:
    """Whether a heading or label is made of such words only."""
    held = re.findall(r"\w+", text.casefold())
    return bool(held) and words >= set(held)


PRONOUNS = word_set(
    """
    none nobody all another anything both each either everyone everything few former he her here
    hers him his i it its latter many me most my neither nobody nothing one ones other others
    our same several she some someone something such that their them there these they this those
    us we what which who whose you your"""
)
"""Words that point elsewhere: a sentence that starts with one does not stand alone."""

FUNCTION_WORDS = PRONOUNS | word_set("""
    a about after again against also although always an and any are as at be because been before
    being besides between but by can could did do does during else even ever every finally
    first for from furthermore had has have hence how however if in instead into is just
    last less may meanwhile might more moreover much must never next no nor not now of often
    on only onto or otherwise over per second shall should since so still than the then
    therefore third though thus to too under unless until very via was were when where whether
    while why will with within without would yet""")
"""Words that begin and end no name; the pronouns are among them."""

IMPERATIVES = word_set(
    """
    add apply ask assume automate avoid be begin bring build call capture change check choose
    click clone close compare configure consider convert copy create customise customize debug
    define delete deploy describe disable do don't download drag drop edit embed enable ensure
    enter evaluate expand explore export extend extract fetch fill find fix follow generate get
    give go have hit import improve include insert install integrate join keep launch learn
    leave let limit list load look make manage measure merge migrate move navigate note open
    organise organize pass paste pick place point prefer press publish pull push put read refer
    remember remove rename render replace restart return review run save scroll search see
    select send set ship show skip start stop store submit switch sync take tell test think
    treat try turn type understand update upload use verify view visit wait watch work wrap
    write"""
)
"""Verbs that open instructions, and so neither names nor statements."""

GENERIC = word_set(
    """
    pep rfc following abstract action actions additional advanced after agenda aim
    alternative alternatives always announcement answer api appendix application approach
    april article attendee attendees august author authors background bad baseline basic
    basics before benefit benefits best better bibliography block blocks body bug bugs build
    building case cases caveat caveats change changelog changes chapter checklist claim
    claims class client code command commands comment comments common comparison component
    components concept conclusion config configuration cons consequence consequences
    consideration considerations constraint constraints contact content contents context
    contribute contributing contributor contributors cost credit credits criteria current
    data date december decision default definition definitions demo dependencies dependency
    deprecated description design detail detailed details deterministic development
    difference differences discussion document documentation documents effect effects email
    empty end entry error errors evaluation exception exceptions event evidence example
    examples exercise exercises experimental explanation fact facts false faq fast feature
    features february feedback field figure figures file files final finding first flag
    flags flow follow-up format formats friday full function functions further future
    general global glossary goal goals good group groups guide guidelines head header
    headers help history home how id idea ideas identity implementation implications
    important index information initial input inputs installation instructions interface
    introduction issue issues item items january judgement july june key language lead
    lesson library license limit limitation limits line lines link links list location log
    long main manual measure measurement measurements mechanism meeting message messages
    method methodology methods metric metrics minute minutes misc miscellaneous mission
    model models module modules monday motivation multiple name names nb never new news no
    non-goals none note notes november null number object objective objects october old open
    option optional options order other outcome outcomes output outputs overview owner page
    pages paper parameter parameters part parts path paths pattern patterns peer people
    person plan point points policy practice prerequisite prerequisites present previous
    principle problem problems process product progress project proof properties property
    proposal proposals pros purpose question questions quick quickstart rationale reading
    readme reason reasons recommendation recommendations recommended record reference
    references related report request requests required requirement requirements resource
    resources response result results retrospective review right risk roadmap role roles
    rule rules saturday scenario scenarios scope screenshot screenshots section sections see
    september server service setting settings short should side simple situation size small
    solution source sources spec special specification standard start state statement status
    step steps story strategy stream streams string strings structure subcommand subcommands
    summary sunday support symptom system systems table tables takeaway takeaways target
    task tasks team teams template term terminology terms test testing tests text theme
    themes theory thing things third thursday time timeline times tip tips title today todo
    two three four five todos tomorrow tool tools top topic topics trap traps
    troubleshooting true tuesday tutorial type types unit update updates usage use user
    users value values variable variables various version versions warning warnings way ways
    wednesday what why word words work workflow workflows world worlds year years yes
    yesterday"""
)
"""Words that name nothing by themselves, alone or only with each other."""

ANY_TITLE = word_set("home index welcome introduction overview readme about")
"""Titles that say nothing of the page they are of."""

CONTENTS_SECTIONS = phrases("contents| table of contents| toc| 目次")
"""Of SKIPPED_SECTIONS those whose subsections are read."""

PEOPLE_SECTIONS = phrases(
    """
    attendees| attendance| attending| members| representatives| invited| invitees|
    observers| participants| present| apologies| regrets| absent| guests| roll call| 出席者|
    参加者"""
)
"""Headings under which minutes list who was there."""

ROLE_WORDS = word_set(
    """advantage advantages benefit benefits pros strengths disadvantage disadvantages drawback
    drawbacks cons weaknesses limitations
    requirements prerequisites and & 利点 欠点 長所 短所 メリット デメリット"""
)
"""Words of headings that say what a list is of its section's subject, such as its drawbacks."""

DECISION_WORDS = word_set("""and agreed conclusion conclusions resolution resolutions decision
    decisions outcome 決定 決定事項""")
"""Words of headings under which minutes say what was decided."""

ACTION_WORDS = word_set("action actions item items todo todos to do next steps tasks 宿題 タスク")
"""Words of headings under which minutes say who does what."""

SKIPPED_SECTIONS = phrases(
    """
    backlinks| related| related notes| copyright| acknowledgements| acknowledgments|
    bibliography| citation| citations| contents| contributors| credits| external links|
    further reading| licence| license| link| links| reference| references| see also|
    source| sources| table of contents| toc| ライセンス| リンク| 出典| 参照| 参考| 参考リンク|
    参考文献| 参考資料| 目次| 謝辞| 関連リンク"""
)
"""Headings under which a document lists pointers, not statements."""

QUESTION_SECTIONS = phrases(
    """
    open issues| open question| open questions| questions| unknowns| unresolved|
    unresolved questions| 未決事項| 未解決| 検討事項| 疑問点"""
)
"""Headings under which it lists what it leaves open."""

VERBS = word_set(
    """
    am are aren't became becomes can can't cannot comes could couldn't did didn't do does doesn't
    don't fell found gave gets gives goes had hadn't has hasn't have haven't is isn't kept knows
    lets made makes may means might must mustn't need needs runs said shall should shouldn't shows
    takes took uses want wants was wasn't went were weren't will won won't works would wouldn't"""
)
"""Auxiliaries and a few common verbs; endings and what follows them tell the rest."""


JA_POINTERS = tuple(
    sorted(
        word_set(
            """
    これ それ あれ この その あの ここ そこ 本章 本節 本項 本稿 本書 上記 下記 以下 前述
    後述 同様 我々 私 また しかし ただし さらに なお つまり そして そのため したがって
    だから 一方 例えば たとえば 次に → ただ もう どちら いずれ 両方 こう そう 他に ですが
    だが けれど ところが というのも なぜなら 例を 言い換え 以上 結果的 結果として 最後に もし 加えて
    仮に これまで ここまで 先ほど さて では なので よって 逆に 反対に もちろん 実際 最初に まず
    続いて 代わりに でも 付け加えて 後ほど 2番目 今まで
    その後 とはいえ それ故 故に 要するに いわば 私たち あなた みなさん 皆さん"""
        )
    )
)
"""Openers that make a Japanese sentence lean on another one."""

JA_GENERIC = word_set(
    """おわりに こと その他 ため はじめに まとめ もの アーキテクチャ インストール コード システム
    テンプレート デフォルト データ トリガー ファイル フロー ポイント メモ モデル ユーザー 一覧 事
    人 今後 今後の課題 仕様 付録 以前 以後 使い方 使用例 使用方法 例 備考 全体 全体像 具体例
    内容 出席者 分類 利点 制約 制限 前提 前提条件 効果 原因 参加者 参考 参考文献 名称 問題
    問題点 回答 基本 変更履歴 実装 実装例 対策 対象 導入 影響 役割 必須 応用 情報 情報源 手法
    手順 推奨 改善 方 方法 方針 日時 更新履歴 条件 概要 構成 構造 機能 欠点 次回 比較 決定
    決定事項 注意 注意事項 注意点 物 特徴 現在 理由 用語 用語集 用途 目次 目的 種類 範囲 結果
    結論 考察 背景 背景と目的 表 補足 要約 解決策 設定 設定例 設定方法 設計 評価 詳細 説明
    課題 議論 議題 質問 過去 関連 関連リンク 関連資料 項目"""
)
"""Japanese words that name nothing by themselves."""


GENERIC_HEADERS = word_set("""description meaning definition what note notes explanation content
    value summary details
    説明 意味 内容 概要 定義 備考 詳細""") | {"what it is", "what it does", "purpose"}
"""Heads that add nothing to the cells below them."""
