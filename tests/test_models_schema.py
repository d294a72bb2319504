"""From a pydantic schema to what structured outputs accept, and from text to an object."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from fake_messages_rules import InvalidRequest, validate

from llmwiki.ingest.extraction.schema import Extraction
from llmwiki.models.json_answers import output_schema, parse_object

HEADERS = {"authorization": "Bearer x", "anthropic-version": "x"}


def check(schema: dict[str, object]) -> None:
    output = {"format": {"type": "json_schema", "schema": schema}}
    body = {
        "model": "m",
        "max_tokens": 1,
        "messages": [{"role": "user", "content": "x"}],
        "output_config": output,
    }
    validate(HEADERS, body, ())


def test_the_schema_of_an_extraction_is_accepted() -> None:
    schema = output_schema(Extraction.model_json_schema())
    check(schema)
    with pytest.raises(InvalidRequest):
        check(Extraction.model_json_schema())


def test_nullable_becomes_optional_and_defaults_become_required() -> None:
    schema: Any = output_schema(Extraction.model_json_schema())
    subject = schema["properties"]["subjects"]["items"]
    assert set(subject["properties"]) - set(subject["required"]) == {
        "lead",
        "add_to_lead",
        "same_as",
    }
    assert subject["properties"]["lead"]["type"] == "string"
    described = {
        "anyOf": [{"type": "string", "maxLength": 9}, {"type": "null"}],
        "description": "A",
    }
    closed: Any = output_schema({"type": "object", "properties": {"lead": described}})
    assert closed["properties"]["lead"] == {"type": "string", "description": "A (maxLength 9)"}
    assert closed["required"] == []
    claim = schema["properties"]["claims"]["items"]
    assert "evidence" in claim["required"]
    assert "maxItems 3" in claim["properties"]["evidence"]["description"]
    assert claim["properties"]["evidence"]["items"]["required"] == ["quote"]
    relation = schema["properties"]["relations"]["items"]
    assert set(relation["properties"]) == {"from", "to", "label", "claim"}
    assert schema["properties"]["end"]["const"] is True
    assert schema["required"][-1] == "end"


@pytest.mark.parametrize(
    "text",
    ['{"a": 1}', ' {"a": 1}\n', '```json\n{"a": 1}\n```', 'Here:\n```\n{"a": 1}\n```\nDone {x}',
     'I found {"a": 1}.'],
)  # fmt: skip
def test_an_object_is_found(text: str) -> None:
    assert parse_object(text) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("no", "not JSON"),
        ("[1]", "not an object"),
        ('{"a": 1', "not JSON"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a":' * 100_000, "deep"),
    ],
)
def test_what_is_no_object_is_explained(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_object(text)


def test_its_bytes_are_the_same_in_every_process() -> None:
    code = (
        "import json; from llmwiki.ingest.extraction.schema import Extraction; "
        "from llmwiki.models.json_answers import output_schema; "
        "print(json.dumps(output_schema(Extraction.model_json_schema())))"
    )
    seeds = ({**os.environ, "PYTHONHASHSEED": seed} for seed in ("1", "2", "3"))
    told = {subprocess.check_output([sys.executable, "-c", code], env=env) for env in seeds}
    assert len(told) == 1
