"""The sentences of posts that Pressbox writes about a league. Pure.

Points are in thousandths. The names of teams are passed in, because posts store only whom they are
about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.core.bidi import isolated
from app.fantasy.amounts import decimal_points
from app.fantasy.standings.matchups import DRAW, WIN

FORMER = "A former member"
MOST_NAMED = 3
# Where the data of a post has members with their points.
RANKED = ("best", "leaders", "winner", "second", "record", "before", "gained")
MOST_GAMES = 12  # matchups that a post lists


@dataclass(frozen=True)
class News:
    """What a post of Pressbox says: a headline and further lines."""

    headline: str
    lines: Sequence[str] = ()

    def __str__(self) -> str:
        return "\n".join([self.headline, *self.lines])


def news(
    kind: str, member_id: int | None, data: Mapping[str, Any], teams: Mapping[int, str]
) -> News:
    """Return the sentences of a post.

    Args:
        kind: See models.KINDS.
        member_id: Whom it is about, if that is one member.
        data: What it is about (news.py writes it).
        teams: Names of teams by member; others are former members.
    """
    if kind == "joined":
        return News(f"{_team(member_id, teams)} joined the league.")
    if kind == "rules":
        reason = f"Why: {data['reason']}"
        return News(f"Scoring changed from {data['old']} to {data['new']}.", [reason])
    if kind in _STORIES:
        return News(_STORIES[kind](data, teams))
    what = "is final" if kind == "result" else "has a new result"
    return News(
        f"{data['name']} {what}.", _result(data, teams, with_leaders=data.get("is_latest", True))
    )


def teams_in(member_id: int | None, data: Mapping[str, Any]) -> set[int]:
    """Return the members whose teams a post names."""
    games = [member for home, _, away, *_ in data.get("games", ()) for member in (home, away)]
    ranked = [member for name in RANKED for member, _ in data.get(name, ())]
    return {member for member in (member_id, *ranked, *games) if member is not None}


def page_of(data: Mapping[str, Any]) -> str:
    """Return the page that a post is about, below the league's address; empty for the league's.

    >>> page_of({"recap_week": 3}), page_of({"recap_week": 3, "game_id": "g1", "play_number": 9})
    ('/recap/3', '/swings/g1/9')
    """
    if "game_id" in data:
        return f"/swings/{data['game_id']}/{data['play_number']}"
    return f"/recap/{data['recap_week']}" if "recap_week" in data else ""


def outcome(data: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what a correction must change to be news: who was best, who leads, who won.

    >>> outcome({"best": [[1, 9000]], "leaders": [[2, 20000]], "games": [[1, 9000, 2, 8000, 3]]})
    ([1], [2], [(1, 3)])
    """
    return (
        [member for member, _ in data["best"]],
        [member for member, _ in data["leaders"]],
        [(home, match_points) for home, _, _, _, match_points in data["games"]],
    )


def _result(data: Mapping[str, Any], teams: Mapping[int, str], *, with_leaders: bool) -> list[str]:
    """`with_leaders`: whether the table after this gameweek is the table of now."""
    lines = []
    for home, home_points, away, away_points, match_points in data["games"][:MOST_GAMES]:
        left = "the average" if away is None else _team(away, teams)
        lines.append(_game((left, away_points), (_team(home, teams), home_points), match_points))
    if len(data["games"]) > MOST_GAMES:
        lines.append(f"And {len(data['games']) - MOST_GAMES} more matchups.")
    if data["best"]:
        verb = "scored the most points" if len(data["best"]) == 1 else "scored the most points each"
        best = _listed([member for member, _ in data["best"]], teams)
        lines.append(f"{best} {verb}: {decimal_points(data['best'][0][1])}.")
    if data["leaders"] and with_leaders:
        leaders = [member for member, _ in data["leaders"]]
        verb = "leads the league" if len(leaders) == 1 else "share the lead"
        total = decimal_points(data["leaders"][0][1])
        lines.append(f"{_listed(leaders, teams)} {verb} with {total} points.")
    return lines


def _recap(data: Mapping[str, Any], teams: Mapping[int, str]) -> str:
    if not data["winner"]:
        return f"{data['name']} recap: no single winner."
    winner, points = data["winner"][0]
    words = f"{_team(winner, teams)} won with {decimal_points(points)} points"
    if data["second"]:
        second, points_behind = data["second"][0]
        margin = decimal_points(points - points_behind)
        words += f", {margin} ahead of {_team(second, teams)}"
    return f"{data['name']} recap: {words}."


def _record(data: Mapping[str, Any], teams: Mapping[int, str]) -> str:
    (member, points), (before, points_before) = data["record"][0], data["before"][0]
    return (
        f"New season high: {_team(member, teams)} scored {decimal_points(points)} in "
        f"{data['name']} (previous: {_team(before, teams)}, {decimal_points(points_before)} in "
        f"Week {data['before_week']})."
    )


def _swing(data: Mapping[str, Any], teams: Mapping[int, str]) -> str:
    points = decimal_points(data["gained"][0][1])
    gained = _listed([member for member, _ in data["gained"]], teams)
    each = "" if len(data["gained"]) == 1 else " each"
    return f"Biggest play of {data['name']}: worth {points}{each} to {gained}."


_STORIES: Mapping[str, Callable[[Mapping[str, Any], Mapping[int, str]], str]] = {
    "recap": _recap,
    "record": _record,
    "swing": _swing,
}


def _game(away: tuple[str, int], home: tuple[str, int], match_points: int) -> str:
    """A matchup in a sentence, the winner first. `match_points`: of the home team."""
    winner, loser = (home, away) if match_points == WIN else (away, home)
    verb = "tied" if match_points == DRAW else "beat"
    score = f"{decimal_points(winner[1])} to {decimal_points(loser[1])}"
    sentence = f"{winner[0]} {verb} {loser[0]}, {score}."
    return sentence[0].upper() + sentence[1:]


def _listed(members: Sequence[int], teams: Mapping[int, str]) -> str:
    names = [_team(member, teams) for member in members[:MOST_NAMED]]
    if len(members) > MOST_NAMED:
        return f"{', '.join(names[:-1])} and {len(members) - len(names) + 1} others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _team(member: int | None, teams: Mapping[int, str]) -> str:
    return FORMER if member is None or member not in teams else isolated(teams[member])
