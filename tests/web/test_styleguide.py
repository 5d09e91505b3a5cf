"""The style guides are for those who build the pages, not for members and scorers.

Whoever adds a component to the scorer's console adds it to its style guide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

ROOT = Path(__file__).parent.parent.parent
TEMPLATES = ROOT / "templates"
SCRIPTS = ROOT / "static" / "js"
INCLUDED = re.compile(r'{% include "([^"]+)" %}')
IMPORTS = re.compile(r"^import .*?;$", re.MULTILINE | re.DOTALL)
EXPORTED = re.compile(r"^export (?:async )?function (\w+)(.*?)^}", re.MULTILINE | re.DOTALL)
DRAWS = re.compile(r"\.(textContent|hidden) = |replaceChildren|setAttribute|showModal|\bsay\w*\(")
# `el` makes an element that its caller places; `listenToFind` only acts on a key.
DRAW_NOTHING_BY_THEMSELVES = {"el", "listenToFind"}


def test_the_style_guide_shows_every_state_of_a_play(client: FlaskClient) -> None:
    page = client.get("/styleguide").text
    for words in (
        "Touchdown!",
        "<del>",
        "After review: ",
        'class="chip review"',
        "Score unconfirmed",
    ):
        assert words in page, words


def test_there_is_none_in_production(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(app.config["PRESSBOX"], production=True)
    monkeypatch.setitem(app.config, "PRESSBOX", settings)
    for address in ("/styleguide", "/styleguide/console", "/styleguide/desk"):
        assert client.get(address).status_code == 404, address


def test_every_component_template_of_the_console_is_shown() -> None:
    parts = {f"console/{path.name}" for path in (TEMPLATES / "console").glob("_*.html")}
    included: set[str] = set()
    unread = [path.relative_to(TEMPLATES) for path in (TEMPLATES / "styleguide").glob("*.html")]
    while unread:
        names = set(INCLUDED.findall((TEMPLATES / unread.pop()).read_text())) - included
        included |= names
        unread += [Path(name) for name in names]
    assert "console/_plays.html" in included, "parts of parts count"
    assert sorted(parts - included) == []


def test_every_drawing_function_of_the_console_is_shown() -> None:
    drawing = set(drawing_functions())
    assert {"drawPrompt", "drawHandover", "sayTakenOut", "askToLeave"} <= drawing
    guides = "".join(
        IMPORTS.sub("", path.read_text()) for path in (SCRIPTS / "styleguide").rglob("*.js")
    )
    assert sorted(name for name in drawing if not re.search(rf"\b{name}\b", guides)) == []


def drawing_functions() -> Iterator[str]:
    """The names of the functions that change what the console's and the spotter's pages show."""
    for folder in ("console", "spotter"):
        for path in (SCRIPTS / folder).rglob("*.js"):
            for name, body in EXPORTED.findall(path.read_text()):
                if DRAWS.search(body) and name not in DRAW_NOTHING_BY_THEMSELVES:
                    yield name
