"""The style guides are for those who build the pages, not for members and scorers.

Whoever adds a component adds it to a style guide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import Environment, nodes

ROOT = Path(__file__).parent.parent.parent
TEMPLATES = ROOT / "templates"
SCRIPTS = ROOT / "static" / "js"
INCLUDED = re.compile(r'{% include "([^"]+)" %}')
_GUIDES = sorted(
    path for path in (TEMPLATES / "styleguide").glob("[!_]*.html") if path.stem != "show"
)
IMPORTS = re.compile(r"^import .*?;$", re.MULTILINE | re.DOTALL)
EXPORTED = re.compile(r"^export (?:async )?function (\w+)(.*?)^}", re.MULTILINE | re.DOTALL)
DRAWS = re.compile(r"\.(textContent|hidden) = |replaceChildren|setAttribute|showModal|\bsay\w*\(")
# `el` makes an element that its caller places; `listenToFind` only acts on a key.
DRAW_NOTHING_BY_THEMSELVES = {"el", "listenToFind"}


GUIDES = [f"/styleguide{guide}" for guide in ("", *(f"/{path.stem}" for path in _GUIDES))]
OF_PAGES = [guide for guide in GUIDES if not guide.endswith(("/console", "/desk"))]
# Imported or included, and not seen.
DRAWS_NOTHING = {
    "_htmx.html": "scripts of the head",
    "_polls.html:polls": "attributes of a fragment",
    "_share.html:preview": "the head of a shared page",
    "drafts/_act_forms.html:act": "a form around its caller's fields",
    "drafts/_act_forms.html:own": "a form around its caller's fields",
    "sheets/_acts.html:act": "attributes of a button",
    "sheets/_acts.html:turn": "attributes of a button",
    "accounts/_when.html": "a moment as text",
}
# Whole areas of one page, in a template of their own because the page's updates send them too.
AREAS_OF_ONE_PAGE = {
    "leagues/_find_member.html",
    "leagues/_found_members.html",
    "leagues/_now.html",
    "leagues/_now_own.html:most_moved",
    "leagues/_rules.html",
    "leagues/_rules_fields.html",
    "leagues/_what_if_answer.html",
    "leagues/_what_if_rules.html",
}
# They load the viewer's leagues themselves, so only a page of a league can show them.
LOADS_LEAGUES = {"boards/_whose.html", "leagues/_head.html", "leagues/_tabs.html"}


def test_every_shared_component_is_shown() -> None:
    """Shared: a macro or a part of a page that at least two templates use."""
    users: dict[str, set[str]] = {}
    for path in TEMPLATES.rglob("*.html"):
        name = str(path.relative_to(TEMPLATES))
        for component in components_used_by(name):
            users.setdefault(component, set()).add(name)
    shared = {
        component
        for component, names in users.items()
        if len([name for name in names if not name.startswith("styleguide/")]) > 1
    }
    assert {"_form.html:field", "games/_card.html", "leagues/_scoreboard.html:scoreboard"} <= shared
    on_guide: set[str] = set()
    unread = [
        str(path.relative_to(TEMPLATES)) for path in (TEMPLATES / "styleguide").glob("*.html")
    ]
    while unread:
        template = unread.pop()
        components = {*components_used_by(template), *frames_of(template)} - on_guide
        on_guide |= components
        unread += {component.partition(":")[0] for component in components}
    excused = {*DRAWS_NOTHING, *AREAS_OF_ONE_PAGE, *LOADS_LEAGUES}
    assert sorted(shared - on_guide - excused) == [], "show them in templates/styleguide/"
    assert sorted(excused - shared) == [], "they are gone"


def frames_of(template: str) -> set[str]:
    """The template that this one extends."""
    return named_by(template, nodes.Extends)


def named_by(template: str, kind: type[nodes.Include | nodes.Extends]) -> set[str]:
    tree = syntax_tree(template)
    return {
        node.template.value
        for node in tree.find_all(kind)
        if isinstance(node.template, nodes.Const)
    }


def syntax_tree(template: str) -> nodes.Template:
    return Environment(autoescape=True).parse((TEMPLATES / template).read_text())


def components_used_by(template: str) -> set[str]:
    """The parts that the template includes, and the macros that it calls, as `part:macro`."""
    tree = syntax_tree(template)
    used = named_by(template, nodes.Include)
    called = {node.name for node in tree.find_all(nodes.Name) if node.ctx == "load"}
    for node in tree.find_all(nodes.FromImport):
        assert isinstance(node.template, nodes.Const)
        pairs = [(name, name) if isinstance(name, str) else name for name in node.names]
        used |= {f"{node.template.value}:{name}" for name, alias in pairs if alias in called}
    return used


@pytest.mark.parametrize("address", OF_PAGES)
def test_a_style_guide_repeats_no_id(client: FlaskClient, address: str) -> None:
    page = client.get(address)
    assert page.status_code == 200
    ids = re.findall(r'\sid="([^"]+)"', page.text)
    assert "main" in ids
    assert sorted({name for name in ids if ids.count(name) > 1}) == []


def test_the_style_guide_shows_every_state_of_a_play(client: FlaskClient) -> None:
    page = client.get("/styleguide/games").text
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
    for address in GUIDES:
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
