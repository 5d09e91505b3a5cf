"""Reads everything by which a team sheet is judged.

rules.py judges it, transfers.py computes its costs, services.py writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Row, select, text

from app.core.db import db
from app.fantasy.market.deadlines import zone
from app.fantasy.market.formats import format_named
from app.fantasy.market.models import Gameweek, SheetDeadline, TeamRules
from app.fantasy.rosters.queries import active_roster
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

BEST_BALL = "There is nothing to set: your roster's best line-up counts by itself."


class NoSuchSheetError(LookupError):
    """There are no such team rules, or the gameweek is not of their season."""


def context_of(member_id: int, team_rules_id: int, gameweek_id: int, now: datetime) -> SheetContext:
    """Everything by which a team sheet of the gameweek is judged at `now`, in three queries.

    It is without the market, which `with_players` adds.

    Raises:
        NoSuchSheetError: There are no such team rules, or they have no such gameweek.
    """
    frame = db.session.execute(
        select(TeamRules, Gameweek, SheetDeadline.locks_at)
        .join(Gameweek, Gameweek.season_id == TeamRules.season_id)
        .join(
            SheetDeadline,
            (SheetDeadline.team_rules_id == TeamRules.id)
            & (SheetDeadline.gameweek_id == Gameweek.id),
        )
        .where(TeamRules.id == team_rules_id, Gameweek.id == gameweek_id),
        execution_options={"populate_existing": True},
    ).first()
    if frame is None:
        raise NoSuchSheetError(f"team rules {team_rules_id} have no gameweek {gameweek_id}")
    rules, gameweek, locks_at = frame
    rows = sheets_until(member_id, team_rules_id, gameweek.season_id, gameweek.week)
    current = rows[0] if rows and rows[0].week == gameweek.week else None
    previous = next((row for row in rows if row.week < gameweek.week), None)
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
            *_neighbours(member_id, team_rules_id, gameweek, now),
        ),
        gameweek_id=gameweek_id,
        locks_at=locks_at,
        counts_moved=rules.postponed_games == "played",
    )
    if not context.format.is_draft:
        return context
    return _with_roster(context, active_roster(member_id, team_rules_id), gameweek, now)


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
    sheets = (context.current, context.previous)
    all_ids = {*ids, *(pick for sheet in sheets if sheet for pick in sheet.picks)}
    gameweek = db.session.get_one(Gameweek, context.gameweek_id)
    market = {candidate.id: candidate for candidate in candidates(all_ids, gameweek, now)}
    return replace(context, market=market)


def candidates(ids: Iterable[str], gameweek: Gameweek, now: datetime) -> list[Candidate]:
    """The market's entries of the footballers that exist, in no order."""
    possible_ids = [candidate for candidate in ids if candidate and "\x00" not in candidate]
    rows = db.session.execute(_CANDIDATES, {"ids": possible_ids, **_of_week(gameweek, now)})
    return [Candidate(*row) for row in rows]


_CANDIDATES = text("""
    SELECT f.id, f.name, coalesce(m.position, f.position), f.club_id, coalesce(c.name, ''), m.price,
           coalesce(m.status, 'left'),
           f.id IN (SELECT b.footballer_id FROM begun_games(CAST(:ids AS text[]),
             CAST(:competition AS text), :season,
             CAST(:season_type AS text), :week, :now) b)
    FROM footballers f
    LEFT JOIN footballer_seasons m ON m.season_id = :season_id AND m.footballer_id = f.id
    LEFT JOIN clubs c ON c.id = f.club_id
    WHERE f.id = ANY(:ids)
""")


def begun_among(ids: Iterable[str], gameweek: Gameweek, now: datetime) -> set[str]:
    """Those of these footballers whose game of the gameweek has begun."""
    values = _of_week(gameweek, now) | {"ids": sorted(filter(None, ids))}
    return set(db.session.scalars(_BEGUN_AMONG, values))


_BEGUN_AMONG = text("""
    SELECT footballer_id FROM begun_games(CAST(:ids AS text[]), CAST(:competition AS text), :season,
      CAST(:season_type AS text), :week, :now)
""")


_BEGUN = text("""
    SELECT b.footballer_id FROM begun_games(
      ARRAY(SELECT m.footballer_id::text FROM footballer_seasons m WHERE m.season_id = :season_id),
      CAST(:competition AS text), :season, CAST(:season_type AS text), :week, :now
    ) b ORDER BY b.footballer_id
""")


def begun_on_market(gameweek: Gameweek, now: datetime) -> list[str]:
    """Everybody on the season's market whose game of the gameweek has begun, by id."""
    return list(dict.fromkeys(db.session.scalars(_BEGUN, _of_week(gameweek, now))))


def _of_week(gameweek: Gameweek, now: datetime) -> dict[str, object]:
    return {
        "season_id": gameweek.season_id,
        "competition": gameweek.competition,
        "season": gameweek.season,
        "season_type": gameweek.season_type,
        "week": gameweek.week,
        "now": now,
    }


def deadline_words(moment: datetime, time_zone: str) -> str:
    """A deadline in words: `Thu 10 Sep 2026, 18:00 (America/New_York)`."""
    local = moment.astimezone(zone(time_zone))
    return f"{local:%a} {local.day} {local:%b %Y, %H:%M} ({time_zone})"


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


def _neighbours(
    member_id: int, team_rules_id: int, gameweek: Gameweek, now: datetime
) -> tuple[str, str]:
    """The names of an earlier gameweek that is still open, and of a later one with a saved sheet.

    A name is empty if there is no such gameweek.
    """
    row = db.session.execute(
        _NEIGHBOURS,
        {
            "member_id": member_id,
            "team_rules_id": team_rules_id,
            "season_id": gameweek.season_id,
            "week": gameweek.week,
            "now": now,
        },
    ).one()
    return row.earlier or "", row.later or ""


_NEIGHBOURS = text("""
    SELECT (SELECT w.name FROM gameweeks w JOIN sheet_deadlines d ON d.gameweek_id = w.id
            WHERE d.team_rules_id = :team_rules_id AND d.locks_at > :now
              AND w.season_id = :season_id AND w.week < :week
            ORDER BY w.week LIMIT 1) AS earlier,
           (SELECT w.name FROM gameweeks w JOIN team_sheets s ON s.gameweek_id = w.id
            WHERE s.team_rules_id = :team_rules_id AND s.member_id = :member_id
              AND w.season_id = :season_id
              AND w.week > :week ORDER BY w.week LIMIT 1) AS later
""")


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
