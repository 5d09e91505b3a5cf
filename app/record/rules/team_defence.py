"""A club's defence and special teams (D/ST) as one player: what the valid events earn it. Pure.

The rule, and the player's id. Used by ingestion, the ledger and `asof`, in the same pass as the
players' credits (stat_lines.py). Points are in app/fantasy/scoring.

The rule, play by play:

- A sack is a sack of the other club's passer, whoever shares it. Interceptions and recoveries of
  the other club's fumbles count for the club whatever unit was on the field; so do safeties,
  blocked kicks (field goal, extra point, punt) and a try returned for two.
- A touchdown counts if a club scores it on a play with a kick (either club, blocked kicks and muffs
  too; an aborted kick is none), or on a play that the other club snapped.
- Points allowed are what the other club's offence and special teams score, tries included: not its
  touchdowns from an interception or a fumble of this club's offence, its safeties, or a try of this
  club that it returns. The extra point after such a touchdown counts.
- Yards allowed are the other club's net yards: passing, less sack yards, and rushing.
- Both start at 0 with the first event of the game, and each is on one level of `statistics.LEVELS`.

Sources: Yahoo's default settings; ESPN's page on D/ST scoring (since 2019); nflverse's team
statistics.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from app.record import events as ev
from app.record.rules.misplaced import counted
from app.record.rules.stat_lines import (
    Credit,
    Numbered,
    Play,
    StatLine,
    is_special,
    play_credits,
    plays_of,
    snapped_by,
    stat_lines,
    touchdown_of,
)
from app.record.rules.state import score_of
from app.record.rules.statistics import LEVELS

POSITION = "DST"
Clubs = tuple[str, str]


def defence_id(club_id: str) -> str:
    """The id under which a club's D/ST is picked, has a stat line and earns points."""
    return f"{club_id}-{POSITION}"


def is_defence(player_id: str) -> bool:
    """Whether the id is that of a club's defence.

    >>> is_defence(defence_id("KC")), is_defence("00-0033873")
    (True, False)
    """
    return player_id.endswith(f"-{POSITION}")


def all_credits(events: Iterable[Numbered], clubs: Clubs) -> list[Credit]:
    """As `stat_lines.game_credits`, with what both clubs' D/STs earned. `clubs`: in any order."""
    every_credit = [credit for play in plays_of(events) for credit in credits_of_play(play, clubs)]
    return sorted(every_credit, key=lambda credit: credit.event_number)


def credits_of_play(play: Play, clubs: Clubs) -> list[Credit]:
    """As `all_credits` for one play, whose events come in order; the credits are in no order."""
    player_credits = play_credits(play)
    return [*player_credits, *_credits(play, player_credits, clubs)]


def all_lines(earned: Iterable[Credit], clubs: Clubs, *, has_begun: bool) -> dict[str, StatLine]:
    """As `stat_lines.stat_lines`, with both D/STs and their levels once the game has begun."""
    lines = stat_lines(earned)
    for club in clubs if has_begun else ():
        line = lines.get(defence_id(club), StatLine(club, {}))
        lines[defence_id(club)] = StatLine(club, line.stats | levels(line.stats))
    return lines


def held_lines(
    earned: Collection[Credit], numbers: Collection[int], lines: Mapping[str, StatLine]
) -> dict[str, dict[str, int]]:
    """The part of each player's statistics that comes from these events.

    Players without any are left out. A D/ST's part has the level it is on, less the level it would
    be on without these events.
    """
    parts = {
        player: line.stats
        for player, line in stat_lines(
            credit for credit in earned if credit.event_number in numbers
        ).items()
    }
    for player, part in parts.items():
        if player in lines and is_defence(player):
            whole = lines[player].stats
            without = levels({stat: whole.get(stat, 0) - part.get(stat, 0) for stat in LEVELS})
            for name in without:
                part[name] = part.get(name, 0) - 1
            for name in levels(whole):
                part[name] = part.get(name, 0) + 1
    return {player: {stat: n for stat, n in part.items() if n} for player, part in parts.items()}


def levels(stats: Mapping[str, int]) -> dict[str, int]:
    """The two levels of points and yards allowed, 1 each.

    >>> levels({"dst_points_allowed": 17, "dst_yards_allowed": 300})
    {'dst_allowed_14_17': 1, 'dst_yards_300_349': 1}
    >>> levels({"dst_yards_allowed": -3})
    {'dst_allowed_0': 1, 'dst_yards_under_100': 1}
    """
    return {level_of(stat, stats.get(stat, 0)): 1 for stat in LEVELS}


def level_of(stat: str, amount: int) -> str:
    """The level of this amount of points or yards allowed."""
    return next(name for most, name in LEVELS[stat] if most is None or amount <= most)


def has_begun(events: Iterable[Numbered]) -> bool:
    """Whether the game has begun: it was started or has a snap."""
    return any(isinstance(body, ev.GameStarted | ev.Snap) for _, _, body in events)


# What a credit of a club's player is worth to the club's own D/ST, and to the other club's.
_OWN = {"interceptions_made": "dst_interceptions", "fumbles_recovered_opp": "dst_fumble_recoveries"}
_OTHERS = {
    "sacks_suffered": ("dst_sacks", 1),
    "sack_yards_lost": ("dst_yards_allowed", -1),
    "passing_yards": ("dst_yards_allowed", 1),
    "rushing_yards": ("dst_yards_allowed", 1),
}

_SCORING = (ev.Kick, ev.Conversion, ev.Safety)  # a touchdown has no event type of its own


def _credit(number: int, club: str, stat: str, amount: int = 1) -> Credit:
    return Credit(number, defence_id(club), club, stat, amount)


def _credits(play: Play, of_players: Iterable[Credit], clubs: Clubs) -> Iterator[Credit]:
    other = {clubs[0]: clubs[1], clubs[1]: clubs[0]}
    yield from _credits_by_players(of_players, other)
    yield from _credits_by_scores(play, other)


def _credits_by_players(of_players: Iterable[Credit], other: Mapping[str, str]) -> Iterator[Credit]:
    for earned in of_players:
        if earned.team not in other:
            continue
        if (stat := _OWN.get(earned.stat)) is not None:
            yield _credit(earned.event_number, earned.team, stat, earned.amount)
        elif (for_other := _OTHERS.get(earned.stat)) is not None:
            stat, sign = for_other
            yield _credit(earned.event_number, other[earned.team], stat, sign * earned.amount)


def _credits_by_scores(play: Play, other: Mapping[str, str]) -> Iterator[Credit]:
    touchdown = touchdown_of(play)
    for number, body in counted(play):
        if number != touchdown and not isinstance(body, _SCORING):
            continue
        if isinstance(body, ev.Kick) and body.result == "blocked" and body.team in other:
            yield _credit(number, other[body.team], "dst_kicks_blocked")
        score = score_of(body, is_touchdown=number == touchdown)
        if score is None or score[2] not in other:
            continue
        kind, points, club, _ = score
        by_defence = kind in ("safety", "defensive_two_point")
        if kind == "touchdown":
            special = is_special(play)
            by_defence = not special and snapped_by(play) not in (None, club)
            if special or by_defence:
                yield _credit(number, club, "dst_touchdowns")
        elif kind == "safety":
            yield _credit(number, club, "dst_safeties" if points > 1 else "dst_one_point_safeties")
        elif kind == "defensive_two_point":
            yield _credit(number, club, "dst_two_points")
        if not by_defence:
            yield _credit(number, other[club], "dst_points_allowed", points)
