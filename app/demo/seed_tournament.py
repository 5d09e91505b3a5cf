"""The demo season as a tournament: its games come through the official record, the demo's members
guess them.

Lives here: opening it, the members' guesses, removing it. Not here: games and accounts (season.py,
seed.py), results: they come as they do for any tournament on our own record
(app/predictions/matches/own_record.py).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select

from app.accounts.models import Member
from app.accounts.players import player_of
from app.core.db import db, transaction, upsert
from app.demo.season import COMPETITION, CURRENT, DemoTeam
from app.predictions import pools, tournaments
from app.predictions.matches import polling
from app.predictions.models import Guess, Match, Pool, Round, Tournament, TournamentPoints
from app.predictions.points import PRESETS

POOL = "The Press Box"
EARLY = timedelta(hours=1)  # before the first kickoff of a week: when the members guess it
# Scores that games end with, the usual ones more than once.
_SCORES = (
    3,
    6,
    7,
    10,
    10,
    13,
    13,
    14,
    16,
    17,
    17,
    17,
    20,
    20,
    20,
    21,
    23,
    23,
    24,
    24,
    24,
    27,
    27,
    28,
    30,
    31,
    34,
    38,
)
VISITOR = "member"  # who opens the demo finds guesses of theirs, and some that are missing


def open_tournament(season: int, teams: tuple[DemoTeam, ...], now: datetime) -> None:
    """The tournament with everybody's guesses of the gameweeks that have begun.

    A repetition changes nothing. Commits.

    Until it is whole it counts as simulated.
    """
    found = _tournament(season)
    if found is not None and not found.is_simulated:
        return
    if found is None:
        address = f"{COMPETITION}/{season}/REG"
        found = tournaments.create(
            _name(season),
            PRESETS["margin"],
            tournaments.Provider("official-record", address),
            is_simulated=True,
        )
    polling.poll(found.id, now)
    _make_pool(found.id, teams)
    _save(
        found.id,
        [row for week in range(1, CURRENT + 1) for row in _guesses(found.id, week, teams, None)],
    )


def guess_for(season: int, week: int, teams: tuple[DemoTeam, ...], now: datetime) -> None:
    """The gameweek's games into the tournament, and the other members' guesses of them at `now`.

    Commits.
    """
    found = _tournament(season)
    if found is not None:
        polling.poll(found.id, now)
        others = tuple(team for team in teams if team.account.username != VISITOR)
        _save(found.id, _guesses(found.id, week, others, now))


def remove_tournament(season: int) -> None:
    """With all guesses and points of it. Does not commit."""
    db.session.execute(delete(Tournament).where(Tournament.name == _name(season)))


def _name(season: int) -> str:
    return f"Demo season {season}: guess the scores"


def _tournament(season: int) -> Tournament | None:
    return db.session.scalar(select(Tournament).where(Tournament.name == _name(season)))


def _guesses(
    tournament_id: UUID, week: int, teams: tuple[DemoTeam, ...], now: datetime | None
) -> list[dict[str, Any]]:
    """Rows of guesses of the week's matches, at `now` or an hour before the first kickoff."""
    matches = db.session.scalars(
        select(Match)
        .join(Round, Round.id == Match.round_id)
        .where(Match.tournament_id == tournament_id, Round.slug == f"week-{week}")
        .order_by(Match.kickoff, Match.external_id)
    ).all()
    kickoffs = [match.kickoff for match in matches if match.kickoff is not None]
    if not kickoffs:
        return []
    last, saved_at = max(kickoffs), now or min(kickoffs) - EARLY
    players = [(team, _player(team)) for team in teams]
    return [
        {
            "match_id": match.id,
            "player_id": player_id,
            "home": drawn[0],
            "away": drawn[1],
            "saved_at": saved_at,
        }
        for team, player_id in players
        for match in matches
        if (drawn := _drawn(team, match.external_id)) is not None
        and not (team.account.username == VISITOR and week == CURRENT and match.kickoff == last)
    ]


def _save(tournament_id: UUID, rows: list[dict[str, Any]]) -> None:
    """Commits.

    Within the transaction the tournament is simulated: the moment of its guesses is not the
    clock's.
    """
    with transaction():
        found = db.session.get_one(Tournament, tournament_id)
        found.is_simulated = True
        db.session.flush()
        players = {row["player_id"] for row in rows}
        members = [
            {"tournament_id": tournament_id, "player_id": player_id}
            for player_id in sorted(players)
        ]
        upsert(TournamentPoints, ("tournament_id", "player_id"), members, changes=False)
        upsert(Guess, ("match_id", "player_id"), rows, changes=False)
        found.is_simulated = False


def _player(team: DemoTeam) -> UUID:
    return player_of(
        db.session.scalars(select(Member).where(Member.username == team.account.username)).one()
    ).id


def _drawn(team: DemoTeam, game_id: str) -> tuple[int, int] | None:
    """What the member guesses; the careless forget some."""
    rng = Random(f"{game_id} {team.account.username}")  # noqa: S311  (a guess, not a secret)
    home, away = rng.choice(_SCORES) + rng.choice((0, 3, 3)), rng.choice(_SCORES)
    if team.account.username != VISITOR and rng.random() > 0.6 + 0.4 * team.diligence:
        return None
    return home, away


def _make_pool(tournament_id: UUID, teams: tuple[DemoTeam, ...]) -> None:
    """A pool of the first half of the members, the visitor among them."""
    if (
        db.session.scalar(
            select(Pool.id).where(Pool.tournament_id == tournament_id, Pool.name == POOL)
        )
        is not None
    ):
        return
    players = [_player(team) for team in teams[: len(teams) // 2]]
    made = pools.create(tournament_id, players[0], POOL)
    assert isinstance(made, Pool), made
    for player_id in players[1:]:
        assert pools.join(made.id, made.code, player_id) is None
