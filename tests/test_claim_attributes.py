"""What an attribute of claims is stands in one table; readers, prompts and documents follow it."""

from __future__ import annotations

from pathlib import Path

from llmwiki.core.claim_attributes import CLAIM_ATTRIBUTES
from llmwiki.ingest.extraction.prompt import RULES, SHAPE
from llmwiki.ingest.extraction.schema import ExtractedClaim

_READ = [each for each in CLAIM_ATTRIBUTES if each.field]


def test_an_attribute_that_a_reader_gives_is_a_field_of_its_claims_and_asked_for() -> None:
    for each in _READ:
        assert each.field in ExtractedClaim.model_fields
        assert f"`{each.field}`" in RULES
        assert f'"{each.field}": ' in SHAPE


def test_the_document_of_the_format_names_every_attribute() -> None:
    text = (Path(__file__).parent.parent / "docs/format.md").read_text()
    table = text.partition("| attribute |")[2].partition("\n\n")[0]
    for each in CLAIM_ATTRIBUTES:
        assert f"`{each.name}`" in table
        assert all(f"`{value}`" in table for value in each.values)
