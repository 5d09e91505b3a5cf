"""Every page of the URL map, as those who may open it see it: axe finds nothing, and nothing runs over the edge.

A page that no walk opens and that is not excused here fails test_every_page_is_walked_or_excused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

import pytest
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page
from sqlalchemy import select
from werkzeug.routing import Rule

from app.accounts import links
from app.accounts.models import Member
from app.core import clock, measures
from app.core.access import MEMBER, PUBLIC, audience_of
from app.core.db import db
from app.dead_letters import letters
from app.dead_letters.models import DeadJob
from app.demo.logins import DEMO_PASSWORD
from app.demo.season import CURRENT, demo_season
from app.fantasy.gameweeks.live import refresh_league
from app.fantasy.leagues import swing_shares
from app.fantasy.notices import choices
from app.fantasy.pages import swing_reading
from app.fantasy.scoring.points import store_player_points
from app.fantasy.standings import queries
from app.fantasy.standings.models import League
from app.ops.models import Operation
from app.record.ingest import ingest_batch
from app.record.script import GameScript
from app.stream.dead_letters import dead_letter
from app.stream.messages import Message
from app.stream.topics import GAME_EVENTS
from tests.conftest import emptied
from tests.e2e.looking import PHONE, looks_right
from tests.e2e.running import KEPT_KEYS, RunningPressbox
from tests.e2e.secrets_in_logs import Secrets
from tests.fantasy.test_asof import timed
from tests.web.sending import Sender
from tests.worlds.games import NOW
from tests.worlds.whole_site import World, make_world

pytestmark = pytest.mark.e2e

OWNER = "inkwell"  # runs the league and the integrator, and is in the tournament's pool
LEAGUE = "front-page-derby"  # head to head, and public

NO_PAGE = {
    "/api/": "JSON",
    "/v1/": "JSON",
    "/assets/<name>": "a picture",
    "/clubs.css": "a style sheet",
    "/console/<game_id>/events/<int:number>": "JSON",
    "/console/<game_id>/footballers": "JSON",
    "/console/<game_id>/plays/<int:number>": "JSON",
    "/console/<game_id>/since/": "JSON",
    "/console/keys/pressbox-keys.json": "a download",
    "/console/sw.js": "a script",
    "/games/<game_id>/export.": "downloads",
    "/healthz": "JSON",
    "/leagues/<slug>/export.": "downloads",
    "/leagues/<slug>/replay/<int:week>/plays.json": "JSON",
    "/metrics": "for a monitor",
    "/moderation/audit.csv": "a download",
    "/moderation/scores/<uuid:event_id>/replay": "a download",
    "/notices/<token>.atom": "a feed",
    "/notices/bell": "a fragment of every page",
    "/static/": "files",
    "/sw.js": "a script",
    "/swings/<token>/picture.png": "a picture",
}
# They only lead to a page of their own: each is opened, and what it leads to is looked at.
LEADS_ON = {
    "/boards/<game>/<mode>",
    "/leagues/<slug>/history",
    "/report/gamer/<int:member_id>",
    "/team",
}
SECOND = "/sign-in/second"  # after a password alone: tests/e2e/test_passkeys.py looks at it


@dataclass(frozen=True)
class Walk:
    """`of`: rules that begin so; `but`: not those; `audience`: only rules that let these in, if it is given."""

    name: str
    username: str | None
    of: tuple[str, ...]
    but: tuple[str, ...] = ()
    audience: frozenset[str] = frozenset()

    def pages(self, app: Flask) -> list[Rule]:
        return [one for one in pages(app) if self._has(one.rule) and self._may_see(audience_of(app, one.endpoint))]

    def _has(self, path: str) -> bool:
        return path.startswith(self.of) and not any(map(path.startswith, self.but))

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
OTHERS = ("/leagues", "/tournaments", "/integrators", "/moderation", "/console", "/ops")
JOINING = ("/join/", "/leagues/<slug>/join", "/tournaments/join/")
FOR_STRANGERS = ("/sign-in", "/reset", "/register", "/forgot")
WALKS = [
    Walk("visitor", None, ("/",), ("/sign-in/second", "/appeals", "/join"), ANYBODY),
    Walk("member", OWNER, ("/",), (*OTHERS, *JOINING, *FOR_STRANGERS), SIGNED_IN),
    Walk("member of a league", "member", ("/leagues",), (*COMMISSIONERS, *JOINING, "/leagues/import"), SIGNED_IN),
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
    found = [rule for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())]
    return sorted((one for one in found if not one.rule.startswith(tuple(NO_PAGE))), key=lambda one: one.rule)


@dataclass
class Town:
    """The world with what its pages need besides.

    `queries`: of pages that are nothing without one, by rule. `states`: paths of pages that a walk opens a second time,
    in another state, by the walk's name.
    """

    world: World
    queries: dict[str, str]
    states: dict[str, list[str]]

    def session(self, username: str) -> str:
        """Their cookie: signing in is not what is tested here, and is limited to some times a minute."""
        found = self.world.clients[username].get_cookie("session")
        assert found is not None
        return found.value

    def path(self, rule: Rule) -> str:
        return Sender(self.world).path(rule).replace("%2F", "/") + self.queries.get(rule.rule, "")


@pytest.fixture(scope="module")
def town(_migrated: Flask, pressbox: RunningPressbox, known: Secrets) -> Iterator[Town]:
    with emptied(_migrated, keeping=KEPT_KEYS) as app:

        def sign_in(username: str) -> FlaskClient:
            client = app.test_client()
            answer = client.post("/sign-in", data={"username": username, "password": DEMO_PASSWORD})
            assert answer.status_code == 303, (username, answer.text)
            return client

        world = make_world(app, sign_in, OWNER)
        world.clients |= {name: sign_in(name) for name in {OWNER, "member"}}
        town = Town(world, {}, {})
        furnish(town)
        pressbox.start_web_alone()
        yield town
        pressbox.wait_until_idle()
        known.note_database()


def play(games: dict[str, GameScript]) -> None:
    for game_id, script in games.items():
        start = int(script.kickoff.timestamp() * 1000)
        ingest_batch(timed([step.body for step in script.events], game_id, start), NOW, store_player_points)


def over() -> dict[str, GameScript]:
    """The first game that is over, of the gameweek before the current one and of that."""
    weeks = {week.number: week for week in demo_season(clock.now()).weeks}
    found = {}
    for number in (CURRENT - 1, CURRENT):
        fixture = next(one for one in weeks[number].fixtures if one.phase == "finished")
        found[fixture.script.game_id] = fixture.script
    return found


def furnish(town: Town) -> None:
    real = town.world.real
    owner = db.session.scalars(select(Member).where(Member.username == OWNER)).one()
    league = db.session.scalars(select(League).where(League.slug == LEAGUE)).one()
    games = over()
    play(games)
    refresh_league(league.id, clock.now())
    swung = list(games)[-1]
    number = the_swing(swung, owner)
    letter = dead_message()
    real["slug"]["/leagues/"] = LEAGUE
    real["week"][""] = str(CURRENT)
    real["week"]["/leagues/<slug>/history/"] = str(CURRENT - 1)
    real["game_id"]["/leagues/"] = real["game_id"]["/games/"] = swung
    real["number"]["/ops/operations/"] = str(operation(owner))
    real["play_number"]["/leagues/"] = str(number)
    real["token"]["/swings/"] = swing_shares.make(league.id, owner.id, swung, number)
    real["token"]["/notices/stop/"] = choices.stop_token(owner.id, "result")
    real["letter_id"][""] = f"job-{dead_job()}"
    reset = links.make(owner.id, "password", clock.now(), links.LIFETIME_BY_OPERATOR)
    email = links.make(owner.id, "email", clock.now(), links.LIFETIME_BY_MAIL, email="ines@example.com")
    db.session.commit()
    town.queries |= {
        "/reset": f"?token={reset}",
        "/account/email/confirm": f"?token={email}",
        "/leagues/<slug>/what-if/rules": "?rules=half_ppr_idp",
    }
    town.states |= {
        "visitor": [f"/games/{swung}?at=6", f"/games/{swung}/plays?kind=pass"],
        "member of a league": [f"/leagues/{LEAGUE}?game={swung}&at=6"],
        "moderator": [
            "/moderation/players?q=nobody",
            "/moderation/audit?subject=nothing:1",
        ],
        "operator": [
            f"/ops/dead-letters?kind={letter.kind}&cause={quote(letter.cause)}",
            f"/ops/dead-letters/{letter.id}",
            "/ops/accounts?q=nobody",
        ],
    }
    measures.observe(measures.READ, 0.012, 990)
    measures.observe(measures.READ, 0.3, 20)
    measures.flush()


def the_swing(game_id: str, viewer: Member) -> int:
    """Number of the play that moved somebody last."""
    league = queries.league_for_viewer(LEAGUE, viewer.id)
    assert league is not None
    found = swing_reading.of_game(league, game_id, viewer.id)
    assert found is not None
    assert found[1], f"nothing in {game_id} moved anybody"
    return found[1][0].play_number


def operation(by: Member) -> int:
    made = Operation(
        kind="boards", is_dry_run=True, member_id=by.id, reason="", created_at=clock.now(), progress="Board 3 of 40"
    )
    db.session.add(made)
    db.session.commit()
    return int(made.id)


def dead_message() -> letters.Letter:
    """One that came too late for its game."""
    dead_letter([(Message(GAME_EVENTS.name, 0, 7, "g1", b'{"a": 1}'), "event: it came too late")])
    return letters.waiting()[0]


def dead_job() -> int:
    now = clock.now()
    made = DeadJob(
        queue="settlement",
        job="workers.jobs.settle_gameweek",
        key="settle:3",
        payload={"arguments": [3]},
        cause="OperationalError",
        error="could-not-connect-to-server-" * 12,
        attempts=5,
        first_failed_at=now,
        died_at=now,
        rq_id="1",
    )
    db.session.add(made)
    db.session.commit()
    return int(made.id)


def test_every_page_is_walked_or_excused(town: Town) -> None:
    app = town.world.app
    walked = {rule.rule for walk in WALKS for rule in walk.pages(app)}
    forgotten = [one.rule for one in pages(app) if one.rule not in {SECOND, *walked}]
    assert forgotten == [], "no walk opens these pages: give each its values and its walk"
    rules = [one.rule for one in app.url_map.iter_rules()]
    excused = {*NO_PAGE, *LEADS_ON, SECOND}
    assert sorted(one for one in excused if not any(rule.startswith(one) for rule in rules)) == [], "they are gone"


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.full)])
@pytest.mark.parametrize("walk", WALKS, ids=[walk.name for walk in WALKS])
def test_every_page_is_accessible_and_fits(
    walk: Walk, scheme: Literal["light", "dark"], town: Town, browser: Browser, pressbox: RunningPressbox
) -> None:
    context = browser.new_context(base_url=pressbox.address, viewport=PHONE, color_scheme=scheme)
    try:
        if walk.username is not None:
            context.add_cookies([{"name": "session", "value": town.session(walk.username), "url": pressbox.address}])
        page = context.new_page()
        pages = {town.path(rule): rule.rule for rule in walk.pages(town.world.app)}
        pages |= dict.fromkeys(town.states.get(walk.name, []), "")
        found = [fault for path, rule in pages.items() for fault in faults(page, walk, path, rule)]
    finally:
        context.close()
    assert not found, f"{len(found)} faults of pages as the {walk.name} sees them:\n" + "\n".join(found)


def faults(page: Page, walk: Walk, path: str, rule: str) -> Iterator[str]:
    """What is wrong with the page, in words; nothing if it is as it should be. `rule`: "" for a second state."""
    answer = page.goto(path)
    if answer is None or answer.status != 200:
        yield f"{path} of {rule} answers {answer and answer.status}"
        return
    is_led_on = answer.request.redirected_from is not None
    if is_led_on != (rule in LEADS_ON):
        yield f"{path} of {rule} {'leads to ' + page.url if is_led_on else 'leads nowhere else'}"
        return
    try:
        looks_right(page, re.sub(r"\W+", "-", f"{walk.name} {rule or path}"))
    except AssertionError as error:
        yield f"{rule}: {error}"
