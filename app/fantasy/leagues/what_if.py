"""What if: the season so far with another captain, other starters or another scoring (PRODUCT G5).

The answer is exact. Changed sheets go through the engine that scores sheets (engine/),
changed scoring through the preview of rule changes, and the table through standings/preview.py.
Nothing is stored.

Each gameweek is changed by itself: a sheet that was carried over from it stays as it was. Armbands
stay with their places, so a footballer who comes in for the captain is captain, unless another one
is chosen. If that is the vice-captain, the two swap armbands.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import select

from app.core.db import db
from app.fantasy.engine.footballers import SheetTerms, totals_now
from app.fantasy.engine.ownership import Ownership
from app.fantasy.leagues import rule_changes
from app.fantasy.leagues.rule_changes import NewScoring
from app.fantasy.market import seasons
from app.fantasy.market.formats import Format, format_named
from app.fantasy.market.models import Gameweek
from app.fantasy.scoring.league_gameweek import SheetPlayer, players_of
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings import preview, queries
from app.fantasy.standings.fixtures import match_points
from app.fantasy.standings.models import League
from app.fantasy.standings.preview import Ledger, Move, PreviewedPlace, Score
from app.fantasy.standings.queries import LeagueRow
from app.record import queries as record

MOST_SWAPS = 3


@dataclass(frozen=True)
class Wish:
    """What a member would have done differently.

    Attributes:
        week: The gameweek; None for every gameweek so far.
        captain: Another captain; '' for the real one.
        swaps: Starters who go out and substitutes who come in, in order.
    """

    week: int | None = None
    captain: str = ""
    swaps: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Sheet:
    """A member's sheet of a gameweek that has begun: picks by place, armbands as places from 1."""

    gameweek_id: int
    week: int
    name: str
    picks: tuple[str, ...]
    captain: int
    vice_captain: int


@dataclass(frozen=True)
class Week:
    """A gameweek of the member as it is and as it would be, in thousandths.

    Attributes:
        result: The match points of the head-to-head game; None without one or before it is settled.
        wished_result: The same as it would be.
        fault: Why the wish is impossible in this gameweek; empty if it is possible.
    """

    week: int
    name: str
    points: int
    wished: int
    result: int | None
    wished_result: int | None
    fault: str = ""


@dataclass(frozen=True)
class Turned:
    """A head-to-head game with another result: its match points as they are and would be."""

    week: int
    member_id: int
    team_name: str
    before: int
    after: int


@dataclass(frozen=True)
class Answer:
    """The season as it would be.

    Attributes:
        weeks: The member's gameweeks in order.
        before: The place of every visible member as it is.
        after: The place of every visible member as it would be.
        moves: Everybody who moves; see preview.moves.
        turned: Head-to-head games with another result, by week and member.
    """

    weeks: tuple[Week, ...]
    before: Mapping[int, PreviewedPlace]
    after: Mapping[int, PreviewedPlace]
    moves: tuple[Move, ...]
    turned: tuple[Turned, ...]


def my_sheets(league: LeagueRow, member_id: int, now: datetime) -> list[Sheet]:
    """The member's sheets of gameweeks that the league counts and that are locked, by week."""
    begun = {
        gameweek.id: gameweek
        for gameweek in seasons.begun(league.season_id, now, league.first_week)
    }
    query = select(TeamSheet).where(
        TeamSheet.member_id == member_id,
        TeamSheet.team_rules_id == league.team_rules_id,
        TeamSheet.gameweek_id.in_(begun),
    )
    sheets = [
        Sheet(
            row.gameweek_id,
            begun[row.gameweek_id].week,
            begun[row.gameweek_id].name,
            tuple(row.picks),
            row.captain,
            row.vice_captain,
        )
        for row in db.session.scalars(query)
    ]
    return sorted(sheets, key=lambda sheet: sheet.week)


def wished(
    sheet: Sheet,
    wish: Wish,
    team_format: Format,
    players: Mapping[str, SheetPlayer],
    names: Mapping[str, str],
) -> Sheet | str:
    """The sheet as wished, or the sentence that says why it cannot be. Pure."""
    size = len(team_format.starters)
    picks = list(sheet.picks)
    for swap in wish.swaps:
        if fault := _swap_fault(swap, picks, size, names):
            return fault
        first, second = (picks.index(player) for player in swap)
        picks[first], picks[second] = picks[second], picks[first]
    if wish.swaps and not _is_legal(picks[:size], sheet.picks[:size], team_format, players):
        return "That lineup isn't valid. Choose an eligible bench player."
    if fault := _captain_fault(wish.captain, picks, size, names):
        return fault
    captain, vice = sheet.captain, sheet.vice_captain
    if wish.captain:
        place = picks.index(wish.captain) + 1
        captain, vice = place, captain if place == vice else vice
    return replace(sheet, picks=tuple(picks), captain=captain, vice_captain=vice)


def _swap_fault(
    swap: tuple[str, str], picks: Sequence[str], size: int, names: Mapping[str, str]
) -> str:
    """Why the swap is impossible, in a sentence; empty if it is possible."""
    for player in swap:
        if player not in picks:
            return f"{names.get(player, player)} was not on your team, so nothing changes."
    out, into = swap
    if picks.index(out) >= size:
        return f"{names.get(out, out)} was already on the bench, so nothing changes."
    if picks.index(into) < size:
        return f"{names.get(into, into)} already started, so nothing changes."
    return ""


def _captain_fault(captain: str, picks: Sequence[str], size: int, names: Mapping[str, str]) -> str:
    """Why the captain is impossible, in a sentence; empty if the captain is possible or none."""
    if not captain:
        return ""
    name = names.get(captain, captain)
    if captain not in picks:
        return f"{name} was not on your team, so nothing changes."
    if picks.index(captain) >= size:
        return f"{name} was on the bench. A captain must start, so start them too."
    return ""


def _is_legal(
    starters: Sequence[str],
    before: Sequence[str],
    team_format: Format,
    players: Mapping[str, SheetPlayer],
) -> bool:
    """Whether the starters can fill the starting places.

    If places were empty before, it is whether each new one fits the place.
    """
    if all(before):
        groups = [
            team_format.group_of(players[footballer_id].position)
            if footballer_id in players
            else None
            for footballer_id in starters
        ]
        return None not in groups and team_format.fills(
            [groups.count(group) for group in range(len(team_format.groups))]
        )
    slots = zip(team_format.starters, starters, before, strict=True)
    return all(
        new == old or (new in players and players[new].position in slot.accepts)
        for slot, new, old in slots
    )


def answer(league: LeagueRow, member_id: int, wish: Wish, now: datetime) -> Answer:
    """The season with the member's own sheets as wished."""
    sheets = my_sheets(league, member_id, now)
    ids = {player for sheet in sheets for player in sheet.picks if player} | _named(wish)
    players, names = players_of(league.season_id, ids), record.names(ids)
    difference: dict[Score, int] = {}
    faults: dict[int, str] = {}
    for sheet in sheets:
        if wish.week not in (None, sheet.week) or not (wish.captain or wish.swaps):
            continue
        new = wished(sheet, wish, format_named(league.format), players, names)
        if isinstance(new, str):
            faults[sheet.gameweek_id] = new
        else:
            difference[sheet.gameweek_id, member_id] = _difference(league, sheet, new)
    weeks = [(sheet.gameweek_id, sheet.week, sheet.name) for sheet in sheets]
    return _answered(league, member_id, difference, weeks, faults)


def answer_of_rules(
    league: LeagueRow, member_id: int, scoring: NewScoring, now: datetime
) -> Answer:
    """The season with everybody's sheets under another scoring.

    It is as slow as the preview of a rule change.
    """
    difference = rule_changes.difference(db.session.get_one(League, league.id), scoring)
    weeks = [
        (gameweek.id, gameweek.week, gameweek.name)
        for gameweek in seasons.begun(league.season_id, now, league.first_week)
    ]
    return _answered(league, member_id, difference, weeks, {})


def _named(wish: Wish) -> set[str]:
    return {wish.captain, *(player for swap in wish.swaps for player in swap)} - {""}


def _difference(league: LeagueRow, before: Sheet, after: Sheet) -> int:
    """How many points the sheet would gain."""
    terms = SheetTerms(
        before.gameweek_id,
        league.season_id,
        league.team_rules_id,
        format_named(league.format),
        league.counts_moved,
        league.rules,
    )
    points = totals_now(Ownership.of(terms.format, [before, after]), terms).points
    return int(points[1] - points[0])


def _answered(
    league: LeagueRow,
    me: int,
    difference: Mapping[Score, int],
    weeks: Sequence[tuple[int, int, str]],
    faults: Mapping[int, str],
) -> Answer:
    ledger = preview.ledger_of(db.session.get_one(League, league.id))
    names = {member: (name, team) for member, name, team in queries.members_seen(league.id)}
    before = replace(ledger, members=tuple(member for member in ledger.members if member in names))
    after = before.with_points(difference)
    old, new = _results(before), _results(after)
    number = {gameweek.id: gameweek.week for gameweek in _gameweeks(old)}
    return Answer(
        tuple(
            Week(
                week,
                name,
                before.points.get((gameweek, me), 0),
                after.points.get((gameweek, me), 0),
                old.get(gameweek, {}).get(me),
                new.get(gameweek, {}).get(me),
                faults.get(gameweek, ""),
            )
            for gameweek, week, name in weeks
        ),
        preview.table(before),
        preview.table(after),
        tuple(preview.moves(before, after, names)),
        tuple(
            Turned(number[gameweek], member, names[member][1], result, new[gameweek][member])
            for gameweek in sorted(old, key=lambda gameweek_id: number[gameweek_id])
            for member, result in sorted(old[gameweek].items())
            if new[gameweek][member] != result and member in names
        ),
    )


def _results(ledger: Ledger) -> dict[int, dict[int, int]]:
    """Match points of each settled gameweek by member."""
    return {
        gameweek: match_points(
            {member: points for (at, member), points in ledger.points.items() if at == gameweek},
            pairs,
        )
        for gameweek, pairs in ledger.pairs.items()
    }


def _gameweeks(ids: Collection[int]) -> Sequence[Gameweek]:
    return db.session.scalars(select(Gameweek).where(Gameweek.id.in_(ids))).all()
