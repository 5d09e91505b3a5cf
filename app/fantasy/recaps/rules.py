"""The claims of a recap: each follows from the values of the gameweek and from nothing else. Pure.

A claim is made only if it is true of exactly one team or game: two teams with equal points share no
first place, and the claim is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product, takewhile
from typing import Literal, TypeVar

from app.core.bidi import isolated, with_period
from app.fantasy.amounts import decimal_points
from app.fantasy.engine.ownership import Counted, Ownership
from app.fantasy.recaps.values import Pick, PlayRef, TeamWeek, Week
from app.fantasy.standings.fixtures import LOSS, WIN

SHORTEST_STREAK = 3  # games

Kind = Literal[
    "winner",
    "game",
    "best_decision",
    "worst_decision",
    "bench",
    "record",
    "player_record",
    "won_streak",
    "lost_streak",
]
T = TypeVar("T")


@dataclass(frozen=True)
class Claim:
    """What a recap tells: a sentence, and the same as a card with a figure and a line.

    Attributes:
        words: The sentence.
        line: What the card says below the figure and the first team's name.
        play: The play behind it; None if it is about a total.
        member_ids: The teams that it is about, the first one mentioned first.
        points: The number that it states, in thousandths; 0 if it counts games.
        games: How many games a streak has.
    """

    kind: Kind
    words: str
    line: str
    play: PlayRef | None
    member_ids: tuple[int, ...]
    points: int = 0
    games: int = 0

    @property
    def figure(self) -> str:
        """The number that it states."""
        return str(self.games) if self.games else decimal_points(self.points)


@dataclass(frozen=True)
class Choice:
    """What one other choice would have changed, in thousandths: another starter or captain."""

    member_id: int
    chosen: Pick
    other: Pick
    points: int
    is_captain: bool


def claims(week: Week) -> tuple[Claim, ...]:
    """The claims of a gameweek, in the order in which a recap tells them."""
    makers = (
        _winner,
        _game,
        _best_decision,
        _worst_decision,
        _bench,
        _record,
        _player_record,
        _streaks,
    )
    return tuple(claim for maker in makers for claim in maker(week))


def _winner(week: Week) -> Iterator[Claim]:
    winner = _only_best(week.teams, lambda team: team.points)
    if winner is None:
        return
    others = [team for team in week.teams if team is not winner]
    words = f"{isolated(winner.name)} won {week.name} with {decimal_points(winner.points)} points"
    second = _only_best(others, lambda team: team.points)
    ids: tuple[int, ...] = (winner.member_id,)
    line = ""
    if second is not None:
        line = f"{decimal_points(winner.points - second.points)} ahead of {isolated(second.name)}"
        words += f", {line}"
        ids = (winner.member_id, second.member_id)
    yield Claim("winner", f"{words}.", line, week.decided, ids, winner.points)


def _game(week: Week) -> Iterator[Claim]:
    """The closest matchup that had a winner, and the play that decided it."""
    teams = {team.member_id: team for team in week.teams}
    margins = {
        match: abs(teams[match.home].points - teams[match.away].points) for match in week.matches
    }
    decided = [match for match in week.matches if margins[match]]
    match = _only_best(decided, lambda match: -margins[match])
    if match is None:
        return
    sides = (teams[match.home], teams[match.away])
    winner, loser = sorted(sides, key=lambda team: team.points, reverse=True)
    margin = margins[match]
    score = f"{decimal_points(winner.points)} to {decimal_points(loser.points)}"
    words = (
        f"{isolated(winner.name)} beat {isolated(loser.name)} by {decimal_points(margin)}, {score}."
    )
    ids = (winner.member_id, loser.member_id)
    line = f"beat {isolated(loser.name)}, {score}"
    yield Claim("game", words, line, match.decided, ids, margin)


def _best_decision(week: Week) -> Iterator[Claim]:
    """The captain who earned the most."""
    captains = [
        (team, pick)
        for team in week.teams
        for pick in team.picks
        if pick.multiplier > 1 and pick.points > 0
    ]
    best = _only_best(captains, lambda captain: captain[1].points)
    if best is not None:
        team, pick = best
        line = f"captained {pick.name}"
        words = f"{isolated(team.name)} {line} (+{decimal_points(pick.points)})."
        play = week.best_plays.get(pick.player_id)
        yield Claim("best_decision", words, line, play, (team.member_id,), pick.points)


def _worst_decision(week: Week) -> Iterator[Claim]:
    """The one other choice that would have earned a team the most."""
    choices = [choice for team in week.teams for choice in better_choices(week, team)]
    worst = _only_best(choices, lambda choice: choice.points)
    if worst is None:
        return
    name = next(team.name for team in week.teams if team.member_id == worst.member_id)
    act, done = ("captaining", "captained") if worst.is_captain else ("starting", "started")
    instead = f" instead of {worst.chosen.name}" if worst.chosen.name else ""
    words = with_period(
        f"{isolated(name)} would have scored "
        f"{decimal_points(worst.points)} more by {act} {worst.other.name}{instead}"
    )
    play = week.best_plays.get(worst.other.player_id)
    line = f"should have {done} {worst.other.name}{instead}"
    yield Claim("worst_decision", words, line, play, (worst.member_id,), worst.points)


def better_choices(week: Week, team: TeamWeek) -> list[Choice]:
    """Every single other choice that would have earned the team more, exactly.

    Another starter exchanges places with a substitute, and the armband stays with the place; the
    starters must still be a legal formation. Another captain comes from the starters, except in
    draft leagues, which have none. Automatic substitutions follow from the new sheet.
    """
    size = len(week.team_format.starters)
    sheets = [_Sheet(team.picks, team.captain, team.vice_captain)]
    changes: list[tuple[Pick, Pick, bool]] = []
    for out, come_in in product(range(size), range(size, len(team.picks))):
        picks = list(team.picks)
        picks[out], picks[come_in] = picks[come_in], picks[out]
        if _is_legal(week, picks[:size]):
            sheets.append(_Sheet(tuple(picks), team.captain, team.vice_captain))
            changes.append((team.picks[out], team.picks[come_in], False))
    has_captains = bool(team.picks) and not week.team_format.is_draft
    for place in range(1, size + 1 if has_captains else 0):
        if place != team.captain:
            # Whoever gives the armband away is vice-captain if the new captain was.
            vice = team.captain if place == team.vice_captain else team.vice_captain
            sheets.append(_Sheet(team.picks, place, vice))
            changes.append((team.picks[team.captain - 1], team.picks[place - 1], True))
    actual, *others = _totals(week, sheets)
    return [
        Choice(team.member_id, chosen, other, total - actual, is_captain)
        for (chosen, other, is_captain), total in zip(changes, others, strict=True)
        if total > actual
    ]


@dataclass(frozen=True)
class _Sheet:
    places: tuple[Pick, ...]
    captain: int
    vice_captain: int

    @property
    def picks(self) -> tuple[str, ...]:
        return tuple(pick.player_id for pick in self.places)


def _totals(week: Week, sheets: Sequence[_Sheet]) -> list[int]:
    """What each sheet would have counted, by the engine that scores sheets."""
    if not sheets[0].places:
        return [0] * len(sheets)
    ownership = Ownership.of(week.team_format, sheets)
    counted = {
        pick.player_id: Counted(
            pick.player_id, pick.position, pick.points, 0, pick.has_played, is_over=True
        )
        for pick in sheets[0].places
    }
    totals: list[int] = ownership.totals(ownership.arrays(counted)).points.tolist()
    return totals


def _is_legal(week: Week, starters: Sequence[Pick]) -> bool:
    groups = [0] * len(week.team_format.groups)
    for pick in starters:
        group = week.team_format.group_of(pick.position)
        if group is None:
            return False
        groups[group] += 1
    return week.team_format.fills(groups)


def _bench(week: Week) -> Iterator[Claim]:
    """The team whose bench had the most points, of players who did not count."""
    benches = [(team, bench_points(team)) for team in week.teams if bench_points(team) > 0]
    most = _only_best(benches, lambda bench: bench[1])
    if most is not None:
        team, points = most
        words = f"{isolated(team.name)} left {decimal_points(points)} points on the bench."
        best = max(
            (pick for pick in team.picks if not pick.multiplier), key=lambda pick: pick.points
        )
        play = week.best_plays.get(best.player_id)
        yield Claim("bench", words, f"{best.name} on the bench", play, (team.member_id,), points)


def bench_points(team: TeamWeek) -> int:
    """The points of the players who did not count, in thousandths."""
    return sum(pick.points for pick in team.picks if not pick.multiplier)


def _record(week: Week) -> Iterator[Claim]:
    """The highest score of the season so far, if there was a gameweek to compare with."""
    winner = _only_best(week.teams, lambda team: team.points)
    if winner is None or not week.past:
        return
    before = max(week.past, key=lambda score: (score.points, -score.week, -score.member_id))
    if winner.points > before.points:
        previous = (
            f"previous: {isolated(before.team_name)}, {decimal_points(before.points)} in "
            f"Week {before.week}"
        )
        words = (
            f"{isolated(winner.name)} scored {decimal_points(winner.points)}, the most by any team "
            f"this season ({previous})."
        )
        yield Claim("record", words, previous, week.decided, (winner.member_id,), winner.points)


def _player_record(week: Week) -> Iterator[Claim]:
    """The most points of a player in a gameweek of the season, if there is one to compare with."""
    owners: dict[str, list[TeamWeek]] = {}
    picks = {}
    for team in week.teams:
        for pick in team.picks:
            if pick.has_played:
                owners.setdefault(pick.player_id, []).append(team)
                picks[pick.player_id] = pick
    best, before = _only_best(list(picks.values()), lambda pick: pick.points), week.best_before
    if best is None or before is None or best.points <= before.points:
        return
    teams = owners[best.player_id]
    owner = f" for {isolated(teams[0].name)}" if len(teams) == 1 else ""
    previous = f"previous: {before.name}, {decimal_points(before.points)} in Week {before.week}"
    words = (
        f"{best.name} scored {decimal_points(best.points)}{owner}, the most by any player in this "
        f"league this season ({previous})."
    )
    ids = tuple(team.member_id for team in teams)
    play = week.best_plays.get(best.player_id)
    yield Claim("player_record", words, f"{best.name}; {previous}", play, ids, best.points)


def _streaks(week: Week) -> Iterator[Claim]:
    """The longest run of games won, and of games lost, from SHORTEST_STREAK on."""
    yield from _streak(week, "won_streak", WIN, "won")
    yield from _streak(week, "lost_streak", LOSS, "lost")


def _streak(week: Week, kind: Kind, result: int, verb: str) -> Iterator[Claim]:
    team = _only_best(week.teams, lambda team: _run(week, team, result))
    games = 0 if team is None else _run(week, team, result)
    if team is not None and games >= SHORTEST_STREAK:
        words = f"{isolated(team.name)} has {verb} {games} games in a row."
        yield Claim(kind, words, f"{verb} in a row", None, (team.member_id,), games=games)


def _run(week: Week, team: TeamWeek, result: int) -> int:
    """How many of the team's latest games ended like this."""
    latest = reversed(week.results.get(team.member_id, ()))
    return sum(1 for _ in takewhile(lambda points: points == result, latest))


def _only_best(options: Sequence[T], value: Callable[[T], int]) -> T | None:
    """The option with the highest value; None if several share it, or there is none."""
    if not options:
        return None
    highest = max(map(value, options))
    best = [option for option in options if value(option) == highest]
    return best[0] if len(best) == 1 else None
