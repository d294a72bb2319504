"""The closed word lists of English and Japanese that the rules ask."""

from __future__ import annotations

PRONOUNS = frozenset(
    """it its this that these those they their them he his him she her hers we our us i my me you
    your there here such both either neither each one ones some others another former latter same
    everything something nothing anything everyone someone nobody all most many few several what
    who which whose""".split()
)
"""Words that point elsewhere: a sentence that starts with one does not stand alone."""

FUNCTION_WORDS = frozenset(
    """a an the of in on at by for with from to into onto over under as than or and but nor so yet
    if then else when while where because since until although though unless whether is are was
    were be been being has have had do does did will would shall should can could may might must
    not no only just also very too more less least much about after before between during without
    within against per via how why again ever never always often now still even every any however
    therefore thus hence instead otherwise moreover furthermore meanwhile besides finally first
    second third next last""".split()
) | PRONOUNS

OPENERS_DEPENDENT = frozenset(
    """and but or so then also thus hence therefore otherwise instead moreover furthermore besides
    meanwhile similarly likewise conversely consequently accordingly additionally finally again
    still yet nor else next secondly thirdly""".split()
)
"""Connectives: what follows leans on the sentence before."""

IMPERATIVES = frozenset(
    """add apply ask assume avoid be begin bring build call change check choose click clone close
    compare configure consider convert copy create define delete describe disable do don't download
    drag drop edit enable ensure enter export extract fill find follow get give go have hit
    import include insert install join keep launch learn leave let limit list load look make
    measure merge migrate move navigate note open pass paste pick place point prefer press publish
    pull push put read refer remember remove rename replace restart return review run save scroll
    search see select send set show skip start stop store submit switch take test tell think treat
    try turn type understand update upload use verify view visit wait watch work write""".split()
)
GERUNDS = frozenset(
    """adding applying avoiding becoming being building calling changing checking choosing
    configuring converting creating customizing customising debugging defining deleting deploying
    designing developing editing enabling exploring exporting extending finding fixing getting
    giving handling having helping implementing importing improving installing integrating
    introducing keeping learning looking making managing measuring migrating moving opening
    organizing organising picking preparing publishing putting reading removing renaming running
    selecting sending setting sharing showing starting stopping storing taking testing thinking
    trying turning understanding updating upgrading using verifying viewing working
    writing""".split()
)

GENERIC = frozenset(
    """abstract acknowledgement acknowledgements action actions addendum additional agenda aim
    aims alternative alternatives analysis announcement answer answers api appendix application
    approach architecture article attendee attendees author authors background basics before after
    benefit benefits bibliography bug bugs caveat caveats change changelog changes chapter checklist
    citation citations code column comment comments common comparison component components concept
    concepts conclusion conclusions config configuration consequence consequences consideration
    considerations constraint constraints contact content contents context contribute contributing
    contributor contributors cost costs credit credits criteria criterion current data date dates
    decision decisions default defaults definition definitions demo dependencies description
    design detail details development diagram difference differences discussion document
    documentation document documents download downloads effect effects email end entry entries epilogue
    error errors evaluation event events evidence example examples exercise exercises
    experiment experiments explanation fact facts faq feature features feedback field fields figure
    figures file files finding findings fix flow follow-up follow-ups footnote footnotes format
    foreword formats function functions future general glossary goal goals group groups guide guidelines
    help highlights history home how howto id idea ideas implementation implications index info
    information input inputs installation instructions interface intro introduction issue issues
    item items key keys kind kinds known language languages layout lead legend lesson lessons level
    levels library license licence limit limitation limitations limits line lines link links list
    lists location log main material materials meaning measure measurement measurements meeting
    message messages method methodology methods metric metrics minute minutes miscellaneous
    misc mission mode model models module modules motivation name names news non-goals note notes
    number numbers objective objectives observation observations open option options order
    other others outcome outcomes outlook output outputs overview owner owners page pages paper
    paragraph parameter parameters part participant participants parts path paths pattern
    patterns people person phase pitfalls place plan plans point points policy postscript practice
    preface preliminaries premise prerequisite prerequisites present previous principle principles
    prior problem problems procedure process product progress project prologue proof property properties
    proposal proposals pros cons purpose question questions quickstart quote quotes rationale
    reading readme reason reasons recap recommendation recommendations record records reference
    references related remark remarks report requirement requirements research resource
    resources result results retrospective review risk risks roadmap role roles row rule rules sample
    samples scenario scenarios schedule scope screenshot screenshots section sections
    see service services setting settings setup shortcut shortcuts side situation size
    solution solutions source sources spec specification stage standard start state statement
    status step steps story strategy strength strengths structure structures study subject
    suggestion suggestions summary support symptom symptoms synopsis system systems table tables
    takeaway takeaways target task tasks team teams technique techniques technology template term
    terminology terms test testing tests text theme themes theory thing things thought thoughts
    threshold time timeline times tip tips title today todo todos tomorrow tool tools topic topics total
    tradeoff trade-off tradeoffs trade-offs transcript troubleshooting tutorial type types unit
    update updates usage use user users value values variable variables version versions video view
    warning warnings way ways weakness weaknesses what why word words work workflow workflows
    world year years yesterday yes no true false none null ok always never sometimes must should
    good bad new old big small better best worse worst high low left right top bottom important
    case cases class classes client clients server page request requests response responses
    object objects process string strings number body header headers option character characters
    monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december""".split()
)
"""Words that name nothing by themselves, alone or only with each other."""

GENERIC_PHRASES = frozenset(
    """getting started|next steps|see also|further reading|table of contents|action items|open
    questions|open issues|known issues|related work|future work|how it works|how to use|quick
    start|in short|key takeaways|lessons learned|things to know|what's new|what is it|release
    notes|pros and cons|at a glance|table of content|final thoughts|closing thoughts|key points|
    main points|big picture|the problem|the solution|the idea|my setup|read more|learn more|
    bottom line|worked example|good news|bad news|other options|the end""".replace(
        "\n", " "
    )
    .replace("    ", "")
    .split("|")
)

SKIPPED_SECTIONS = frozenset(
    """reference references bibliography citation citations source sources link links external
    links|see also|further reading|table of contents|contents|acknowledgements|acknowledgments|
    license|licence|contributors|credits|toc|references and links|sources and links|一次ソース|
    参考|参考文献|参考資料|参考リンク|参照|関連リンク|関連資料|目次|出典|ライセンス|謝辞|リンク""".replace(
        "\n", " "
    )
    .replace("    ", "")
    .replace("reference references bibliography citation citations source sources link links "
             "external links", "reference|references|bibliography|citation|citations|source|"
             "sources|link|links|external links")
    .split("|")
)
"""Headings under which a document lists pointers, not statements."""

QUESTION_SECTIONS = frozenset(
    """open questions|open question|open issues|unresolved questions|unresolved|questions|
    unknowns|to be decided|未解決|未決事項|未決定|課題と疑問|オープンクエスチョン|疑問点|未調査|
    検討事項""".replace("\n", " ").replace("    ", "").split("|")
)

LABELS_IGNORED = frozenset(
    """note notes warning tip caution important info example examples e.g todo fixme result results
    why how what when where who because hint remark see update updated edit ps p.s source sources
    question answer q a step summary tl;dr tldr conclusion reason before after pro pros con cons
    output input default problem solution status date author authors url link yes no fact first
    second third finally then also however instead today related""".split()
)
"""Labels before a colon that name no subject."""

FINITE = frozenset(
    """is are was were has have had does do did can cannot can't could will would shall should must
    may might needs need uses use used makes make takes take gives give runs run lets let means mean
    becomes became keeps keep holds hold shows show returns return requires require supports support
    provides provide allows allow contains contain includes include stores store writes write reads
    read sends send works work comes come goes go costs cost grew grows fell falls rose rises took
    made gave ran found won lost chose decided agreed moved works depends depend applies apply
    isn't aren't wasn't weren't doesn't don't won't didn't hasn't haven't
    refers denotes describes consists starts stops ends remains stays creates built builds
    reduces reduced increases increased improves improved replaces replaced sits lives wants
    follows relies turns treats calls matters says said reports reported measured published
    announced released introduced started stopped helps changed changes happens happened got gets
    opens closes loads loaded saves saved serves served handles tracks accepts rejects
    refuses fails failed passes passed""".split()
)
"""Verbs that tell a sentence from a fragment; endings catch the rest."""

ABBREVIATIONS = frozenset(
    """e.g i.e etc vs cf dr mr mrs ms prof st fig figs no nos vol pp p ed eds al approx ca dept est
    inc ltd co corp jr sr eq sec ch op cit resp incl excl max min jan feb mar apr jun jul aug sep
    sept oct nov dec u.s u.k a.m p.m""".split()
)

JA_POINTERS = (
    "これ", "それ", "あれ", "この", "その", "あの", "ここ", "そこ", "本章", "本節", "本項", "本稿",
    "本書", "上記", "下記", "以下", "前述", "後述", "同様", "我々", "私", "また", "しかし", "ただし",
    "さらに", "なお", "つまり", "そして", "そのため", "したがって", "だから", "一方", "例えば",
    "たとえば", "次に", "→", "ただ", "もう", "どちら", "いずれ", "両方", "こう", "そう", "他に",
)  # fmt: skip
"""Openers that make a Japanese sentence lean on another one."""

JA_GENERIC = frozenset(
    """概要 はじめに おわりに まとめ 背景 目的 利点 欠点 問題点 問題 課題 例 具体例 実例 設定 設定例
    注意 注意点 注意事項 参考 参考文献 一次ソース 結論 要約 導入 準備 手順 使い方 使用例 使用方法
    インストール 構成 構造 設計 実装 実装例 仕様 詳細 機能 特徴 比較 比較表 評価 結果 考察 議論
    補足 備考 付録 目次 用語 用語集 質問 回答 決定 決定事項 議題 出席者 参加者 日時 場所 次回
    宿題 課題一覧 一覧 項目 内容 説明 種類 種別 名前 名称 値 型 用途 役割 動作 条件 処理 流れ
    フロー 図 表 全体像 全体 基本 応用 基本思想 背景と目的 設計上の示唆 示唆 実装観点 観点 方法
    方針 対象 理由 原因 対策 解決策 今後 今後の課題 変更履歴 更新履歴 関連 関連資料 関連リンク
    ポイント メモ その他 前提 前提条件 制約 制限 制限値 適用範囲 範囲 情報 データ 情報源 出力 入力
    ファイル コード 保存場所 形式 試してみる 主要ファイル一覧 本章のポイント 効果 影響 改善
    現在 過去 以前 以後 現状 状態 段階 手法 主な選択肢 次元 分類 分類軸 トリガー 判断主体
    アーキテクチャ システム モデル ユーザー 設定方法 適用フロー 書き込み機構 必須 任意 推奨
    デフォルト 全体フロー図 全体フロー コードウォークスルー 人 物 事 方 時 点 こと もの ため""".split()
)
