"""What members must have earned, worked out in the plainest way from results and guesses.

The rule in loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.core.db import db
from app.predictions.models import Guess, Match, Round, Settlement, SettlementAudit
from app.predictions.points import PointRule
from tests.worlds.tournament import World


def winner_of(home: int, away: int) -> str:
    return "home" if home > away else "away" if away > home else "nobody"


def plain_points(world: World, rule: PointRule) -> dict[str, int]:
    """Hundredths by name, for rules whose kinds of points are added up."""
    assert rule.counting == "sum"
    db.session.rollback()
    names = {player_id: name for name, player_id in world.players.items()}
    total = dict.fromkeys(world.players, 0)
    for round_ in db.session.scalars(db.select(Round).filter_by(tournament_id=world.id)):
        matches = db.session.scalars(db.select(Match).filter_by(round_id=round_.id)).all()
        right = dict.fromkeys(world.players, 0)
        ended = [match for match in matches if match.status == "ended"]
        for match in ended:
            guesses = {
                names[guess.player_id]: (guess.home, guess.away)
                for guess in db.session.scalars(db.select(Guess).filter_by(match_id=match.id))
            }
            for name, earned in earned_of(match, guesses, rule).items():
                total[name] += earned * round_.multiplier // 100
            for name, guess in guesses.items():
                right[name] += winner_of(*guess) == winner_of(match.home_score, match.away_score)
        played = [match for match in matches if match.fate not in ("void", "abandoned")]
        if ended and len(ended) == len(played):
            for name, count in right.items():
                total[name] += rule.grand_slam if count == len(ended) else 0
    return total


def earned_of(
    match: Match, guesses: Mapping[str, tuple[int, int]], rule: PointRule
) -> dict[str, int]:
    earned = dict.fromkeys(guesses, 0)
    margin = match.home_score - match.away_score
    off = {name: abs(home - away - margin) for name, (home, away) in guesses.items()}
    right = {
        name
        for name, guess in guesses.items()
        if winner_of(*guess) == winner_of(match.home_score, match.away_score)
    }
    nearest = min((off[name] for name in right), default=None)
    sharers = [name for name in right if off[name] == nearest]
    for name, (home, away) in guesses.items():
        both = abs(home - match.home_score) + abs(away - match.away_score)
        earned[name] += rule.winner if name in right else 0
        earned[name] += rule.margin if off[name] <= rule.margin_within else 0
        earned[name] += rule.close if name in right and both <= rule.close_within else 0
        earned[name] += rule.exact if both == 0 else 0
        if name in sharers and rule.closest:
            earned[name] += max(rule.closest // len(sharers), rule.closest_least)
    return earned


def payloads(world: World) -> list[dict[str, Any]]:
    """Of all that wait, in the order of their keys."""
    waiting = db.select(Settlement.payload).where(
        Settlement.tournament_id == world.id, Settlement.state == "pending"
    )
    payload_list = list(db.session.scalars(waiting.order_by(Settlement.key)))
    db.session.rollback()
    return payload_list


def audited(world: World) -> int:
    """The sum of all audited changes of points, without grand slams."""
    rows = db.session.scalars(
        db.select(SettlementAudit.points)
        .join(Match, Match.id == SettlementAudit.match_id)
        .filter_by(tournament_id=world.id)
    )
    return sum(rows)
