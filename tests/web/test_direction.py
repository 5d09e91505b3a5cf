"""Names that people choose are isolated in every template, against right-to-left overrides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask import Flask

from app.core.bidi import isolated
from app.fantasy.notices import words

TEMPLATES = Path(__file__).parents[2] / "templates"
HEBREW, ARABIC = "\u05d3\u05e0\u05d4", "\u0633\u0645\u064a\u0631"
# A name as text, in no attribute, which isolates what is in it: an expression that ends with it.
NAME = re.compile(
    r"\{\{ [a-z_.\[\]0-9]*\b"
    r"(?:display_name|team_name|(?:gamer|person|league|pool|integrator|room|mock|column)\.name"
    r"|(?:game|mode)\.title|pick\.team|lot\.leader|cell\.owner|post\.author)"
    r" \}\}"
)
TAG = re.compile(r"</?[a-z]")


def bare_names(text: str) -> list[str]:
    """Expressions of names without the filter `isolated` that stand in no `bdi` and in no tag."""
    bare = []
    for name in NAME.finditer(text):
        before = text[: name.start()]
        opened = before.rfind("<")
        in_tag = opened > before.rfind(">") and TAG.match(before, opened)
        if not in_tag and not before.endswith("<bdi>"):
            bare.append(name[0])
    return bare


def test_every_template_isolates_names() -> None:
    bare = {
        str(path.relative_to(TEMPLATES)): bare_names(path.read_text())
        for path in TEMPLATES.rglob("*.html")
    }
    assert {path: names for path, names in bare.items() if names} == {}, (
        "write {{ name|isolated }}, or <bdi> in a cell"
    )


@pytest.mark.parametrize("name", [HEBREW, ARABIC, f"Ann {HEBREW}"])
def test_a_right_to_left_name_is_isolated_in_a_sentence(app: Flask, name: str) -> None:
    """UAX #9, 2.4: between FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE."""
    assert isolated(name) == f"\u2068{name}\u2069"
    assert (
        app.jinja_env.from_string("{{ name|isolated }}: 800").render(name=name)
        == f"\u2068{name}\u2069: 800"
    )
    assert words.renamed(name, "Row").title == f"\u2068{name}\u2069 is now called Row"


def test_other_names_stay_as_they_are() -> None:
    assert isolated("Zo\u00eb O'Neil 7") == "Zo\u00eb O'Neil 7"
