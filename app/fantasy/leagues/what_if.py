"""What if: another captain, other starters or another scoring.

The answer is exact over the season so far (PRODUCT G5).

Lives here: the wish, what of it cannot be, and the two ledgers. A changed sheet goes through the
engine that scores sheets (scoring/engine/), a changed scoring through
those of its preview (rule_changes.py), the table through that of every preview
(standings/preview.py). Without a change it is the real table. Nothing is stored.

A gameweek is changed by itself: the sheet that was carried on from it stays as it was. Armbands
stay with their places: who comes in for the captain is captain, unless another is chosen; if that
is the vice-captain, the two change armbands.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import select

from app.core.db import db
from app.fantasy.leagues import rule_changes
from app.fantasy.leagues.rule_changes import Wanted
from app.fantasy.market import seasons
from app.fantasy.market.formats import FORMATS, Format
from app.fantasy.market.models import Gameweek
from app.fantasy.scoring.engine.footballers import SheetTerms, totals_now
from app.fantasy.scoring.engine.league_gameweek import SheetPlayer, players_of
from app.fantasy.scoring.engine.ownership import Ownership
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings import preview, queries
from app.fantasy.standings.matchups import match_points
from app.fantasy.standings.models import League
from app.fantasy.standings.preview import Ledger, Move, Place, Score
from app.fantasy.standings.queries import LeagueRow
from app.record import queries as record

MOST_SWAPS = 3


@dataclass(frozen=True)
class Wish:
    """`week` None: every gameweek so far.

    `captain`: a footballer, '' as it was. `swaps`: who goes out and who comes in from the bench, in
    order.
    """

    week: int | None = None
    captain: str = ""
    swaps: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Sheet:
    """A sheet of mine of a gameweek that has begun: picks by place, armbands as places from 1."""

    gameweek_id: int
    week: int
    name: str
    picks: tuple[str, ...]
    captain: int
    vice_captain: int


@dataclass(frozen=True)
class Week:
    """A gameweek of mine, thousandths: as it is, and as it would be.

    `result`s: of the head-to-head game, match points, None without one or before it is settled.
    `said`: why the wish does not hold in it, '' where it does.
    """

    week: int
    name: str
    points: int
    wished: int
    result: int | None
    wished_result: int | None
    said: str = ""


@dataclass(frozen=True)
class Turned:
    """A member's head-to-head game with another result.

    Match points as it is, and as it would be.
    """

    week: int
    member_id: int
    team_name: str
    before: int
    after: int


@dataclass(frozen=True)
class Answer:
    """`before` and `after`: every member's place, without the hidden.

    `weeks`: mine, in order. `moves`: of everybody, see preview.moves. `turned`: everybody's games,
    by week and member.
    """

    weeks: tuple[Week, ...]
    before: Mapping[int, Place]
    after: Mapping[int, Place]
    moves: tuple[Move, ...]
    turned: tuple[Turned, ...]


def my_sheets(league: LeagueRow, member_id: int, now: datetime) -> list[Sheet]:
    """By week; of gameweeks that the league counts and whose deadline has passed."""
    begun = {one.id: one for one in seasons.begun(league.season_id, now, league.first_week)}
    query = select(TeamSheet).where(
        TeamSheet.member_id == member_id,
        TeamSheet.team_rules_id == league.team_rules_id,
        TeamSheet.gameweek_id.in_(begun),
    )
    found = [
        Sheet(
            one.gameweek_id,
            begun[one.gameweek_id].week,
            begun[one.gameweek_id].name,
            tuple(one.picks),
            one.captain,
            one.vice_captain,
        )
        for one in db.session.scalars(query)
    ]
    return sorted(found, key=lambda sheet: sheet.week)


def wished(
    sheet: Sheet,
    wish: Wish,
    team_format: Format,
    players: Mapping[str, SheetPlayer],
    names: Mapping[str, str],
) -> Sheet | str:
    """The sheet as wished, or the sentence that says why it cannot be. Pure."""

    def called(player: str) -> str:
        return names.get(player, player)

    size = len(team_format.starters)
    picks = list(sheet.picks)
    for out, into in wish.swaps:
        for player in (out, into):
            if player not in picks:
                return f"{called(player)} was not in your squad: it stays as it was."
        first, second = picks.index(out), picks.index(into)
        if first >= size:
            return f"{called(out)} was on the bench already: it stays as it was."
        if second < size:
            return f"{called(into)} started already: it stays as it was."
        picks[first], picks[second] = into, out
    if wish.swaps and not _is_legal(picks[:size], sheet.picks[:size], team_format, players):
        return (
            "These starters would be no legal formation: choose a substitute who can stand in that "
            "place."
        )
    captain, vice = sheet.captain, sheet.vice_captain
    if wish.captain:
        if wish.captain not in picks:
            return f"{called(wish.captain)} was not in your squad: it stays as it was."
        place = picks.index(wish.captain) + 1
        if place > size:
            return (
                f"{called(wish.captain)} was on the bench: a captain has to start, so bring them "
                "in as well."
            )
        captain, vice = place, captain if place == vice else vice
    return replace(sheet, picks=tuple(picks), captain=captain, vice_captain=vice)


def _is_legal(
    starters: Sequence[str],
    before: Sequence[str],
    team_format: Format,
    players: Mapping[str, SheetPlayer],
) -> bool:
    """Whether they can fill the starting places.

    Where places were empty before, whether each newcomer plays a position of who went out.
    """
    if all(before):
        groups = [
            team_format.group_of(players[one].position) if one in players else None
            for one in starters
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
    """The season with the wish, for this member's own sheets."""
    sheets = my_sheets(league, member_id, now)
    ids = {player for sheet in sheets for player in sheet.picks if player} | _named(wish)
    players, names = players_of(league.season_id, ids), record.names(ids)
    difference: dict[Score, int] = {}
    said: dict[int, str] = {}
    for sheet in sheets:
        if wish.week not in (None, sheet.week) or not (wish.captain or wish.swaps):
            continue
        new = wished(sheet, wish, FORMATS[league.format], players, names)
        if isinstance(new, str):
            said[sheet.gameweek_id] = new
        else:
            difference[sheet.gameweek_id, member_id] = _difference(league, sheet, new)
    return _answered(
        league,
        member_id,
        difference,
        [(one.gameweek_id, one.week, one.name) for one in sheets],
        said,
    )


def answer_of_rules(league: LeagueRow, member_id: int, wanted: Wanted, now: datetime) -> Answer:
    """The season under another scoring, for everybody.

    Its cost is that of a rule change's preview.
    """
    found = rule_changes.difference(db.session.get_one(League, league.id), wanted)
    weeks = [
        (one.id, one.week, one.name)
        for one in seasons.begun(league.season_id, now, league.first_week)
    ]
    return _answered(league, member_id, found, weeks, {})


def _named(wish: Wish) -> set[str]:
    return {wish.captain, *(player for swap in wish.swaps for player in swap)} - {""}


def _difference(league: LeagueRow, before: Sheet, after: Sheet) -> int:
    """What the sheet's points would gain, by the functions that score it."""
    terms = SheetTerms(
        before.gameweek_id,
        league.season_id,
        league.team_rules_id,
        FORMATS[league.format],
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
    said: Mapping[int, str],
) -> Answer:
    ledger = preview.ledger_of(db.session.get_one(League, league.id))
    names = {member: (name, team) for member, name, team in queries.members_seen(league.id)}
    before = replace(ledger, members=tuple(one for one in ledger.members if one in names))
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
                said.get(gameweek, ""),
            )
            for gameweek, week, name in weeks
        ),
        preview.table(before),
        preview.table(after),
        tuple(preview.moves(before, after, names)),
        tuple(
            Turned(number[gameweek], member, names[member][1], result, new[gameweek][member])
            for gameweek in sorted(old, key=lambda one: number[one])
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
