"""The regular season of 2019 as a tournament, week by week, against a plain recomputation.

The recomputation below shares no code with app/: it reads the schedule itself and adds up in
hundredths of a point. Scoring as the preset `margin`: 1 for the winner, 0.5 for a margin off by at
most 5, 1 shared by the right guesses that are nearest to the margin (each at least 0.25), 1 for
every winner of a week.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from app.core import jobs
from app.core.db import db
from app.predictions.matches import polling
from app.predictions.models import Match, ProviderSource, Settlement, TournamentPoints
from app.predictions.points import PRESETS
from examples.fake_provider import read_season
from tests.conftest import REAL_GAMES
from tests.predictions.providing import Served, fake_provider
from tests.sizes import size
from tests.worlds.real_games import table
from tests.worlds.tournament import World

MEMBERS = size("PRESSBOX_SEASON_MEMBERS", 30, 1_000)
WEEKS = size("PRESSBOX_SEASON_WEEKS", 5, 17)
SCHEDULE = REAL_GAMES / "schedule_2019_reg.csv"
Guesses = dict[str, dict[str, tuple[int, int]]]  # by game and member: home and away

pytestmark = [pytest.mark.realgames, pytest.mark.sized]


@pytest.fixture
def season(private_providers: None) -> Iterator[Served]:
    with fake_provider(read_season(SCHEDULE)) as served:
        yield served


def test_the_season_of_2019_comes_out_as_a_plain_recomputation(
    season: Served,
    world: Callable[..., World],
    client: FlaskClient,
    measured: Callable[[str], None],
) -> None:
    here = world(PRESETS["margin"], "Season 2019")
    db.session.execute(db.update(ProviderSource).values(address=season.address))
    db.session.commit()
    members = make_members(here.id)
    games = table(SCHEDULE)
    dice = random.Random(2019)  # noqa: S311
    expected: dict[str, int] = dict.fromkeys(members, 0)
    slams = 0
    for week in range(1, 1 + WEEKS):
        of_week = [game for game in games if int(game["week"]) == week]
        first = min(game["gameday"] for game in of_week)
        before = season.at(f"{first}T12:00:00+00:00")
        assert polling.poll(here.id, before).fault is None
        guesses = guess(dice, of_week, members)
        save(here.id, guesses, members, before)
        for day in sorted({game["gameday"] for game in of_week}):
            noon = datetime.fromisoformat(f"{day}T12:00:00+00:00")
            settlements = 0
            for hours in (9, 23):  # while games are played, and when all of the day are over
                season.provider.now = noon + timedelta(hours=hours)
                settlements += polling.poll(here.id, season.provider.now).settlements
                work()
            assert settlements == sum(game["gameday"] == day for game in of_week)
        slams += earn(expected, of_week, guesses)
        assert points(here.id, members) == expected, f"week {week}"
    states = db.session.execute(
        db.select(Settlement.state, db.func.count()).group_by(Settlement.state)
    ).all()
    played = sum(int(game["week"]) <= WEEKS for game in games)
    assert [tuple(row) for row in states] == [("applied", played)]
    assert played == 256 or WEEKS < 17
    assert slams > 0
    answer = client.get(f"/api/v2/tournaments/{here.id}/leaderboard").get_json()
    assert [(row["rank"], row["nickName"], row["points"]) for row in answer["data"]] == leaderboard(
        expected
    )
    measured(f"season 2019: {MEMBERS} members, {played} matches, {slams} grand slams")


def make_members(tournament_id: UUID) -> dict[str, UUID]:
    """Members of the tournament by name."""
    rows = db.session.execute(
        text(
            """
            WITH made AS (
              INSERT INTO members (username, display_name, password_hash)
              SELECT 'm' || n, 'Member ' || n, '' FROM generate_series(1, :members) n
              RETURNING id, display_name
            ), players AS (
              INSERT INTO players (id, display_name, member_id)
              SELECT gen_random_uuid(), display_name, id FROM made RETURNING id, display_name
            ), joined AS (
              INSERT INTO tournament_points (tournament_id, player_id) SELECT :tournament_id, id
                FROM players
            )
            SELECT display_name, id FROM players ORDER BY display_name
            """
        ),
        {"members": MEMBERS, "tournament_id": tournament_id},
    ).all()
    db.session.commit()
    return dict(rows)


def guess(dice: random.Random, games: list[dict[str, str]], members: dict[str, UUID]) -> Guesses:
    """Of each member by their skill, from mere chance to nearly always right.

    One guess in thirty is forgotten.
    """
    guesses: Guesses = defaultdict(dict)
    for number, member in enumerate(members):
        skill = number / len(members)
        for game in games:
            if dice.random() < (1 - skill) / 30:
                continue
            home, away = dice.randint(0, 40), dice.randint(0, 40)
            if dice.random() < skill:
                home = max(0, int(game["home_score"]) + dice.randint(-3, 3))
                away = max(0, int(game["away_score"]) + dice.randint(-3, 3))
            guesses[game["game_id"]][member] = (home, away)
    return guesses


def save(tournament_id: UUID, guesses: Guesses, members: dict[str, UUID], now: datetime) -> None:
    """All at once; the database's own guard looks at each."""
    ids = dict(
        db.session.execute(
            db.select(Match.external_id, Match.id).filter_by(tournament_id=tournament_id)
        ).all()
    )
    rows = [
        (ids[game], members[member], *both)
        for game, by_member in guesses.items()
        for member, both in by_member.items()
    ]
    db.session.execute(
        text(
            "INSERT INTO guesses (match_id, player_id, home, away, saved_at) SELECT m, p, h, a, "
            ":now FROM unnest("
            "CAST(:m AS uuid[]), CAST(:p AS uuid[]), CAST(:h AS integer[]), CAST(:a AS integer[])) "
            "g (m, p, h, a)"
        ),
        {"now": now} | {name: [row[place] for row in rows] for place, name in enumerate("mpha")},
    )
    db.session.commit()


def work() -> None:
    """Runs the settlement jobs that were sent, in their order."""
    queue = jobs.queue(jobs.SETTLEMENT_QUEUE)
    for job in queue.jobs:
        job.perform()
    queue.empty()
    db.session.rollback()


def points(tournament_id: UUID, members: dict[str, UUID]) -> dict[str, int]:
    """Hundredths by name, as the application has them."""
    columns = (TournamentPoints.player_id, TournamentPoints.points)
    points_by_player = dict(
        db.session.execute(db.select(*columns).filter_by(tournament_id=tournament_id)).all()
    )
    return {name: points_by_player[player_id] for name, player_id in members.items()}


def earn(totals: dict[str, int], games: list[dict[str, str]], guesses: Guesses) -> int:
    """Adds what a week's guesses earn; returns how many had every winner."""
    right_of: dict[str, int] = dict.fromkeys(totals, 0)
    for game in games:
        margin = int(game["home_score"]) - int(game["away_score"])
        nearest: dict[int, list[str]] = {}
        for member, (home, away) in guesses[game["game_id"]].items():
            guessed = home - away
            off = abs(guessed - margin)
            is_right = (
                (guessed > 0 and margin > 0)
                or (guessed < 0 and margin < 0)
                or guessed == margin == 0
            )
            if is_right:
                totals[member] += 100
                right_of[member] += 1
                nearest.setdefault(off, []).append(member)
            if off <= 5:
                totals[member] += 50
        if nearest:
            closest = nearest[min(nearest)]
            for member in closest:
                totals[member] += max(25, 100 // len(closest))
    slams = [member for member, count in right_of.items() if count == len(games)]
    for member in slams:
        totals[member] += 100
    return len(slams)


def leaderboard(totals: dict[str, int]) -> list[tuple[int, str, float]]:
    """Dense ranks by points, then by name."""
    places = {
        points: place
        for place, points in enumerate(sorted(set(totals.values()), reverse=True), start=1)
    }
    ordered = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    return [(places[points], name, points / 100) for name, points in ordered]
