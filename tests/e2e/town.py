"""The demo season with something on every page, for the walks of test_every_page.py."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import quote

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import or_, select
from werkzeug.routing import Rule

from app.accounts import links
from app.accounts.models import Member
from app.core import clock, metrics
from app.core.db import db
from app.dead_letters import letters
from app.dead_letters.models import DeadJob
from app.demo.logins import DEMO_PASSWORD
from app.demo.season import CURRENT, demo_season
from app.fantasy.gameweeks.live import refresh_league
from app.fantasy.leagues import shares
from app.fantasy.market.models import Gameweek
from app.fantasy.notices import choices
from app.fantasy.pages.recap import making
from app.fantasy.pages.swings import queries as swing_reading
from app.fantasy.standings import queries
from app.fantasy.standings.models import League, Matchup
from app.ops.models import Operation
from app.record.script import GameScript
from app.stream.dead_letters import dead_letter
from app.stream.messages import Message
from app.stream.topics import GAME_EVENTS
from tests.web.sending import Sender
from tests.worlds.games import ingest, timed_messages
from tests.worlds.whole_site import World, make_world

OWNER = "inkwell"  # runs the league and the integrator, and is in the tournament's pool
LEAGUE = "front-page-derby"  # head to head, and public
MAIN = re.compile("<main.*</main>", re.DOTALL)
TAG = re.compile(r"<(\w[^\s/>]*)([^>]*)>")
ATTRIBUTE = re.compile(r"""([\w-]+)(?:="([^"]*)")?""")
MEANING = ("class", "name", "role", "type")  # attributes whose values say what an element is
Element = tuple[str, frozenset[tuple[str, str]]]


def elements_of(html: str) -> frozenset[Element]:
    main = MAIN.search(html)
    tags = TAG.findall(main[0] if main else "")
    return frozenset(
        (
            tag,
            frozenset(
                (name, value if name in MEANING else "")
                for name, value in ATTRIBUTE.findall(attributes)
            ),
        )
        for tag, attributes in tags
    )


@dataclass
class Town:
    """The world with what its pages need besides.

    `queries`: of pages that are nothing without one, by rule. `states`: paths of pages that a walk
    opens a second time, in another state, by the walk's name.
    """

    world: World
    queries: dict[str, str]
    states: dict[str, list[str]]
    _elements: dict[tuple[str | None, str], frozenset[Element]] = field(default_factory=dict)

    def elements(self, username: str | None, path: str) -> frozenset[Element]:
        """The kinds of elements in the page's main part, for this member or for a visitor."""
        if (username, path) not in self._elements:
            client = self.world.clients[username or "stranger"]
            self._elements[username, path] = elements_of(client.get(path).text)
        return self._elements[username, path]

    def session(self, username: str) -> str:
        """The member's cookie: signing in is not tested here and is rate-limited."""
        cookie = self.world.clients[username].get_cookie("session")
        assert cookie is not None
        return cookie.value

    def path(self, rule: Rule) -> str:
        return Sender(self.world).path(rule).replace("%2F", "/") + self.queries.get(rule.rule, "")


def make_town(app: Flask) -> Town:
    def sign_in(username: str) -> FlaskClient:
        client = app.test_client()
        answer = client.post("/sign-in", data={"username": username, "password": DEMO_PASSWORD})
        assert answer.status_code == 303, (username, answer.text)
        return client

    world = make_world(app, sign_in, OWNER)
    world.clients |= {name: sign_in(name) for name in (OWNER, "member")}
    town = Town(world, {}, {})
    furnish(town)
    return town


def play(games: dict[str, GameScript]) -> None:
    for game_id, script in games.items():
        start = int(script.kickoff.timestamp() * 1000)
        ingest(timed_messages([step.body for step in script.events], game_id, start))


def over() -> dict[str, GameScript]:
    """The first game that is over, of the gameweek before the current one and of that."""
    weeks = {week.number: week for week in demo_season(clock.now()).weeks}
    week_of = {}
    for number in (CURRENT - 1, CURRENT):
        fixture = next(fixture for fixture in weeks[number].fixtures if fixture.phase == "finished")
        week_of[fixture.script.game_id] = fixture.script
    return week_of


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
    finished = db.session.scalars(
        select(Gameweek).where(Gameweek.season_id == league.season_id, Gameweek.week == CURRENT - 1)
    ).one()
    finished.settled_at = clock.now()
    db.session.commit()
    assert making.make(league.id, finished.id, clock.now())
    real["week"]["/leagues/<slug>/recap/"] = str(CURRENT - 1)
    real["token"]["/recaps/"] = shares.WEEKS.make(league.id, owner.id, **shares.recap(finished.id))
    home_id = db.session.scalars(
        select(Matchup.home_id).where(
            Matchup.league_id == league.id,
            Matchup.gameweek_id == finished.id,
            or_(Matchup.home_id == owner.id, Matchup.away_id == owner.id),
        )
    ).one()
    real["token"]["/matchups/"] = shares.WEEKS.make(
        league.id, owner.id, **shares.matchup(finished.id, home_id)
    )
    real["game_id"]["/leagues/"] = swung
    real["number"]["/ops/operations/"] = str(operation(owner))
    real["play_number"]["/leagues/"] = str(number)
    real["token"]["/swings/"] = shares.SWINGS.make(
        league.id, owner.id, game_id=swung, play_number=number
    )
    real["token"]["/notices/stop/"] = choices.stop_token(owner.id, "result")
    real["letter_id"][""] = f"job-{dead_job()}"
    reset = links.make(owner.id, clock.now(), links.LIFETIME_BY_OPERATOR)
    email = links.make(owner.id, clock.now(), links.LIFETIME_BY_MAIL, email="ines@example.com")
    db.session.commit()
    town.queries |= {
        "/reset": f"?token={reset}",
        "/account/email/confirm": f"?token={email}",
        "/leagues/<slug>/what-if/rules": "?rules=half_ppr_idp",
    }
    town.states |= {
        "visitor": ["/games/g1?at=6", "/games/g1/plays?kind=pass"],
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
    metrics.observe(metrics.READ, 0.012, 990)
    metrics.observe(metrics.READ, 0.3, 20)
    metrics.flush()


def the_swing(game_id: str, viewer: Member) -> int:
    """Number of the play that moved somebody last."""
    league = queries.league_for_viewer(LEAGUE, viewer.id)
    assert league is not None
    swings = swing_reading.of_game(league, game_id, viewer.id)
    assert swings is not None
    assert swings[1], f"nothing in {game_id} moved anybody"
    return swings[1][0].play_number


def operation(by: Member) -> int:
    operation = Operation(
        kind="boards",
        is_dry_run=True,
        member_id=by.id,
        reason="",
        created_at=clock.now(),
        progress="Board 3 of 40",
    )
    db.session.add(operation)
    db.session.commit()
    return int(operation.id)


def dead_message() -> letters.Letter:
    """One that came too late for its game."""
    dead_letter([(Message(GAME_EVENTS.name, 0, 7, "g1", b'{"a": 1}'), "event: it came too late")])
    return letters.waiting()[0]


def dead_job() -> int:
    now = clock.now()
    job = DeadJob(
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
    db.session.add(job)
    db.session.commit()
    return int(job.id)
