"""The demo season as tournaments, in which the demo's members guess the games.

They guess scores in one, winners with a confidence in another, and survive in the third. This opens
them, adds the members' guesses and removes them. Games and accounts are in season.py and
seed.py. Results come from the official record, as for any tournament on our own record
(app/predictions/matches/own_record.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select

from app.accounts.models import Member
from app.accounts.players import player_of
from app.core.db import db, transaction, upsert
from app.demo.season import COMPETITION, CURRENT, DemoTeam
from app.predictions import pools, survivors, tournaments
from app.predictions.entries import PICKS
from app.predictions.matches import polling
from app.predictions.models import Guess, Match, Pool, Round, Tournament, TournamentPoints
from app.predictions.points import PRESETS, GuessKind

POOL = "The Press Box"
SCORES = "guess the scores"
# The point rule of each tournament.
GAMES = {SCORES: "margin", "confidence": "confidence", "survivor": "survivor"}
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


def open_tournaments(season: int, teams: tuple[DemoTeam, ...], now: datetime) -> None:
    """Open the tournaments with everybody's guesses for the gameweeks that have begun. Commits.

    Until one is complete it counts as simulated. A repetition changes nothing.
    """
    for game, rule in GAMES.items():
        tournament = _tournament(season, game)
        if tournament is not None and not tournament.is_simulated:
            continue
        if tournament is None:
            tournament = tournaments.create(
                _name(season, game),
                PRESETS[rule],
                tournaments.Provider("official-record", f"{COMPETITION}/{season}/REG"),
                is_simulated=True,
            )
        polling.poll(tournament.id, now)
        if game == SCORES:
            _make_pool(tournament.id, teams)
        weeks = range(1, CURRENT + 1)
        _save(
            tournament.id,
            [row for week in weeks for row in _guesses(tournament, week, teams, None)],
        )


def poll_tournaments(season: int, now: datetime) -> None:
    """Bring the tournaments up to date with the schedule. Commits."""
    for game in GAMES:
        tournament = _tournament(season, game)
        if tournament is not None:
            polling.poll(tournament.id, now)


def guess_for(season: int, week: int, teams: tuple[DemoTeam, ...], now: datetime) -> None:
    """Add the gameweek's games, and these members' guesses of them at `now`. Commits."""
    poll_tournaments(season, now)
    for game in GAMES:
        tournament = _tournament(season, game)
        if tournament is not None:
            _save(tournament.id, _guesses(tournament, week, teams, now))


def remove_tournaments(season: int) -> None:
    """Delete the tournaments with their guesses and points. Does not commit."""
    names = [_name(season, game) for game in GAMES]
    db.session.execute(delete(Tournament).where(Tournament.name.in_(names)))


def _name(season: int, game: str) -> str:
    return f"Demo season {season}: {game}"


def _tournament(season: int, game: str) -> Tournament | None:
    return db.session.scalar(select(Tournament).where(Tournament.name == _name(season, game)))


def _guesses(
    tournament: Tournament, week: int, teams: tuple[DemoTeam, ...], now: datetime | None
) -> list[dict[str, Any]]:
    """Return rows of guesses of the week's matches, made at `now` or before the first kickoff."""
    matches = _matches(tournament.id, week)
    kickoffs = [match.kickoff for match in matches if match.kickoff is not None]
    if not kickoffs:
        return []
    kind = pools.rule_of(tournament).guess
    saved_at = now or min(kickoffs) - EARLY
    rows = []
    for team in teams:
        player_id = _player(team)
        if kind != GuessKind.SURVIVOR:
            drawn = _drawn_guesses(team, matches, week, kind)
        elif survivors.exit_of(tournament.id, player_id) is None:
            drawn = _drawn_survivor(team, tournament.id, week)
        else:
            continue
        rows += [row | {"player_id": player_id, "saved_at": saved_at} for row in drawn]
    return rows


def _matches(tournament_id: UUID, week: int) -> Sequence[Match]:
    return db.session.scalars(
        select(Match)
        .join(Round, Round.id == Match.round_id)
        .where(Match.tournament_id == tournament_id, Round.slug == f"week-{week}")
        .order_by(Match.kickoff, Match.external_id)
    ).all()


def _drawn_guesses(
    team: DemoTeam, matches: Sequence[Match], week: int, kind: GuessKind
) -> list[dict[str, Any]]:
    """Draw a member's guesses of a week; the visitor lacks the last one of the current week."""
    weights = list(range(1, len(matches) + 1))
    Random(f"{week} {team.account.username}").shuffle(weights)  # noqa: S311
    last = max(match.kickoff for match in matches if match.kickoff is not None)
    rows = []
    for match, weight in zip(matches, weights, strict=True):
        drawn = _drawn(team, match.external_id)
        is_left = team.account.username == VISITOR and week == CURRENT and match.kickoff == last
        if drawn is None or is_left:
            continue
        confidence = None
        if kind == GuessKind.CONFIDENCE:
            drawn, confidence = PICKS["home" if drawn[0] >= drawn[1] else "away"], weight
        rows.append(
            {
                "match_id": match.id,
                "home": drawn[0],
                "away": drawn[1],
                "confidence": confidence,
            }
        )
    return rows


def _drawn_survivor(team: DemoTeam, tournament_id: UUID, week: int) -> list[dict[str, Any]]:
    """Draw the team that a member picks in a week, after those of the weeks before.

    The visitor has not picked in the current week.
    """
    if team.account.username == VISITOR and week == CURRENT:
        return []
    rng = Random(f"survivor {team.account.username}")  # noqa: S311
    picked: set[UUID] = set()
    for earlier in range(1, week + 1):
        sides = [
            (match, side, team_id)
            for match in _matches(tournament_id, earlier)
            for side, team_id in (("home", match.home_id), ("away", match.away_id))
            if team_id not in picked
        ]
        if not sides:
            return []  # every club is used
        match, side, team_id = rng.choice(sides)
        picked.add(team_id)
    home, away = PICKS[side]
    return [{"match_id": match.id, "home": home, "away": away, "confidence": None}]


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
