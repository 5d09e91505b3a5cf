"""Every page of the URL map, as those who may open it see it.

Axe finds nothing, and nothing runs over the edge.

A page that no walk opens and that is not excused here fails test_every_page_is_walked_or_excused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page
from werkzeug.routing import Rule

from app.core.http.access import MEMBER, PUBLIC, audience_of
from tests.conftest import emptied
from tests.e2e.looking import AXE, PHONE, looks_right
from tests.e2e.running import KEPT_KEYS, RunningPressbox
from tests.e2e.secrets_in_logs import Secrets
from tests.e2e.town import OWNER, Town, make_town

pytestmark = pytest.mark.e2e

NO_PAGE = {
    "/api/": "JSON",
    "/v1/": "JSON",
    "/assets/<name>": "a picture",
    "/clubs.css": "a style sheet",
    "/console/<game_id>/events": "JSON",
    "/console/<game_id>/footballers": "JSON",
    "/console/<game_id>/plays/<int:number>": "JSON",
    "/console/<game_id>/since/": "JSON",
    "/console/keys/pressbox-keys.json": "a download",
    "/console/sw.js": "a script",
    "/drafts/<int:draft_id>/footballers": "a fragment of the room",
    "/drafts/<int:draft_id>/mine": "a fragment of the room",
    "/drafts/<int:draft_id>/stream": "events",
    "/drafts/<int:draft_id>/updates": "JSON",
    "/games/<game_id>/export.": "downloads",
    "/healthz": "JSON",
    "/leagues/<slug>/export.": "downloads",
    "/leagues/<slug>/rankings/export.csv": "a download",
    "/leagues/<slug>/replay/<int:week>/plays.json": "JSON",
    "/leagues/<slug>/talk/members": "a fragment of the form",
    "/metrics": "for a monitor",
    "/moderation/audit.csv": "a download",
    "/moderation/scores/<uuid:event_id>/replay": "a download",
    "/leagues/<slug>/talk/<int:post_id>/picture": "a picture",
    "/moderation/posts/<int:post_id>/picture": "a picture",
    "/notices/<token>.atom": "a feed",
    "/notices/<token>.ics": "a calendar",
    "/notices/bell": "a fragment of every page",
    "/session": "JSON",
    "/static/": "files",
    "/sw.js": "a script",
    "/gamers/<int:member_id>/picture": "a picture",
    "/join/<code>/picture.png": "a picture",
    "/leagues/<slug>/picture.png": "a picture",
    "/matchups/<token>/picture.png": "a picture",
    "/players/<uuid:player_id>/picture": "a picture",
    "/recaps/<token>/picture.png": "a picture",
    "/swings/<token>/picture.png": "a picture",
}
# They only lead to a page of their own: each is opened, and what it leads to is looked at.
LEADS_ON = {
    "/boards/<game>/<mode>",
    "/leagues/<slug>/draft",
    "/leagues/<slug>/history",
    "/leagues/<slug>/recap",
    "/leagues/<slug>/transactions/<int:number>",
    "/moderation/members/<int:member_id>",
    "/players/compare",
    "/report/gamer/<int:member_id>",
}
# Other stories look at these: the second step after a password, and the large page of the API's
# operations.
LOOKED_AT_ELSEWHERE = {
    "/sign-in/second": "test_passkeys.py",
    "/docs/api": "test_api_reference.py",
    "/drafts/mock": "test_draft_room.py",
    "/drafts/<int:draft_id>": "test_draft_room.py",
    "/drafts/<int:draft_id>/board": "test_draft_room.py",
}


@dataclass(frozen=True)
class Walk:
    """`of`: rules that begin so; `but`: not those.

    `audience`: only rules that let these in, if it is given.
    """

    name: str
    username: str | None
    of: tuple[str, ...]
    but: tuple[str, ...] = ()
    audience: frozenset[str] = frozenset()

    def pages(self, app: Flask) -> list[Rule]:
        return [
            rule
            for rule in pages(app)
            if self._has(rule.rule) and self._may_see(audience_of(app, rule.endpoint))
        ]

    def _has(self, path: str) -> bool:
        return path.startswith(self.of) and not path.startswith((*self.but, *LOOKED_AT_ELSEWHERE))

    def _may_see(self, audience: frozenset[str]) -> bool:
        return not self.audience or bool(self.audience & audience)


ANYBODY, SIGNED_IN = frozenset({PUBLIC}), frozenset({PUBLIC, MEMBER})
COMMISSIONERS = (
    "/leagues/<slug>/adjust",
    "/leagues/<slug>/hand-over",
    "/leagues/<slug>/members/<int:member_id>/remove",
    "/leagues/<slug>/scoring",
    "/leagues/<slug>/settings",
    "/leagues/<slug>/what-if/rules",
)
# The draft leagues in set-up have no other member than their commissioner, and the trade and the
# drop of the other one are the commissioner's.
COMMISSIONERS_OF_DRAFTS = (
    "/leagues/<slug>/commissioner",
    "/leagues/<slug>/draft",
    "/leagues/<slug>/keepers",
    "/leagues/<slug>/roster/drop/",
    "/leagues/<slug>/setup",
    "/leagues/<slug>/waivers/preview",
)
OTHERS = ("/leagues", "/tournaments", "/integrators", "/moderation", "/console", "/ops")
# The posts of the town are the owner's to edit, and to report another's.
POSTS = ("/leagues/<slug>/talk/<int:post_id>/edit", "/leagues/<slug>/talk/<int:post_id>/report")
JOINING = ("/join/", "/leagues/<slug>/join", "/tournaments/join/")
FOR_STRANGERS = ("/sign-in", "/reset", "/register", "/forgot")
WALKS = [
    Walk("visitor", None, ("/",), ("/sign-in/second", "/appeals", "/join"), ANYBODY),
    Walk("member", OWNER, ("/",), (*OTHERS, *JOINING, *FOR_STRANGERS), SIGNED_IN),
    Walk(
        "member of a league",
        "member",
        ("/leagues",),
        (*COMMISSIONERS, *COMMISSIONERS_OF_DRAFTS, *JOINING, *POSTS, "/leagues/import"),
        SIGNED_IN,
    ),
    Walk("newcomer", "moderator", JOINING),
    Walk("member of a tournament", OWNER, ("/tournaments",), JOINING),
    Walk("commissioner", OWNER, ("/leagues/<slug>",), ("/leagues/<slug>/join",)),
    Walk("integrator", OWNER, ("/integrators", "/moderation"), (), SIGNED_IN),
    Walk("moderator", "moderator", ("/moderation",)),
    Walk("operator", "operator", ("/ops", "/leagues/import")),
    Walk("scorer", "scorer", ("/console",)),
]


def pages(app: Flask) -> list[Rule]:
    """Rules that answer GET with a page."""
    page_rules = [rule for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())]
    return sorted(
        (page_rule for page_rule in page_rules if not page_rule.rule.startswith(tuple(NO_PAGE))),
        key=lambda page_rule: page_rule.rule,
    )


@pytest.fixture(scope="module")
def town(_migrated: Flask, pressbox: RunningPressbox, known: Secrets) -> Iterator[Town]:
    pressbox.end_all_but_web()
    with emptied(_migrated, keeping=KEPT_KEYS) as app:
        town = make_town(app)
        pressbox.start_web()
        yield town
        pressbox.wait_until_idle()
        known.note_database()


def test_every_page_is_walked_or_excused(town: Town) -> None:
    app = town.world.app
    walked = {rule.rule for walk in WALKS for rule in walk.pages(app)}
    forgotten = [
        page.rule for page in pages(app) if page.rule not in {*LOOKED_AT_ELSEWHERE, *walked}
    ]
    assert forgotten == [], "no walk opens these pages: give each its values and its walk"
    rules = [rule.rule for rule in app.url_map.iter_rules()]
    excused = {*NO_PAGE, *LEADS_ON, *LOOKED_AT_ELSEWHERE}
    assert (
        sorted(excuse for excuse in excused if not any(rule.startswith(excuse) for rule in rules))
        == []
    ), "they are gone"


@pytest.mark.sized
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.full)])
@pytest.mark.parametrize("walk", WALKS, ids=[walk.name for walk in WALKS])
def test_every_page_is_accessible_and_fits(
    walk: Walk,
    scheme: Literal["light", "dark"],
    town: Town,
    browser: Browser,
    pressbox: RunningPressbox,
) -> None:
    context = browser.new_context(base_url=pressbox.address, viewport=PHONE, color_scheme=scheme)
    try:
        if walk.username is not None:
            context.add_cookies(
                [{"name": "session", "value": town.session(walk.username), "url": pressbox.address}]
            )
        page = context.new_page()
        page.add_init_script(AXE)  # in less time than when it is asked for
        pages = {
            town.path(rule): rule.rule
            for rule in walk.pages(town.world.app)
            if shows_more(walk, rule, town)
        }
        pages |= dict.fromkeys(town.states.get(walk.name, []), "")
        page_faults = [
            fault
            for path, rule in pages.items()
            for fault in faults(page, f"{scheme} {walk.name}", path, rule)
        ]
    finally:
        context.close()
    assert not page_faults, (
        f"{len(page_faults)} faults of pages as the {walk.name} sees them:\n"
        + "\n".join(page_faults)
    )


def shows_more(walk: Walk, rule: Rule, town: Town) -> bool:
    """Whether the page has elements that no walk before this one sees on it."""
    path = town.path(rule)
    before = [other for other in WALKS[: WALKS.index(walk)] if rule in other.pages(town.world.app)]
    return all(
        town.elements(walk.username, path) - town.elements(other.username, path) for other in before
    )


def faults(page: Page, walk: str, path: str, rule: str) -> Iterator[str]:
    """What is wrong with the page, in words; nothing if it is as it should be.

    `rule`: "" for a second state.
    """
    answer = page.goto(path)
    if answer is None or answer.status != 200:
        yield f"{path} of {rule} answers {answer and answer.status}"
        return
    is_led_on = answer.request.redirected_from is not None
    if is_led_on != (rule in LEADS_ON):
        yield f"{path} of {rule} {'leads to ' + page.url if is_led_on else 'leads nowhere else'}"
        return
    try:
        looks_right(page, re.sub(r"\W+", "-", f"{walk} {rule or path}"))
    except AssertionError as error:
        yield f"{rule}: {error}"
