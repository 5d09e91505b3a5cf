"""The demo season as a tournament, in which the demo's members guess the games.

This opens it, adds the members' guesses and removes it. Games and accounts are in season.py and
seed.py. Results come from the official record, as for any tournament on our own record
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
EARLY = timedelta(hours=1)  # the members guess a week this long before its first kickoff
# Final scores, the usual ones more than once.
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
VISITOR = "member"  # visitors of the demo find some guesses of theirs, and some that are missing


def open_tournament(season: int, teams: tuple[DemoTeam, ...], now: datetime) -> None:
    """Open the tournament with everybody's guesses for the gameweeks that have begun. Commits.

    Until it is complete it counts as simulated. A repetition changes nothing.
    """
    tournament = _tournament(season)
    if tournament is not None and not tournament.is_simulated:
        return
    if tournament is None:
        address = f"{COMPETITION}/{season}/REG"
        tournament = tournaments.create(
            _name(season),
            PRESETS["margin"],
            tournaments.Provider("official-record", address),
            is_simulated=True,
        )
    polling.poll(tournament.id, now)
    _make_pool(tournament.id, teams)
    _save(
        tournament.id,
        [
            row
            for week in range(1, CURRENT + 1)
            for row in _guesses(tournament.id, week, teams, None)
        ],
    )


def guess_for(season: int, week: int, teams: tuple[DemoTeam, ...], now: datetime) -> None:
    """Add the gameweek's games, and the other members' guesses of them at `now`. Commits."""
    tournament = _tournament(season)
    if tournament is not None:
        polling.poll(tournament.id, now)
        others = tuple(team for team in teams if team.account.username != VISITOR)
        _save(tournament.id, _guesses(tournament.id, week, others, now))


def remove_tournament(season: int) -> None:
    """Delete the tournament with its guesses and points. Does not commit."""
    db.session.execute(delete(Tournament).where(Tournament.name == _name(season)))


def _name(season: int) -> str:
    return f"Demo season {season}: guess the scores"


def _tournament(season: int) -> Tournament | None:
    return db.session.scalar(select(Tournament).where(Tournament.name == _name(season)))


def _guesses(
    tournament_id: UUID, week: int, teams: tuple[DemoTeam, ...], now: datetime | None
) -> list[dict[str, Any]]:
    """Return rows of guesses of the week's matches, made at `now` or before the first kickoff."""
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
    """Store the guesses. Commits.

    Within the transaction the tournament is simulated, because guesses are not made by the clock.
    """
    with transaction():
        tournament = db.session.get_one(Tournament, tournament_id)
        tournament.is_simulated = True
        db.session.flush()
        players = {row["player_id"] for row in rows}
        members = [
            {"tournament_id": tournament_id, "player_id": player_id}
            for player_id in sorted(players)
        ]
        upsert(TournamentPoints, ("tournament_id", "player_id"), members, changes=False)
        upsert(Guess, ("match_id", "player_id"), rows, changes=False)
        tournament.is_simulated = False


def _player(team: DemoTeam) -> UUID:
    return player_of(
        db.session.scalars(select(Member).where(Member.username == team.account.username)).one()
    ).id


def _drawn(team: DemoTeam, game_id: str) -> tuple[int, int] | None:
    """Draw what the member guesses; careless members forget some matches."""
    rng = Random(f"{game_id} {team.account.username}")  # noqa: S311  (a guess, not a secret)
    home, away = rng.choice(_SCORES) + rng.choice((0, 3, 3)), rng.choice(_SCORES)
    if team.account.username != VISITOR and rng.random() > 0.6 + 0.4 * team.diligence:
        return None
    return home, away


def _make_pool(tournament_id: UUID, teams: tuple[DemoTeam, ...]) -> None:
    """Create a pool of the first half of the members, the visitor among them."""
    if (
        db.session.scalar(
            select(Pool.id).where(Pool.tournament_id == tournament_id, Pool.name == POOL)
        )
        is not None
    ):
        return
    players = [_player(team) for team in teams[: len(teams) // 2]]
    pool = pools.create(tournament_id, players[0], POOL)
    assert isinstance(pool, Pool), pool
    for player_id in players[1:]:
        assert pools.join(pool.id, pool.code, player_id) is None
