"""Two weeks of 2019 play themselves: a publisher's folder, the clock, and both kinds of league.

    .venv/bin/python -m pytest -m "" tests/feeds/test_two_weeks.py

prints the figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.draft_leagues.models import DraftLeague
from app.draft_leagues.transactions.services import rosters_of, settings_of
from app.draft_leagues.waivers import services as waivers
from app.draft_leagues.waivers.models import WaiverClaim
from app.draft_leagues.waivers.queries import availability
from app.draft_leagues.waivers.services import Wish
from app.fantasy.notices.models import Notice
from app.fantasy.pages.recap import making
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.models import TeamSheet
from app.record.models import GameState
from app.talk.models import Post
from scorer_console.record.accepted import forget
from tests.feeds.test_real_games import differences
from tests.feeds.two_weeks import (
    BEFORE_WAIVERS,
    BEGIN,
    DRAFT,
    END,
    FOLDER,
    Clock,
    Files,
    Installation,
    World,
    driven_clock,
    follow,
    found_leagues,
)
from tests.worlds.draft_leagues import free_agents

pytestmark = pytest.mark.realgames

ALL_GAMES = tuple(sorted(path.name.removesuffix(".csv.gz") for path in FOLDER.glob("pbp/*.gz")))


@pytest.fixture
def driven(app: Flask) -> Iterator[Clock]:
    with driven_clock(BEGIN) as running:
        yield running


def claim_somebody(world: World, name: str) -> str:
    """Claim the first footballer on waivers for the last on the bench; who it was."""
    now = world.installation.clock.now
    free = [who for place in ("WR", "TE", "RB", "QB") for who in free_agents(world.draft, place)]
    settings = settings_of(db.session.get_one(DraftLeague, world.draft.id))
    states = availability(world.draft, settings, free, now)
    claimed = next(who for who in free if states[who].clears_at is not None)
    drop = next(footballer for footballer in reversed(lineup(world, name)) if footballer)
    db.session.rollback()
    refused = waivers.claim(world.draft.id, world.members[name], Wish(claimed, drop), now)
    assert refused == [], refused
    return claimed


def lineup(world: World, name: str) -> list[str]:
    """The picks of the member's last line-up in the draft league, the bench at the end."""
    return (
        db.session.scalars(
            select(TeamSheet.picks)
            .where(
                TeamSheet.member_id == world.members[name],
                TeamSheet.team_rules_id == world.draft.team_rules_id,
            )
            .order_by(TeamSheet.gameweek_id.desc())
        ).first()
        or []
    )


@pytest.mark.parametrize(
    ("games", "step"),
    [
        pytest.param(
            ("2019090500", "2019091512"),
            timedelta(hours=6),
            id="two games",
            marks=pytest.mark.breadth("plays what other tests show of each part"),
        ),
        pytest.param(ALL_GAMES, timedelta(hours=1), id="two weeks", marks=pytest.mark.full),
    ],
)
@pytest.mark.timeout(1800)
def test_two_weeks_play_themselves(
    app: Flask,
    tmp_path: Path,
    member: Callable[..., Member],
    sign_in: Callable[..., FlaskClient],
    driven: Clock,
    measured: Callable[[str], None],
    games: tuple[str, ...],
    step: timedelta,
) -> None:
    forget()
    installation = Installation(app, Files(tmp_path, games), driven)
    feeds = follow(installation)
    world = found_leagues(installation, member)
    assert isinstance(world.save_sensible_team("ann", 1), sheets.Saved)
    assert isinstance(world.save_sensible_team("bob", 1), sheets.Saved)

    # The draft begins by itself, and the clock picks for everybody.
    installation.pass_time(DRAFT - timedelta(minutes=1), step)
    assert installation.let_the_draft_run() == "completed"
    sizes = Counter(place.franchise for place in rosters_of(world.draft.id).places.values())
    assert len(set(sizes.values())) == 1, sizes

    # The deadline passes: nobody saves a team for the week any more.
    first = world.gameweek(1)
    installation.pass_time(first.deadline + timedelta(hours=1), step)
    assert world.gameweek(1).locked_at is not None
    late = world.save_sensible_team("ann", 1)
    assert isinstance(late, sheets.Refused), "the week is locked"

    # The week is played, its data come at night, and it is settled.
    installation.pass_time(BEFORE_WAIVERS, step)
    assert world.gameweek(1).settled_at is not None
    claimed = claim_somebody(world, "cat")
    assert claim_somebody(world, "dan") == claimed
    installation.pass_time(END, step)

    assert_everything_happened(world, claimed)
    wrong = differences(games)
    compared = [world.differences(week) for week in (1, 2)]
    assert wrong == []
    assert [lines for _, lines in compared] == [[], []]
    figures = (
        f"{len(games)} games through {len(feeds)} feeds, {installation.runs} times of scheduled "
        f"jobs: {len(wrong)} differences of points, {sum(count for count, _ in compared)} places "
        f"of teams compared, events by run: {installation.entered}"
    )
    measured(figures)
    print(figures)
    reader = sign_in(username="ann")
    for league in (world.salary_cap, world.draft):
        for week in (1, 2):
            making.make(league.id, world.gameweek(week).id, clock.now())
            recap = reader.get(f"/leagues/{league.slug}/recap/{week}")
            assert recap.status_code == 200, recap.text
            assert " FC" in recap.text.partition("recap")[2], recap.text


def assert_everything_happened(world: World, claimed: str) -> None:
    """Both weeks are settled, a claim was won and one lost, and members heard of it."""
    db.session.expire_all()
    statuses = Counter(db.session.scalars(select(GameState.status)))
    assert statuses == {"final": len(world.installation.files.games)}
    for week in (1, 2):
        gameweek = world.gameweek(week)
        assert gameweek.locked_at is not None
        assert gameweek.settled_at is not None
        assert gameweek.locked_at >= gameweek.deadline
    outcomes = Counter(db.session.scalars(select(WaiverClaim.result)))
    assert outcomes == {"won": 1, "lost": 1}, outcomes
    assert rosters_of(world.draft.id).places[claimed].franchise in (3, 4)
    kinds = set(db.session.scalars(select(Notice.kind)))
    assert {"deadline", "result", "draft"} <= kinds
    assert db.session.scalar(select(func.count()).select_from(Post)) != 0
