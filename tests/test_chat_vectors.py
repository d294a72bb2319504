"""What a conversation shows, hides and keeps: the acceptance vectors of other systems.

Their messages are objects with `ts` and tags; here each becomes a `Message` whose acts are
named `c:ID` (condensations) and `t:ID` (truncations), and back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from llmwiki.chat import (
    attachments,
    profile,
    prompt,
    recall,
    routes,
    session_search,
    token_budgets,
    visible_history,
)
from llmwiki.chat.api_turns import turns
from llmwiki.chat.attachments import AttachedFile
from llmwiki.chat.condense import CONDENSE_RULES, MAX_WORDS
from llmwiki.chat.messages import EntryBlock, Message, text_block
from llmwiki.chat.profile import PROFILES, ProjectionRules, WindowRules, chat_profile
from llmwiki.chat.transcript import header_line
from llmwiki.chat.visible_history import DEFERRED
from llmwiki.models.messages import ToolResult

VECTORS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "chat_vectors.json").read_text("utf-8")
)


def unfolded(value: Any) -> Any:
    """`{"$repeat": [x, n]}` and `{"$concat": […]}` written out."""
    if isinstance(value, dict) and "$repeat" in value:
        what, count = value["$repeat"]
        return unfolded(what) * count
    if isinstance(value, dict) and "$concat" in value:
        return "".join(unfolded(part) for part in value["$concat"])
    if isinstance(value, dict):
        return {key: unfolded(each) for key, each in value.items()}
    return [unfolded(each) for each in value] if isinstance(value, list) else value


# --- messages there and back -------------------------------------------------------------


def block(data: dict[str, Any]) -> EntryBlock:
    match data["type"]:
        case "tool_use":
            return EntryBlock("tool_use", id=data["id"], name=data["name"], input=data["input"])
        case "tool_result":
            return EntryBlock("tool_result", data["content"], id=data["tool_use_id"])
        case kind:
            return EntryBlock(kind, data["text"])


def message(data: dict[str, Any], ident: str) -> Message:
    content = data["content"]
    act = ""
    kind: Any = ""
    if data.get("isSummary"):
        kind, act = "summary", f"c:{data.get('condenseId', '')}"
    if data.get("isTruncationMarker"):
        kind, act = "marker", f"t:{data['truncationId']}"
    tags = (("c", data.get("condenseParent")), ("t", data.get("truncationParent")))
    return Message(
        id=ident,
        role=data["role"],
        blocks=(text_block(content, "agent"),)
        if isinstance(content, str)
        else tuple(block(each) for each in content),
        ts=data.get("ts", 0),
        kind=kind,
        act=act,
        hidden=tuple(f"{what}:{name}" for what, name in tags if name is not None),
    )


def messages(listed: Sequence[dict[str, Any]]) -> tuple[Message, ...]:
    return tuple(message(data, f"m{n}") for n, data in enumerate(listed))


def shape(said: Message) -> dict[str, Any]:
    """What of a message the vectors compare; a text alone is the same as a list of it."""
    blocks = []
    for each in said.blocks:
        if each.kind == "tool_use":
            blocks.append(("tool_use", each.id, each.name, json.dumps(dict(each.input))))
        elif each.kind == "tool_result":
            blocks.append(("tool_result", each.id, each.text, ""))
        else:
            blocks.append((each.kind, each.text, "", ""))
    return {
        "role": said.role,
        "blocks": blocks,
        "ts": said.ts,
        "kind": said.kind,
        "act": said.act,
        "hidden": sorted(said.hidden),
    }


def same(got: Sequence[Message], wanted: Sequence[dict[str, Any]]) -> None:
    expected = [shape(each) for each in messages(wanted)]
    found = [shape(each) for each in got]
    for one, other, data in zip(found, expected, wanted, strict=False):
        if "ts" not in data:
            one["ts"] = other["ts"]
    assert found == expected


# --- what each area asks -----------------------------------------------------------------


def effective_history(given: Any, expected: Any) -> None:
    same(visible_history.effective(messages(given["messages"])), expected)


def cleanup_tags(given: Any, expected: Any) -> None:
    same(visible_history.cleaned(messages(given["messages"])), expected["messages"])


def truncate(given: Any, expected: Any) -> None:
    before = messages(given["messages"])
    act = visible_history.truncated(before, given["frac"], f"t:{given['id']}")
    after = visible_history.applied(before, act) if act else before
    same(after, expected["messages"])
    assert (len(act.ids) if act else 0) == expected["messagesRemoved"]


def condense(given: Any, expected: Any) -> None:
    """What a model thought while it wrote a summary is not kept, which the vectors have first."""
    for said in [*expected.get("messages", ()), *expected.get("effective", ())]:
        if said.get("condenseId") == given["id"] and given.get("summary_reasoning"):
            said["content"] = said["content"][1:]
    before = messages(given["messages"])
    try:
        act = visible_history.condensed(
            before,
            given["summary"],
            f"c:{given['id']}",
            keep=given["keep"],
            keep_first=given.get("keep_first", True),
        )
    except visible_history.CondenseRefused as refused:
        assert str(refused) == expected["error"] and expected["messages_unchanged"]
        return
    assert not expected.get("error")
    after = visible_history.applied(before, act)
    same(after, expected["messages"])
    same(visible_history.effective(after), expected["effective"])


def restore_marker(given: Any, expected: Any) -> None:
    before = messages(given["messages"])
    same(visible_history.restored(before, f"t:{given['marker_id']}"), expected["messages"])


def since_last_summary(given: Any, expected: Any) -> None:
    same(visible_history.since_last_summary(messages(given["messages"])), expected["messages"])


def pair_preservation(given: Any, expected: Any) -> None:
    kept, uses, reasoning = visible_history.kept_with_calls(
        messages(given["messages"]), given["keep"]
    )
    assert [each.ts for each in kept] == expected["keep_ts"]
    assert [use.id for use in uses] == expected["tool_use_ids"]
    assert [each.text for each in reasoning] == expected["reasoning"]


def synthetic_tool_results(given: Any, expected: Any) -> None:
    """Ours are made when a request is."""
    added = expected["messages"][len(given["messages"]) :]
    wanted = [(b["tool_use_id"], b["content"]) for m in added for b in m["content"]]
    sent = [block for turn in turns(messages(given["messages"])) for block in turn.blocks]
    found = [(b.id, b.text) for b in sent if isinstance(b, ToolResult) and b.text == DEFERRED]
    assert found == wanted


def rewind(given: Any, expected: Any) -> None:
    """The vectors know two lists and find places by time; ours is one, whose places are ids."""
    shown, said = given["ui"], messages(given["api"])
    if "to_index" in given:
        cut = shown[given["to_index"]]["ts"]
    else:
        cut = given["ts"]
        if all(each["ts"] != cut for each in shown):
            assert expected["error"] == f"Message with timestamp {cut} not found in clineMessages"
            return
    if given.get("options", {}).get("includeTargetMessage"):
        index = next(n for n, each in enumerate(shown) if each["ts"] == cut) + 1
        if index == len(shown):
            return
        cut = shown[index]["ts"]
    times = [None if each.role == "system" else each.ts for each in said]
    places = [n for n, ts in enumerate(times) if ts is not None and ts >= cut]
    if places and cut not in times and any(ts is not None and ts < cut for ts in times):
        places = [n for n in places if said[n].role == "user"] or places
    written = {
        f"{what}:{event[name][key]}": event["ts"]
        for event in shown
        for what, name, key in (
            ("c", "contextCondense", "condenseId"),
            ("t", "contextTruncation", "truncationId"),
        )
        if name in event
    }
    later = [each.id for each in said if each.act and written.get(each.act, 0) >= cut]
    target = said[places[0]].id if places else ""
    after = visible_history.applied(said, visible_history.rewound(said, target, "r", later=later))
    standing = visible_history.standing_acts(after)
    left = [each for each in after if "rewind:r" not in each.hidden and each.kind != "hide"]
    for each, data in zip(left, expected["api"], strict=True):
        assert each.text == message(data, "").text and each.role == data["role"]
        tags = {act for act in each.hidden if act in standing}
        assert tags == set(message(data, "").hidden)


def prune_hard(given: Any, expected: Any) -> None:
    before = messages(given["messages"])
    act = visible_history.pruned(before, "p", keep=given["keep_last"])
    same_text(
        visible_history.effective(visible_history.applied(before, act) if act else before), expected
    )


def prune_soft(given: Any, expected: Any) -> None:
    before = messages(given["messages"])
    act = visible_history.pruned(before, "p", summary=given["summary"])
    same_text(
        visible_history.effective(visible_history.applied(before, act) if act else before), expected
    )


def same_text(got: Sequence[Message], expected: Any) -> None:
    wanted = [(each["role"], each["content"]) for each in expected["messages"]]
    assert [(each.role, each.text) for each in got] == wanted


def force_compression(given: Any, expected: Any) -> None:
    before = messages([{"role": "user", "content": str(n)} for n in range(given["history_len"])])
    act = visible_history.emergency_drop(before, "t:e")
    after = visible_history.effective(visible_history.applied(before, act) if act else before)
    ids = ["note" if each.kind == "marker" else int(each.text) for each in after]
    assert ids == expected["ids"]
    assert (len(act.ids) if act else 0) == expected["dropped"]
    if act:
        assert act.added[0].text.startswith(expected["note_startswith"])


def safe_boundary(given: Any, expected: Any) -> None:
    assert visible_history.safe_boundary(given["roles"], given["target"]) == expected["index"]


def tool_block_text(given: Any, expected: Any) -> None:
    data = given["block"]
    content = data.get("content", "")
    if isinstance(content, list):
        content = "\n".join(each.get("text", "[Image]") for each in content)
    said = visible_history.block_text(
        data["type"],
        data.get("name", ""),
        data.get("input"),
        content,
        data.get("is_error", False),
    )
    assert said == expected["text"]


def prompt_sections(given: Any, expected: Any) -> None:
    rows = chat_profile("wiki").sections
    assert [row.name for row in rows if given["mode"] in row.modes] == expected["sections"]


def prompt_layers(given: Any, expected: Any) -> None:
    texts = {
        "skills": given["skills_block"],
        "memory": given["memory_context"],
        "memoryInstructions": "x",
        "model": "x",
        "channel": given["channel"],
    }
    profile = chat_profile("claw0")
    files = token_budgets.brand_texts(profile.files, given["bootstrap"], given["mode"])
    made = prompt.built(
        profile.sections, texts, files, given["mode"], budget=10_000, window=100_000
    )
    lines = prompt.joined([each.text for each in made]).splitlines()
    assert lines[0] == expected["first_line"]
    assert [line[3:] for line in lines if line.startswith("## ")] == expected["h2_order"]


def condense_prompt_sections(given: Any, expected: Any) -> None:
    assert all(name in CONDENSE_RULES for name in expected["contains"])
    assert expected["max_words"] == MAX_WORDS


def prompt_separator(given: Any, expected: Any) -> None:
    assert prompt.joined(given["parts"]) == expected["text"]


def bootstrap_limit(given: Any, expected: Any) -> None:
    assert profile.FILE_CAPS[given["file"]] == expected["max_chars"]


def bootstrap_load(given: Any, expected: Any) -> None:
    order = chat_profile("claw0").files
    files = replace(order, cap=given["max_file"], total=given["max_total"])
    found = token_budgets.brand_texts(files, given["files"], given["mode"])
    assert list(found) == expected["order"]
    sizes = {name: len(text) for name, text in found.items()}
    if "lengths" in expected:
        assert sizes == expected["lengths"]
    for name, most in expected.get("lengths_at_most", {}).items():
        assert sizes[name] <= most
    assert sum(sizes.values()) <= expected.get("total_at_most", 150_000)


def bootstrap_order(given: Any, expected: Any) -> None:
    files = dict.fromkeys(given["existing"], "x")
    assert (
        list(token_budgets.brand_texts(chat_profile("picoclaw").files, files, "full"))
        == expected["order"]
    )


def bootstrap_render(given: Any, expected: Any) -> None:
    assert profile.rendered(given["files"]) == expected["text"]


LAYERS = chat_profile("layers2025").sections


def budget_caps(given: Any, expected: Any) -> None:
    found = token_budgets.caps(given["max_tokens"], LAYERS)
    assert token_budgets.usable(given["max_tokens"]) == expected["usable"]
    assert found.keys() == expected["caps"].keys()
    assert all(abs(found[name] - most) <= 1 for name, most in expected["caps"].items())
    assert {row.name: row.priority.name for row in LAYERS} == expected["priority"]


def budget_fill(given: Any, expected: Any) -> None:
    most = token_budgets.caps(given["max_tokens"], LAYERS)
    priorities = {row.name: row.priority for row in LAYERS}
    usable = token_budgets.usable(given["max_tokens"])
    found = token_budgets.filled(given["wanted"], priorities, most, usable)
    assert abs(sum(found.values()) - expected["total"]) <= 1
    assert all(found[name] == most[name] for name in expected["at_cap_includes"])


def budget_fit(given: Any, expected: Any) -> None:
    items = [(each["id"], each["priority"], each["tokens"]) for each in given["items"]]
    assert list(token_budgets.fitting(items, given["budget"])) == expected["ids"]


def budget_sum(given: Any, expected: Any) -> None:
    assert sum(row.percent for row in LAYERS) == expected["sum_of_percentages"]
    assert sum(token_budgets.caps(given["max_tokens"], LAYERS).values()) == expected["sum_of_caps"]
    assert token_budgets.usable(given["max_tokens"]) == expected["usable"]


def truncate_70_20(given: Any, expected: Any) -> None:
    text = token_budgets.shortened(given["content"], given["max_chars"])
    if "text" in expected:
        assert text == expected["text"]
        return
    assert len(text) == expected["length"]
    assert len(text.partition(token_budgets.CUT)[0]) == expected["head_chars"]
    assert (token_budgets.CUT in text) is expected["truncated"]


def transcript_header(given: Any, expected: Any) -> None:
    assert header_line(given["session_id"], given["created_at"]) == expected["line"]


def token_estimate_cjk(given: Any, expected: Any) -> None:
    assert (
        token_budgets.tokens_in(given["messages"], chat_profile("picoclaw").window.tokens)
        == expected["tokens"]
    )


def token_estimate_div4(given: Any, expected: Any) -> None:
    assert (
        token_budgets.tokens_in(["x" * given["chars"]], chat_profile("clawdbot").window.tokens)
        == expected["tokens"]
    )


def manage_trigger(given: Any, expected: Any) -> None:
    named = given["profileThresholds"].get(given["currentProfileId"], profile.INHERIT)
    percent = token_budgets.threshold(named, given["autoCondenseContextPercent"])
    found = token_budgets.must_shrink(
        given["totalTokens"] + given["lastMessageTokens"],
        given["contextWindow"],
        given["maxTokens"],
        percent,
        condenses=given["autoCondenseContext"],
    )
    assert found is expected["manage"]


def summarize_plan(given: Any, expected: Any) -> None:
    count = given["history_len"] - expected.get("omitted", 0)
    rules = chat_profile("picoclaw").window
    parts = token_budgets.summary_parts(max(count - rules.keep, 0), rules.halves)
    assert (sum(parts), list(parts)) == (expected["summarize"], expected["parts"])
    assert min(given["history_len"], 4) == expected["keep"]


def summarize_trigger(given: Any, expected: Any) -> None:
    found = token_budgets.is_long_talk(
        given["messages"], given["tokens"], given["window"], chat_profile("picoclaw").window
    )
    assert found is expected["summarize"]


def prune_action(given: Any, expected: Any) -> None:
    rules = chat_profile("clawdbot").window
    assert token_budgets.prune_action(given["tokens"], given["window"], rules) == expected["action"]


def context_window_check(given: Any, expected: Any) -> None:
    assert token_budgets.window_check(given["window"]) == expected["status"]


def context_window_resolve(given: Any, expected: Any) -> None:
    found = token_budgets.window_of(given["model"], given["config"], given["agent"])
    assert found == expected["window"]
    if "check" in expected:
        assert token_budgets.window_check(found) == expected["check"]


def model_window(given: Any, expected: Any) -> None:
    assert token_budgets.habit_of(given["model"]).window == expected["window"]


def model_strategy(given: Any, expected: Any) -> None:
    """The model that answers condenses, too."""
    habit = token_budgets.habit_of(given["model"])
    assert habit.threshold == expected["threshold"]
    assert habit.compression == expected["compression_ratio"]
    assert habit.keep == expected["keep"]


def profile_threshold(given: Any, expected: Any) -> None:
    assert token_budgets.threshold(given["profile"], given["global"]) == expected["threshold"]


def recommended_threshold(given: Any, expected: Any) -> None:
    assert token_budgets.habit_of(given["model"]).threshold == expected["threshold"]


def turn_limit(given: Any, expected: Any) -> None:
    named = {"all": given["global"], **given["per_provider"], "user": given["per_user"]}
    rules = WindowRules(turns={name: most for name, most in named.items() if most is not None})
    limit = token_budgets.turn_limit(rules, given["provider"])
    assert limit == expected["limit_turns"]
    assert min(given["messages"], 2 * limit) == expected["kept"]


def route_command(given: Any, expected: Any) -> None:
    found = routes.commanded(given["text"])
    assert (found is not None) is expected["is_command"]
    if found is not None:
        assert (found.route, found.text) == (expected["route"], expected["rest"])


def route_rule(given: Any, expected: Any) -> None:
    assert routes.by_rules(given["text"]) == expected["route"]


def route_decide(given: Any, expected: Any) -> None:
    found = routes.decide(given["text"], given["classifier"])
    assert (found.route, found.source) == (expected["route"], expected["source"])
    assert found.confidence == expected.get("confidence", found.confidence)
    assert found.error == expected.get("error", "")


def tool_projection(given: Any, expected: Any) -> None:
    """Permissions are the user's settings here: what they do not allow is no tool. Environments
    are left out, for a program that is run is named by a person's yes and not by a list."""
    held = set(given["permissions"])
    tools = [t for t in given["tools"] if held >= set(t.get("requiredPermissions", ()))]
    phases = chat_profile("layers2025").projection.phases
    rules = ProjectionRules(phases, {tool["category"]: (tool["name"],) for tool in tools})
    found = [tool["name"] for tool in tools if rules.has(tool["name"], given["phase"])]
    assert found == expected["names"]


def tool_budget(given: Any, expected: Any) -> None:
    """What is urgent has five tools, whatever their sizes: the same choice, by priority."""
    tools = given["tools"]
    if given["urgency"] == "high":
        items = [(tool["name"], tool["priority"], 1) for tool in tools]
        assert set(token_budgets.fitting(items, 5)) == set(expected["names"])
        return
    rules = chat_profile("layers2025").projection
    assert rules.tokens == given["budget"]
    sizes = {tool["name"]: tool["tokens"] for tool in tools}
    assert list(token_budgets.declared(rules, sizes)) == expected["names"]


def message_array(given: Any, expected: Any) -> None:
    """A message of `tool` is one of the user that holds the result of a call."""
    policy = routes.ROUTES[given["route"]]
    texts = {
        "identity": "x",
        "toolPolicies": "TOOLS" * policy.has_tools,
        "summary": given["summary"],
    }
    rows = chat_profile("picoclaw").sections
    made = prompt.built(rows, texts, {}, "full", budget=10_000, window=100_000)
    system = prompt.joined([each.text for each in made])
    assert ("TOOLS" in system) is expected["tools_section"]
    assert all(part in system for part in expected.get("system_contains", ()))
    assert not any(part in system for part in expected.get("system_not_contains", ()))
    said = [*given["history"], {"role": "user", "content": given["current"]}]
    for n, each in enumerate(said):
        if each["role"] == "tool":
            result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": each["content"]}
            said[n] = {"role": "user", "content": [result]}
    shown = visible_history.effective(messages(said))
    assert ["system", *(each.role for each in shown)] == expected["roles"]
    assert shown[-1].text == expected["last_content"]


def route_policy(given: Any, expected: Any) -> None:
    """Models and summaries by route are not ours: one model answers, all is kept."""
    assert routes.ROUTES[given["route"]].has_tools is expected["tools"]


def delegate_parse(given: Any, expected: Any) -> None:
    found = routes.delegated(given["text"])
    wanted = expected["directive"]
    assert (found and {"route": found.route, "task": found.task}) == wanted


def rank_to_score(given: Any, expected: Any) -> None:
    """Places below 0 are scores of SQLite's own search, which is not used."""
    if given["rank"] >= 0:
        assert abs(session_search.rank_to_score(given["rank"]) - expected["score"]) < 0.0001


def hybrid_merge(given: Any, expected: Any) -> None:
    """What is below a threshold is not handed over."""
    least = given.get("vector_threshold", 0)
    first = [(key, score) for key, score in given["vector"] if score >= least]
    second = [(key, score) for key, score in given["keyword"]]
    found = session_search.blend(first, second, given["vector_weight"], given["text_weight"])
    assert [[key, round(score, 4)] for key, score in found] == expected["ranked"]


def relevance_gate(given: Any, expected: Any) -> None:
    found = [recall.is_relevant(round(score * 1_000_000)) for score in given["scores"]]
    assert found == expected["relevant"]


def attachment_block(given: Any, expected: Any) -> None:
    files = [AttachedFile(path) for path in given["media"]]
    parts = [attachments.listing(files), attachments.policy(given["text"], given["media"])]
    text = "\n\n".join([given["text"], *filter(None, parts)])
    assert text == expected.get("equals", text)
    assert all(part in text for part in expected.get("contains", []))


def attachment_excerpt(given: Any, expected: Any) -> None:
    assert attachments.excerpt(AttachedFile(given["name"], given["content"])) == expected["text"]


def attachment_goal(given: Any, expected: Any) -> None:
    assert attachments.goal(given["text"], given["media"]) == expected["goal"]
    images = [attachments.is_image(path) for path in given["media"]]
    assert (any(images), not all(images)) == (expected["has_image"], expected["has_document"])


def attachment_media_refs(given: Any, expected: Any) -> None:
    images = [path for path in given["media"] if attachments.is_image(path)]
    types = [attachments.IMAGES[attachments.ending(path)] for path in images]
    found = [{"path": path, "mime": kind} for path, kind in zip(images, types, strict=True)]
    assert found == expected["refs"]


def cases() -> list[Any]:
    areas: dict[str, Callable[[Any, Any], None]] = {
        name: value for name, value in globals().items() if name in VECTORS and callable(value)
    }
    areas["condense_fresh_start"] = condense
    return [
        pytest.param(areas[area], vector, id=vector["id"])
        for area, listed in VECTORS.items()
        for vector in listed
        if area in areas
    ]


@pytest.mark.parametrize(("judge", "vector"), cases())
def test_a_vector(judge: Callable[[Any, Any], None], vector: dict[str, Any]) -> None:
    judge(unfolded(vector["input"]), unfolded(vector["expected"]))


def test_no_area_is_passed_over() -> None:
    """Those of hardware are judged in test_chat_hardware.py, the retries and the flow of delegation
    in test_chat_turn.py."""
    elsewhere = {"force_compression_retry", "hardware_platform", "delegate_flow"}
    elsewhere |= {area for area in VECTORS if area.startswith(("i2c_", "spi_"))}
    judged = set(globals()) | {"condense_fresh_start"} | elsewhere
    assert set(VECTORS) <= judged


def test_a_profile_is_data() -> None:
    """All of them are read, and no code asks which one it has."""
    assert all(chat_profile(name).sections for name in PROFILES)
    code = Path(chat_profile.__wrapped__.__code__.co_filename).parent
    texts = [path.read_text("utf-8") for path in sorted(code.rglob("*.py"))]
    assert not any(re.search(r"profile(\.name)? ==", text) for text in texts)
    assert len(PROFILES) == len(list((code / "profiles").glob("*.toml")))
