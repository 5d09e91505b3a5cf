"""A matchup, as values: two team sheets slot by slot, and what is expected of each. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from app.core.bidi import isolated
from app.fantasy.amounts import decimal_points
from app.fantasy.market.formats import Format, Slot
from app.fantasy.pages.league.page import PickRow, TeamPage
from app.fantasy.pages.matchup.prospects import SideNow, ToPlay, prospects
from app.fantasy.pages.scoreboard import ScoreboardSide
from app.fantasy.pages.short_names import short_name
from app.fantasy.projections.chance_line import ChanceLine
from app.fantasy.projections.chances import EVEN
from app.fantasy.projections.rules import Projection
from app.fantasy.projections.teams import Outlook, ProjectedSheets, ProjectedTeam
from app.fantasy.projections.words import percent_words, percentages, projected_words
from app.fantasy.scoring.picks import Pick
from app.fantasy.sheets.best_lineup import SquadPlayer, best_lineup
from app.record.play_words import ToldPlay
from app.record.queries import GameRow

CHART_SIZE = 100  # the chart is a square that its box stretches
CHART_DOTS = 150
AVERAGE = "The average"


@dataclass(frozen=True)
class PlaceRow:
    """A player in a slot.

    Attributes:
        row: The player, their games and points.
        short_name: The name for a narrow column.
        expected: What the place is expected to have in the end, with one decimal; empty if there is
            nothing to come.
        is_live: Whether a game of theirs is being played.
    """

    row: PickRow
    short_name: str
    expected: str
    is_live: bool


@dataclass(frozen=True)
class Pair:
    """A slot with the player of each side; None for an empty place."""

    slot: str
    places: tuple[PlaceRow | None, PlaceRow | None]


@dataclass(frozen=True)
class BestChoice:
    """The line-up with the most points that a squad could have had.

    Attributes:
        points: What the team would have with it.
        more: How much more than it has; empty if the line-up was the best one.
        changes: What would have to be different, in words.
    """

    points: str
    more: str
    changes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class MatchupSide(ScoreboardSide):
    """A side of a matchup.

    Attributes:
        team: None for the average of the league.
        bench: The points of the substitutes that do not count.
        best: None before anything is played.
    """

    team: TeamPage | None
    bench: str = ""
    best: BestChoice | None = None


@dataclass(frozen=True)
class ChanceChart:
    """The chance of winning over all plays.

    Attributes:
        area: What belongs to the first side, as the points of a polygon.
        words: The same in a sentence.
    """

    area: str
    words: str


@dataclass(frozen=True)
class TurningPoint:
    """The play after which the winner stayed the favorite.

    Attributes:
        where: The game and its clock, `FJD at LKW, Q3 0:46`.
        change: The winner's chance before and after it.
        event_number: Its last event.
    """

    words: str
    where: str
    change: str
    game_id: str
    event_number: int


@dataclass(frozen=True)
class DecidingPlay:
    """What the record says of the play that put the winner above even for good."""

    play: ToldPlay
    game: GameRow


@dataclass(frozen=True)
class MatchupPage:
    """Two teams slot by slot, or one that plays against the league's average.

    Attributes:
        sides: One or two; one if the member meets nobody.
        result: Who leads or won, and by how much, in words; empty for one side, or without data.
        prospects: What would have to happen, in a sentence; empty if it is over.
        chart: None before the first play, or if a line-up is secret.
        turning_point: None until it is over, or if the winner was the favorite from the start.
        favorite: Who was the favorite from the start and won; empty if nobody was.
    """

    sides: tuple[MatchupSide, ...]
    starters: tuple[Pair, ...]
    substitutes: tuple[Pair, ...]
    result: str
    prospects: str
    chart: ChanceChart | None = None
    turning_point: TurningPoint | None = None
    favorite: str = ""


@dataclass(frozen=True)
class MatchupNow:
    """What a matchup's page is made of.

    Attributes:
        teams: One or two teams, in the order of the page.
        members: Their members' ids.
        average: The points of the league's average in thousandths, if the only team plays it.
        sheets: What the players of the teams that may be seen are expected to have.
        outlook: How the matchup is expected to end; None if a line-up is secret or there is no
            opponent.
        is_over: Whether no game is still to be played.
        line: The chance of winning over all plays; None if there is none.
        deciding_play: That of the line once it is over; None if no play decided it.
    """

    teams: Sequence[TeamPage]
    members: Sequence[int]
    average: Fraction | None
    sheets: ProjectedSheets
    outlook: Outlook | None
    is_over: bool
    line: ChanceLine | None = None
    deciding_play: DecidingPlay | None = None


def matchup_page(now: MatchupNow, team_format: Format) -> MatchupPage:
    """Pair the places of both sides, with what is expected of each."""
    sides = [
        _side(team, now, team_format, number, member)
        for number, (team, member) in enumerate(zip(now.teams, now.members, strict=True))
    ]
    totals = [Fraction(team.total) * 1000 for team in now.teams]
    if now.average is not None:
        sides.append(_average(now))
        totals.append(now.average)
    first, second = now.teams[0], now.teams[1] if len(now.teams) > 1 else None
    has_result = len(sides) > 1 and has_begun(now) and not all(side.is_awaited for side in sides)
    names = [side.name for side in sides]
    return MatchupPage(
        tuple(sides),
        _paired(team_format.starters, _places(first, now, 0), _places(second, now, 1)),
        _paired(
            team_format.substitutes,
            _places(first, now, 0, on_bench=True),
            _places(second, now, 1, on_bench=True),
        ),
        _result(names, totals, is_over=now.is_over) if has_result else "",
        _prospects(now, totals),
        _chart(now.line, names) if now.line is not None else None,
        _turning_point(now),
        _favorite(now, names),
    )


def has_begun(now: MatchupNow) -> bool:
    """Whether a game of the teams' players has begun, as far as may be seen, or points count."""
    picks = [row.pick for team in now.teams for row in (*team.starters, *team.substitutes)]
    return (
        now.is_over
        or any(game.status != "scheduled" for pick in picks for game in pick.games)
        or any(Fraction(team.total) for team in now.teams)
    )


def _side(
    team: TeamPage, now: MatchupNow, team_format: Format, number: int, member: int
) -> MatchupSide:
    starters = [row.pick for row in team.starters]
    expected, percent, share = _expected(now, number)
    awaited = sum(row.is_awaited for row in team.starters)
    if not expected and not now.is_over and member in now.sheets.teams:
        expected = projected_words(now.sheets.teams[member].points)
    return MatchupSide(
        name=team.team_name,
        total=team.total if has_begun(now) else "",
        team=team,
        expected=expected,
        percent=percent,
        share=share,
        to_play=sum(pick.game is not None and pick.game.status == "scheduled" for pick in starters)
        - awaited,
        playing=sum(_is_live(pick) for pick in starters),
        bench=decimal_points(
            sum(row.pick.points for row in team.substitutes if not row.pick.multiplier)
        ),
        best=_best(team, now.sheets.positions, team_format),
        awaited=awaited,
        is_awaited=team.is_awaited,
    )


def _average(now: MatchupNow) -> MatchupSide:
    assert now.average is not None
    expected, percent, share = _expected(now, 1)
    return MatchupSide(
        name=AVERAGE,
        total=decimal_points(now.average) if has_begun(now) else "",
        team=None,
        expected=expected,
        percent=percent,
        share=share,
    )


def _expected(now: MatchupNow, number: int) -> tuple[str, str, int]:
    """The projected points and the chance of winning of a side, as words and as a share of 100."""
    if now.outlook is None or now.is_over:
        return "", "", 0
    points = (now.outlook.first, now.outlook.second)[number]
    chance = now.outlook.chance
    return projected_words(points), percent_words(chance)[number], percentages(chance)[number]


def _is_live(pick: Pick) -> bool:
    return pick.game is not None and pick.game.status == "live"


def _places(
    team: TeamPage | None, now: MatchupNow, number: int, *, on_bench: bool = False
) -> list[PlaceRow]:
    if team is None:
        return []
    projected = now.sheets.teams.get(now.members[number])
    return [
        PlaceRow(
            row,
            short_name(row.pick.name, row.pick.position),
            _expected_of(row.pick, projected, now.sheets.projections),
            _is_live(row.pick),
        )
        for row in (team.substitutes if on_bench else team.starters)
    ]


def _expected_of(
    pick: Pick, projected: ProjectedTeam | None, projections: Mapping[str, Projection]
) -> str:
    """What the place is expected to have; of a substitute who does not count, the player."""
    projection = projections.get(pick.footballer_id)
    if projected is None or projection is None or not projection.games_left:
        return ""
    return projected_words(projection.points * max(projected.times(pick.footballer_id), 1))


def _paired(
    slots: Sequence[Slot], first: Sequence[PlaceRow], second: Sequence[PlaceRow]
) -> tuple[Pair, ...]:
    """Each place with the next player of each side in a place of this name."""
    waiting = (list(first), list(second))

    def take(places: list[PlaceRow], slot: str) -> PlaceRow | None:
        place = next((place for place in places if place.row.pick.slot == slot), None)
        if place is not None:
            places.remove(place)
        return place

    return tuple(
        Pair(slot.name, (take(waiting[0], slot.name), take(waiting[1], slot.name)))
        for slot in slots
    )


def _best(team: TeamPage, positions: Mapping[str, str], team_format: Format) -> BestChoice | None:
    """The best line-up of the squad, once one of its games has begun."""
    picks = [row.pick for row in (*team.starters, *team.substitutes)]
    if not any(game.stats for pick in picks for game in pick.games):
        return None
    best = best_lineup(
        team_format,
        [
            SquadPlayer(
                pick.footballer_id, positions.get(pick.footballer_id, pick.position), pick.points
            )
            for pick in picks
        ],
    )
    counted = sum(pick.points * pick.multiplier for pick in picks)
    total = Fraction(team.total) * 1000 + best.points - counted
    if best.points <= counted:
        return BestChoice(team.total, "", ())
    names = {pick.footballer_id: short_name(pick.name, pick.position) for pick in picks}
    counting = [pick.footballer_id for pick in picks if pick.multiplier]
    doubled = [pick.footballer_id for pick in picks if pick.multiplier > 1]
    come = [names[player] for player in best.starters if player not in counting]
    go = [names[player] for player in counting if player not in best.starters]
    changes = [f"{isolated(name)} in" for name in come] + [f"{isolated(name)} out" for name in go]
    if best.captain and best.captain not in doubled:
        changes.append(f"{isolated(names[best.captain])} captain")
    return BestChoice(decimal_points(total), decimal_points(best.points - counted), tuple(changes))


def _prospects(now: MatchupNow, totals: Sequence[Fraction]) -> str:
    outlook = now.outlook
    if outlook is None or now.is_over:
        return ""
    names = [team.team_name for team in now.teams]
    sides = [
        SideNow(names[number], totals[number], points - totals[number], _to_play(now, number))
        for number, points in enumerate((outlook.first, outlook.second)[: len(names)])
    ]
    if now.average is not None:
        to_come = outlook.second - now.average
        sides.append(SideNow(AVERAGE, now.average, to_come, (), is_average=True))
    return prospects(sides[0], sides[1], has_begun=has_begun(now))


def _to_play(now: MatchupNow, number: int) -> list[ToPlay]:
    """The players of a side who count and have something to come, the most expected first."""
    team = now.sheets.teams.get(now.members[number])
    if team is None:
        return []
    picks = {
        row.pick.footballer_id: row.pick
        for row in (*now.teams[number].starters, *now.teams[number].substitutes)
    }
    to_play = []
    for player in picks:
        projection = now.sheets.projections.get(player)
        times = team.times(player)
        if projection is not None and projection.games_left and times:
            pick = picks[player]
            name = short_name(pick.name, pick.position)
            to_play.append(ToPlay(name, projection.rest * times))
    return sorted(to_play, key=lambda player: -player.rest)


def _chart(line: ChanceLine, names: Sequence[str]) -> ChanceChart:
    """The line as an area with at most CHART_DOTS dots, and as a sentence."""
    chances = line.chances
    last = len(chances) - 1
    numbers = sorted({round(dot * last / CHART_DOTS) for dot in range(CHART_DOTS + 1)})
    dots = [
        f"{CHART_SIZE * number / last:.1f},{CHART_SIZE * (1 - chances[number]):.1f}"
        for number in numbers
    ]
    area = f"0,{CHART_SIZE} {' '.join(dots)} {CHART_SIZE},{CHART_SIZE}"
    start, lowest, highest, now = (
        percent_words(chance)[0] for chance in (line.start, min(chances), max(chances), line.now)
    )
    words = (
        f"Win probability of {isolated(names[0])} over {len(line.plays)} plays: {start} at the "
        f"start, between {lowest} and {highest}, {now} at the end."
    )
    return ChanceChart(area, words)


def _turning_point(now: MatchupNow) -> TurningPoint | None:
    decided = now.line.decided if now.line is not None and now.is_over else None
    if now.line is None or decided is None or now.deciding_play is None:
        return None
    play, game = now.deciding_play.play, now.deciding_play.game
    winner = 0 if now.line.now > EVEN else 1
    previous = now.line.chances[now.line.plays.index(decided)]
    chance_before, chance_after = (
        percent_words(chance)[winner] for chance in (previous, decided.chance)
    )
    where = f"{game.away.id} at {game.home.id}"
    return TurningPoint(
        str(play.words),
        f"{where}, {play.clock}" if play.clock else where,
        f"{chance_before} → {chance_after}",
        decided.game_id,
        decided.event_number,
    )


def _favorite(now: MatchupNow, names: Sequence[str]) -> str:
    if now.line is None or not now.is_over:
        return ""
    chances = now.line.chances
    if min(chances) > EVEN:
        return names[0]
    return names[1] if max(chances) < EVEN else ""


def _result(names: Sequence[str], totals: Sequence[Fraction], *, is_over: bool) -> str:
    """Who leads or won, and by how much; `totals` in thousandths, exact, as the result is decided.

    >>> level, apart = [Fraction(3), Fraction(3)], [Fraction(10_500), Fraction(12_000)]
    >>> _result(["A", "B"], apart, is_over=False), _result(["A", "B"], level, is_over=False)
    ('B is ahead by 1.50', 'Tied')
    >>> _result(["A", "B"], apart, is_over=True), _result(["A", "B"], level, is_over=True)
    ('B won by 1.50', 'Tie')
    >>> _result(["A", "The average"], [Fraction(5), Fraction(16, 3)], is_over=False)
    'The average is ahead by less than 0.001'
    """
    first, second = totals
    if first == second:
        return "Tie" if is_over else "Tied"
    lead = abs(first - second)
    words = decimal_points(lead) if lead >= 1 else "less than 0.001"
    leader = names[0] if first > second else names[1]
    return f"{isolated(leader)} {'won' if is_over else 'is ahead'} by {words}"
