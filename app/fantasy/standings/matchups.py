"""Head-to-head leagues: who plays whom in a gameweek, and the match points.

Lives here: the round robin, pairing a gameweek, 3/1/0. Not here: tables (results.py), pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.fantasy.standings.models import League, LeagueMember, Matchup

WIN, DRAW, LOSS = 3, 1, 0

Pair = tuple[int, int | None]


def pairings(members: Sequence[int], round: int) -> list[Pair]:
    """The pairs of a round, counted from 0 without end, of a round robin in the given order (the circle method).

    Of n members everybody meets everybody else once in n - 1 rounds (n, when n is odd); then it begins again with
    home and away exchanged. When n is odd one member plays against the average (None) each round, everybody once.
    Fewer than two members: nobody plays.

    >>> [pairings([1, 2, 3, 4], round) for round in range(3)]
    [[(1, 4), (2, 3)], [(3, 1), (2, 4)], [(1, 2), (3, 4)]]
    >>> pairings([1, 2, 3], 0)
    [(1, None), (2, 3)]
    """
    if len(members) < 2:
        return []
    circle: list[int | None] = [*members, None] if len(members) % 2 else [*members]
    first, rest = circle[0], circle[1:]
    lap, turn = divmod(round, len(rest))
    # The first stays in place; all the others move on by one place a round.
    seats = [first, *rest[len(rest) - turn :], *rest[: len(rest) - turn]]
    half = len(seats) // 2
    pairs = zip(seats[:half], reversed(seats[half:]), strict=True)
    return [_sided(one, other, (turn + lap) % 2 == 1) for one, other in pairs]


def _sided(one: int | None, other: int | None, exchanged: bool) -> Pair:
    """Home and away; against the average the member is at home."""
    if one is None or other is None:
        member = other if one is None else one
        assert member is not None
        return member, None
    return (other, one) if exchanged else (one, other)


def match_points(scores: Mapping[int, int], pairs: Sequence[Pair]) -> dict[int, int]:
    """Three points for a win, one for a draw, none for a loss, by member. Who has no score has 0.

    The average is that of everybody in `pairs`, each member included, exact: compared as a sum, never rounded.

    >>> match_points({1: 9000, 2: 8000, 3: 8500}, [(1, 2), (3, None)])
    {1: 3, 2: 0, 3: 1}
    """
    playing = [member for pair in pairs for member in pair if member is not None]
    total = sum(scores.get(member, 0) for member in playing)
    won: dict[int, int] = {}
    for home, away in pairs:
        mine = scores.get(home, 0)
        if away is None:
            won[home] = _result(mine * len(playing), total)
        else:
            theirs = scores.get(away, 0)
            won[home], won[away] = _result(mine, theirs), _result(theirs, mine)
    return won


def _result(mine: int, theirs: int) -> int:
    return WIN if mine > theirs else DRAW if mine == theirs else LOSS


def pair_gameweek(gameweek_id: int) -> int:
    """Pairs the members of every head-to-head league that counts the gameweek, in order of their ids, once: a league
    that has pairs for it already keeps them. Returns how many pairs were made. Inside the caller's transaction.

    The round is the number of the week, so that who joins or leaves changes the pairs to come and no past one.
    """
    gameweek = db.session.get_one(Gameweek, gameweek_id)
    paired = select(Matchup.league_id).where(Matchup.gameweek_id == gameweek_id)
    members = db.session.execute(
        select(League.id, LeagueMember.member_id)
        .join(LeagueMember, LeagueMember.league_id == League.id)
        .where(League.season_id == gameweek.season_id, League.mode == "head_to_head", League.id.not_in(paired))
        .where(League.first_week <= gameweek.week)
        .order_by(League.id, LeagueMember.member_id)
    )
    leagues: dict[int, list[int]] = {}
    for league, member in members:
        leagues.setdefault(league, []).append(member)
    rows = [
        {"league_id": league, "gameweek_id": gameweek_id, "home_id": home, "away_id": away}
        for league, its in leagues.items()
        for home, away in pairings(its, gameweek.week - 1)
    ]
    if rows:
        db.session.execute(insert(Matchup).on_conflict_do_nothing(), rows)
    return len(rows)
