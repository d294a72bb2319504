"""The closed word lists of English and Japanese that the rules ask."""

from __future__ import annotations

from llmwiki.language.plurals import word_set


def phrases(text: str) -> frozenset[str]:
    """A set of phrases written with bars between them."""
    return frozenset(" ".join(phrase.split()) for phrase in text.split("|"))


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
    pep rfc
    filter following filename filepath ablation abstract acknowledgement acknowledgements action
    actions addendum additional advanced after agenda aim aims alternative alternatives always
    analysis announcement answer answers api appendix application approach april architectural
    architecture article attendee attendees august author authors automatic automatically
    background bad baseline baselines basic basics before benefit benefits best better
    bibliography big block blocks body bottom bug bugs build building builds case cases caveat
    caveats change changelog changes chapter character characters checklist citation citations
    claim claims class classes client clients code column command commands comment comments
    common comparison complete component components concept concepts conclusion conclusions
    config configuration cons consequence consequences consideration considerations constraint
    constraints contact content contents context contribute contributing contributor
    contributors cost costs credit credits criteria criterion current data date dates december
    decision decisions default defaults definition definitions demo dependencies dependency
    deprecated description design detail detailed details deterministic development diagram
    difference differences discussion document documentation documents download downloads effect
    effects email empty end entries entry epilogue error errors evaluation exception exceptions
    event events evidence example examples exercise exercises experiment experimental
    experiments explanation extra fact facts false faq fast feature features february feedback
    field fields figure figures file files final finding findings first fix flag flags flow
    follow-up follow-ups footnote footnotes foreword format formats friday full function
    functions further future general global glossary goal goals good group groups guide
    guidelines head header headers help high highlights history home how howto id idea ideas
    identity implementation implications important index info information ingested initial input
    inputs installation instructions interface intro introduction issue issues item items
    january judgement judgment july june key keys kind kinds known language languages layer
    layers layout lead left legend lesson lessons level levels library licence license limit
    limitation limitations limits line lines link links list lists location log long low main
    manual manually march material materials may meaning measure measurement measurements
    mechanism mechanisms medium meeting message messages method methodology methods metric
    metrics minimal minute minutes misc miscellaneous mission mode model models module modules
    monday motivation multiple must name names nb never new news no non-goals none note notes
    november null number numbers object objective objectives objects observation observations
    october ok old open option optional options order other others outcome outcomes outlook
    output outputs overview owner owners page pages paper paragraph parameter parameters part
    participant participants parts path paths pattern patterns peer peers people person phase
    pitfalls place plan plans point points policy postscript practice preface preliminaries
    premise prerequisite prerequisites present previous principle principles prior problem
    problems procedure process product progress project prologue proof properties property
    proposal proposals pros purpose question questions quick quickstart quote quotes rationale
    reading readme reason reasons recap recipe recipes recommendation recommendations
    recommended record records reference references related remark remarks report request
    requests required requirement requirements research resource resources response responses
    result results retrospective review right risk risks roadmap role roles row rule rules
    sample samples saturday scenario scenarios schedule scope screenshot screenshots section
    sections see september server service services setting settings setup several short shortcut
    shortcuts should side simple situation size slow small solution solutions sometimes source
    sources spec special specific specification stage standard start state statement status step
    steps story strategy stream streams strength strengths string strings structure structures
    study subcommand subcommands subject suggestion suggestions summary sunday support symptom
    symptoms synopsis system systems table tables takeaway takeaways target task tasks team
    teams technique techniques technology template term terminology terms test testing tests
    text theme themes theory thing things third thought thoughts threshold thursday time
    timeline times tip tips title to-do today todo two three four five todos tomorrow tool tools
    top topic topics total trade-off trade-offs tradeoff tradeoffs transcript trap traps
    troubleshooting true tuesday tutorial type types unit update updates usage use user users
    value values variable variables various version versions video view warning warnings way
    ways weakness weaknesses wednesday what why word words work workflow workflows world worlds
    worse worst year years yes yesterday"""
)
"""Words that name nothing by themselves, alone or only with each other."""

ANY_TITLE = word_set("home index welcome introduction overview readme about")
"""Titles that say nothing of the page they are of."""

CONTENTS_SECTIONS = phrases("contents| table of contents| toc| 目次")
"""Of SKIPPED_SECTIONS those whose subsections are read."""

PEOPLE_SECTIONS = phrases(
    """
    attendees| attendance| in attendance| invited| invitees| observers| participants| present|
    apologies| regrets| absent| guests| roll call| 出席者| 参加者"""
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
    backlinks| related| related notes| relevant notes| keywords| links and references|
    copyright| copyright waiver|
    acknowledgements| acknowledgments| bibliography| citation| citations| contents|
    contributors| credits| external links| further reading| licence| license| link| links|
    reference| references| references and links| see also| source| sources| sources and links|
    table of contents| toc| ライセンス| リンク| 一次ソース| 出典| 参照| 参考| 参考リンク|
    参考文献| 参考資料| 参照リンク| 目次| 謝辞| 関連リンク|
    関連資料"""
)
"""Headings under which a document lists pointers, not statements."""

QUESTION_SECTIONS = phrases(
    """
    open issues| open question| open questions| questions| to be decided| unknowns| unresolved|
    unresolved questions| オープンクエスチョン| 未決事項| 未決定| 未解決| 未調査| 検討事項|
    疑問点| 課題と疑問"""
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
    """おわりに こと その他 ため はじめに まとめ もの アーキテクチャ インストール コード
    コードウォークスルー システム テンプレ テンプレート デフォルト データ トリガー ファイル
    フロー ポイント メモ モデル ユーザー ルーツ 一次ソース 一覧 主な選択肢 主要ファイル一覧
    事 人 今後 今後の課題 仕様 付録 以前 以後 任意 使い方 使用例 使用方法 例 保存場所 値
    備考 入力 全体 全体フロー 全体フロー図 全体像 具体例 内容 処理 出力 出席者 分類 分類軸
    判断主体 利点 制約 制限 制限値 前提 前提条件 効果 動作 原因 参加者 参考 参考文献 名前
    名称 問題 問題点 回答 図 型 基本 基本思想 場所 変更履歴 実例 実装 実装例 実装観点 宿題
    対策 対象 導入 形式 影響 役割 必須 応用 情報 情報源 手法 手順 推奨 改善 方 方法 方針
    日時 時 更新履歴 書き込み機構 本章のポイント 条件 概要 構成 構造 機能 欠点 次元 次回
    段階 比較 比較表 決定 決定事項 注意 注意事項 注意点 流れ 準備 点 物 特徴 状態 現在 現状
    理由 用語 用語集 用途 目次 目的 示唆 種別 種類 範囲 結果 結論 考察 背景 背景と目的 表
    補足 要約 観点 解決策 設定 設定例 設定方法 設計 設計上の示唆 評価 試してみる 詳細 説明
    課題 課題一覧 議論 議題 質問 過去 適用フロー 適用範囲 関連 関連リンク 関連資料 項目"""
)
"""Japanese words that name nothing by themselves."""


GENERIC_HEADERS = word_set("""description meaning definition what note notes explanation content
    value summary details
    説明 意味 内容 概要 定義 備考 詳細""") | {"what it is", "what it does", "purpose"}
"""Heads that add nothing to the cells below them."""
