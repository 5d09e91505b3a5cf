"""The sentences of posts that Pressbox writes about a league. Pure.

Points are in thousandths. The names of teams are passed in, because posts store only whom they are
about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.core.bidi import isolated
from app.fantasy.amounts import decimal_points
from app.fantasy.standings.fixtures import DRAW, WIN

FORMER = "A former member"
MOST_NAMED = 3
# Where the data of a post has members with their points.
RANKED = ("best", "leaders", "second", "record", "before", "gained")
MOST_GAMES = 12  # matchups that a post lists


@dataclass(frozen=True)
class News:
    """What a post of Pressbox says: a headline, and further lines for channels outside."""

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
        data: What it is about (news.py and results.py write it).
        teams: Names of teams by member; others are former members.
    """
    if kind == "joined":
        return News(f"{_team(member_id, teams)} joined the league.")
    if kind == "rules":
        reason = f"Reason: {data['reason']}"
        return News(f"Scoring changed from {data['old']} to {data['new']}.", [reason])
    week = data["name"] if kind == "result" else f"{data['name']} corrected"
    return News(f"{week}: {_best(data, teams)}", _lines(data, teams))


def teams_in(member_id: int | None, data: Mapping[str, Any]) -> set[int]:
    """Return the members whose teams a post names."""
    games = [member for home, _, away, *_ in data.get("games", ()) for member in (home, away)]
    ranked = [member for name in RANKED for member, _ in data.get(name, ())]
    return {member for member in (member_id, *ranked, *games) if member is not None}


def page_of(data: Mapping[str, Any]) -> str:
    """Return the page that a post is about, below the league's address; empty for the league's.

    >>> page_of({"recap_week": 3}), page_of({})
    ('/recap/3', '')
    """
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


def _best(data: Mapping[str, Any], teams: Mapping[int, str]) -> str:
    """Who scored the most. A week of matchups has no single winner."""
    best, points = [member for member, _ in data["best"]], decimal_points(data["best"][0][1])
    if len(best) > 1:
        return f"{_listed(best, teams)} tied at {points}"
    verb = "led all scoring with" if data["games"] else "won with"
    return f"{_listed(best, teams)} {verb} {points}"


def _lines(data: Mapping[str, Any], teams: Mapping[int, str]) -> list[str]:
    lines = []
    for home, home_points, away, away_points, match_points in data["games"][:MOST_GAMES]:
        left = "the average" if away is None else _team(away, teams)
        lines.append(_game((left, away_points), (_team(home, teams), home_points), match_points))
    if len(data["games"]) > MOST_GAMES:
        lines.append(f"And {len(data['games']) - MOST_GAMES} more matchups.")
    for name, sentence in (("second", _second), ("record", _record), ("gained", _swing)):
        if data.get(name):
            lines.append(sentence(data, teams))
    # The table after an earlier week is not the table of now.
    if data["leaders"] and data.get("is_latest", True):
        leaders = [member for member, _ in data["leaders"]]
        verb = "leads the league" if len(leaders) == 1 else "share the lead"
        total = decimal_points(data["leaders"][0][1])
        lines.append(f"{_listed(leaders, teams)} {verb} with {total} points.")
    return lines


def _second(data: Mapping[str, Any], teams: Mapping[int, str]) -> str:
    member, points = data["second"][0]
    margin = decimal_points(data["best"][0][1] - points)
    return f"{_team(member, teams)} came second, {margin} behind."


def _record(data: Mapping[str, Any], teams: Mapping[int, str]) -> str:
    member, points = data["before"][0]
    return (
        f"That is the season high (previous: {_team(member, teams)}, {decimal_points(points)} in "
        f"Week {data['before_week']})."
    )


def _swing(data: Mapping[str, Any], teams: Mapping[int, str]) -> str:
    points = decimal_points(data["gained"][0][1])
    gained = _listed([member for member, _ in data["gained"]], teams)
    each = "" if len(data["gained"]) == 1 else " each"
    return f"Biggest play: worth {points}{each} to {gained}."


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
