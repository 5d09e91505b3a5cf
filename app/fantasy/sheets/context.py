"""Reads everything by which a team sheet is judged.

rules.py judges it, transfers.py computes its costs, services.py writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Row, Select, bindparam, func, select, text
from sqlalchemy.orm import aliased

from app.core.db import db
from app.core.time_of_day import time_of_day
from app.fantasy.market.deadlines import zone
from app.fantasy.market.formats import format_named
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.market.listing import possible_ids
from app.fantasy.market.models import Gameweek, SheetDeadline, TeamRules
from app.fantasy.rosters.queries import active_roster
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.sheets.roster_fitting import fitted
from app.fantasy.sheets.rules import closed_words
from app.fantasy.sheets.transfers import (
    NO_CAPTAINS,
    Candidate,
    CurrentSheet,
    Limits,
    PreviousSheet,
    SheetContext,
)
from app.record.rules.state import OVER

BEST_BALL = "There is no lineup to set: your best players count automatically."


class NoSuchSheetError(LookupError):
    """There are no such team rules, or the gameweek is not of their season."""


def context_of(member_id: int, team_rules_id: int, gameweek_id: int, now: datetime) -> SheetContext:
    """Everything by which a team sheet of the gameweek is judged at `now`, in one query.

    It is without the market, which `with_players` adds.

    Raises:
        NoSuchSheetError: There are no such team rules, or they have no such gameweek.
    """
    rows = db.session.execute(
        _select_frame(),
        {"member": member_id, "team_rules": team_rules_id, "gameweek": gameweek_id, "now": now},
        execution_options={"populate_existing": True},
    ).all()
    if not rows:
        raise NoSuchSheetError(f"team rules {team_rules_id} have no week {gameweek_id}")
    rules, gameweek, locks_at = rows[0].TeamRules, rows[0].Gameweek, rows[0].locks_at
    sheets = [row for row in rows if row.week is not None]
    current = sheets[0] if sheets and sheets[0].week == gameweek.week else None
    previous = next((sheet for sheet in sheets if sheet.week < gameweek.week), None)
    context = SheetContext(
        format=format_named(rules.format),
        limits=limits_of(rules),
        market={},
        previous=previous_sheet(previous, gameweek.week) if previous else None,
        current=_current(
            current or previous, is_saved=current is not None and not current.is_carried
        ),
        locks_each=rules.lock == "game",
        closed=closed_words(
            now,
            locks_at,
            deadline_words(locks_at, rules.time_zone),
            rows[0].earlier or "",
            rows[0].later or "",
        ),
        gameweek_id=gameweek_id,
        locks_at=locks_at,
        counts_moved=rules.postponed_games == "played",
    )
    if not context.format.is_draft:
        return context
    return _with_roster(context, active_roster(member_id, team_rules_id), gameweek, now)


@cache  # building the statement takes as long as running it
def _select_frame() -> Select[Any]:
    """The team rules, the gameweek and its deadline, in a row for each of at most two sheets.

    The sheets are this gameweek's and the last one before it, newest first; without any there is
    one row. `later`: the name of a later gameweek with a saved sheet. `earlier`: that of an earlier
    one that is still open and takes a sheet, which it does not after a later sheet was saved.
    Otherwise each of the two would send the member to the other.
    """
    week, of_sheet, of_latest = aliased(Gameweek), aliased(Gameweek), aliased(Gameweek)
    latest = (
        select(func.coalesce(func.max(of_latest.week), 0))
        .join(TeamSheet, TeamSheet.gameweek_id == of_latest.id)
        .where(
            TeamSheet.team_rules_id == TeamRules.id,
            TeamSheet.member_id == bindparam("member"),
            of_latest.season_id == Gameweek.season_id,
        )
        .correlate(TeamRules, Gameweek)
        .scalar_subquery()
    )
    earlier = (
        select(week.name)
        .join(SheetDeadline, SheetDeadline.gameweek_id == week.id)
        .where(
            SheetDeadline.team_rules_id == TeamRules.id,
            SheetDeadline.locks_at > bindparam("now"),
            week.season_id == Gameweek.season_id,
            week.week < Gameweek.week,
            week.week >= latest,
        )
        .order_by(week.week)
        .limit(1)
        .correlate(TeamRules, Gameweek)
        .scalar_subquery()
    )
    later = (
        select(week.name)
        .join(TeamSheet, TeamSheet.gameweek_id == week.id)
        .where(
            TeamSheet.team_rules_id == TeamRules.id,
            TeamSheet.member_id == bindparam("member"),
            week.season_id == Gameweek.season_id,
            week.week > Gameweek.week,
        )
        .order_by(week.week)
        .limit(1)
        .correlate(TeamRules, Gameweek)
        .scalar_subquery()
    )
    sheets = (
        select(TeamSheet, of_sheet.week.label("week"), of_sheet.season_id.label("season_id"))
        .join(of_sheet, of_sheet.id == TeamSheet.gameweek_id)
        .where(
            TeamSheet.member_id == bindparam("member"),
            TeamSheet.team_rules_id == bindparam("team_rules"),
        )
        .subquery("sheets")
    )
    return (
        select(
            TeamRules,
            Gameweek,
            SheetDeadline.locks_at,
            earlier.label("earlier"),
            later.label("later"),
            sheets.c.week,
            sheets.c.picks,
            sheets.c.purchase_prices,
            sheets.c.bank,
            sheets.c.free_transfers,
            sheets.c.transfers,
            sheets.c.captain,
            sheets.c.vice_captain,
            sheets.c.version,
            sheets.c.is_carried,
        )
        .join(Gameweek, Gameweek.season_id == TeamRules.season_id)
        .join(
            SheetDeadline,
            (SheetDeadline.team_rules_id == TeamRules.id)
            & (SheetDeadline.gameweek_id == Gameweek.id),
        )
        .outerjoin(
            sheets,
            (sheets.c.season_id == Gameweek.season_id) & (sheets.c.week <= Gameweek.week),
        )
        .where(TeamRules.id == bindparam("team_rules"), Gameweek.id == bindparam("gameweek"))
        .order_by(sheets.c.week.desc())
        .limit(2)
    )


def _with_roster(
    context: SheetContext, roster: Mapping[str, str], gameweek: Gameweek, now: datetime
) -> SheetContext:
    """The context of a draft league's line-up: its market is the roster, to which it is fitted."""
    current = context.current
    picks = current.picks if current else ("",) * len(context.format.places)
    begun = begun_among({*picks, *roster}, gameweek, now)
    fitted_picks = fitted(context.format, picks, roster, begun)
    return replace(
        context,
        closed=context.closed or (BEST_BALL if context.format.is_best_ball else ""),
        roster=frozenset(roster),
        current=CurrentSheet(
            fitted_picks,
            (0,) * len(fitted_picks),
            *NO_CAPTAINS,
            bank=0,
            version=current.version if current else 0,
        ),
    )


def with_players(context: SheetContext, ids: Iterable[str], now: datetime) -> SheetContext:
    """The context with the market's entries for these footballers and those of its sheets.

    One query.
    """
    gameweek = db.session.get_one(Gameweek, context.gameweek_id)
    rows = candidates({*ids, *picks_of_sheets(context)}, gameweek, now)
    return replace(context, market={candidate.id: candidate for candidate in rows})


def picks_of_sheets(context: SheetContext) -> set[str]:
    """Return whom the member's sheets of this gameweek and of the last one name."""
    sheets = (context.current, context.previous)
    return {pick for sheet in sheets if sheet for pick in sheet.picks}


def candidates(
    ids: Iterable[str], gameweek: Gameweek | GameweekRow, now: datetime
) -> list[Candidate]:
    """The market's entries of the footballers that exist, in no order."""
    rows = db.session.execute(CANDIDATES, candidate_values(ids, gameweek, now))
    return [Candidate(*row) for row in rows]


def candidate_values(
    ids: Iterable[str], gameweek: Gameweek | GameweekRow, now: datetime
) -> dict[str, object]:
    """Return the parameters of CANDIDATES."""
    return {"ids": possible_ids(ids), **_of_week(gameweek, now)}


# The rows of `candidates`, with the fields of `Candidate`.
CANDIDATES = text("""
    SELECT f.id, f.name, coalesce(m.position, f.position) AS position, f.club_id,
           coalesce(c.name, '') AS club, m.price, coalesce(m.status, 'left') AS status,
           f.id IN (SELECT b.footballer_id FROM begun_games(CAST(:ids AS text[]),
             CAST(:competition AS text), :season,
             CAST(:season_type AS text), :week, :now) b) AS has_begun
    FROM footballers f
    LEFT JOIN footballer_seasons m ON m.season_id = :season_id AND m.footballer_id = f.id
    LEFT JOIN clubs c ON c.id = f.club_id
    WHERE f.id = ANY(CAST(:ids AS text[]))
""")


def begun_among(ids: Iterable[str], gameweek: Gameweek, now: datetime) -> set[str]:
    """Those of these footballers whose game of the gameweek has begun."""
    values = _of_week(gameweek, now) | {"ids": sorted(filter(None, ids))}
    return set(db.session.scalars(_BEGUN_AMONG, values))


_BEGUN_AMONG = text("""
    SELECT footballer_id FROM begun_games(CAST(:ids AS text[]), CAST(:competition AS text), :season,
      CAST(:season_type AS text), :week, :now)
""")


def playing_among(ids: Iterable[str], gameweek: Gameweek, now: datetime) -> set[str]:
    """Those of these footballers whose game of the gameweek has begun and is not over."""
    values = _of_week(gameweek, now) | {"ids": sorted(filter(None, ids)), "over": [*OVER]}
    return set(db.session.scalars(_PLAYING_AMONG, values))


_PLAYING_AMONG = text("""
    SELECT b.footballer_id FROM begun_games(CAST(:ids AS text[]), CAST(:competition AS text),
      :season, CAST(:season_type AS text), :week, :now) b
    LEFT JOIN game_states s ON s.game_id = b.game_id
    WHERE coalesce(s.status, 'scheduled') <> ALL(:over)
""")

_BEGUN = text("""
    SELECT b.footballer_id FROM begun_games(
      ARRAY(SELECT m.footballer_id::text FROM footballer_seasons m WHERE m.season_id = :season_id),
      CAST(:competition AS text), :season, CAST(:season_type AS text), :week, :now
    ) b ORDER BY b.footballer_id
""")


def begun_on_market(gameweek: Gameweek | GameweekRow, now: datetime) -> list[str]:
    """Everybody on the season's market whose game of the gameweek has begun, by id."""
    return list(dict.fromkeys(db.session.scalars(_BEGUN, _of_week(gameweek, now))))


def _of_week(gameweek: Gameweek | GameweekRow, now: datetime) -> dict[str, object]:
    return {
        "season_id": gameweek.season_id,
        "competition": gameweek.competition,
        "season": gameweek.season,
        "season_type": gameweek.season_type,
        "week": gameweek.week,
        "now": now,
    }


def deadline_words(moment: datetime, time_zone: str) -> str:
    """A deadline in words: `Thu 10 Sep 2026, 6:00 PM EDT`."""
    local = moment.astimezone(zone(time_zone))
    return f"{local:%a} {local.day} {local:%b %Y}, {time_of_day(moment, time_zone)}"


def sheets_until(
    member_id: int, team_rules_id: int, season_id: int, week: int
) -> Sequence[Row[tuple[object, ...]]]:
    """This gameweek's sheet and the last one before it, newest first: at most two."""
    return db.session.execute(
        text("""
            SELECT s.*, w.week FROM team_sheets s JOIN gameweeks w ON w.id = s.gameweek_id
            WHERE s.member_id = :member_id AND s.team_rules_id = :team_rules_id
              AND w.season_id = :season_id
              AND w.week <= :week ORDER BY w.week DESC LIMIT 2
        """),
        {
            "member_id": member_id,
            "team_rules_id": team_rules_id,
            "season_id": season_id,
            "week": week,
        },
    ).all()


def limits_of(rules: TeamRules) -> Limits:
    """Return the limits on money and transfers that the rules set."""
    return Limits(
        rules.budget, rules.club_limit, rules.free_transfers, rules.bank_limit, rules.transfer_cost
    )


def previous_sheet(row: Row[tuple[object, ...]], week: int) -> PreviousSheet:
    """Return a row of `sheets_until` as the sheet before this gameweek."""
    fields = row._mapping
    return PreviousSheet(
        tuple(fields["picks"]),
        tuple(fields["purchase_prices"]),
        fields["bank"],
        fields["free_transfers"],
        fields["transfers"],
        week - fields["week"],
    )


def _current(row: Row[tuple[object, ...]] | None, *, is_saved: bool) -> CurrentSheet | None:
    if row is None:
        return None
    fields = row._mapping
    return CurrentSheet(
        tuple(fields["picks"]),
        tuple(fields["purchase_prices"]),
        fields["captain"],
        fields["vice_captain"],
        fields["bank"],
        fields["version"] if is_saved else 0,
    )
