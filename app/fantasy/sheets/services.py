"""Team sheets: reading, saving, carrying over (PRODUCT B2, G6).

One save is one transaction on PostgreSQL and nothing else: a dead broker or Redis costs nobody his team.
Lives here: the services that views and the API call. Not here: what a sheet must keep (rules.py), the editor's
page (pages/sheet_page.py), what happens to all sheets after a deadline (gameweeks/after_deadline.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Row, select, text, update
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.fantasy.market.deadlines import zone
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.models import Gameweek, SheetDeadline, TeamRules
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.sheets.rules import Refusal, closed_words, refusals
from app.fantasy.sheets.transfers import (
    Account,
    Candidate,
    Earlier,
    Limits,
    Present,
    Situation,
    Wanted,
    account,
    free_transfers,
)

__all__ = ["NoSuchSheet", "Refused", "Saved", "Sheet", "Wanted", "candidates", "save", "sheet_for", "situation_of"]


class NoSuchSheet(LookupError):
    """There are no such team rules, or the gameweek is not of their season."""


@dataclass(frozen=True)
class Sheet:
    """A team sheet, or (`saved_at` None) the one that will be carried over unless another is saved.

    `edition`: what the next save should name; 0 while nobody has saved this one.
    """

    member_id: int
    team_rules_id: int
    gameweek_id: int
    picks: tuple[str, ...]
    captain: int
    vice_captain: int
    paid: tuple[int, ...]
    bank: int
    free_transfers: int | None
    transfers: int
    transfer_cost: int
    edition: int
    is_carried: bool
    saved_at: datetime | None


@dataclass(frozen=True)
class Saved:
    """`account`: what it came to. `edition`: what the next save should name."""

    sheet_id: int
    edition: int
    account: Account


@dataclass(frozen=True)
class Refused:
    """Nothing was written; every reason at once."""

    refusals: tuple[Refusal, ...]


def save(member_id: int, team_rules_id: int, gameweek_id: int, wanted: Wanted, now: datetime) -> Saved | Refused:
    """Saves the whole team sheet, or none of it. `now`: when the server received it; that decides about the deadline.

    Saves of one member follow each other. Joins the season's overall league if that plays by these team rules.
    Raises NoSuchSheet.
    """
    try:
        name = db.session.scalar(
            text("SELECT display_name FROM members WHERE id = :id FOR NO KEY UPDATE"), {"id": member_id}
        )
        if name is None:
            raise NoSuchSheet(f"no member {member_id}")
        situation = situation_of(member_id, team_rules_id, gameweek_id, wanted.picks, now)
        found = refusals(wanted, situation)
        if found:
            db.session.rollback()
            return Refused(tuple(found))
        if situation.locks_each and situation.before:
            # So that the trigger sees who was moved: without a row everybody would count as new, those who play too.
            carry_over(gameweek_id, team_rules_id, now, member_id=member_id)
        sums = account(wanted.picks, situation)
        sheet_id, edition = _write(member_id, team_rules_id, gameweek_id, wanted, sums, now)
        db.session.execute(_JOIN_OVERALL, {"member_id": member_id, "team_rules_id": team_rules_id, "name": name})
        db.session.commit()
    except BaseException:
        db.session.rollback()
        raise
    return Saved(sheet_id, edition, sums)


_JOIN_OVERALL = text("""
    INSERT INTO league_members (league_id, member_id, team_name)
    SELECT l.id, :member_id, :name FROM leagues l
    WHERE l.team_rules_id = :team_rules_id AND l.is_overall
      AND NOT EXISTS (SELECT FROM league_bans b WHERE b.league_id = l.id AND b.member_id = :member_id)
    ON CONFLICT DO NOTHING
""")


def _write(
    member_id: int, team_rules_id: int, gameweek_id: int, wanted: Wanted, sums: Account, now: datetime
) -> tuple[int, int]:
    values = {
        "picks": list(wanted.picks),
        "captain": wanted.captain,
        "vice_captain": wanted.vice_captain,
        "paid": list(sums.paid),
        "bank": sums.bank,
        "free_transfers": sums.free_transfers,
        "transfers": sums.transfers,
        "transfer_cost": sums.cost,
        "is_carried": False,
        "saved_at": now,
    }
    changed = db.session.execute(
        update(TeamSheet)
        .where(
            TeamSheet.member_id == member_id,
            TeamSheet.team_rules_id == team_rules_id,
            TeamSheet.gameweek_id == gameweek_id,
        )
        .values(**values, edition=TeamSheet.edition + 1)
        .returning(TeamSheet.id, TeamSheet.edition)
        .execution_options(synchronize_session=False)
    ).first()
    if changed is None:
        key = {"member_id": member_id, "team_rules_id": team_rules_id, "gameweek_id": gameweek_id}
        # Nobody else saves for this member now; but the carry-over may, and then this one takes its place.
        statement = insert(TeamSheet).values(**key, **values)
        changed = db.session.execute(
            statement.on_conflict_do_update(
                constraint="uq_team_sheets_gamer", set_=values | {"edition": TeamSheet.edition + 1}
            ).returning(TeamSheet.id, TeamSheet.edition)
        ).one()
    return changed.id, changed.edition


def sheet_for(member_id: int, team_rules_id: int, gameweek: Gameweek) -> Sheet | None:
    """The team sheet of this gameweek; while none is saved, the last one, as it will be carried over; None: neither."""
    rows = _sheets(member_id, team_rules_id, gameweek.season_id, gameweek.week)
    if not rows:
        return None
    newest = rows[0]
    key = (member_id, team_rules_id, gameweek.id)
    if newest.week == gameweek.week:
        return Sheet(
            *key,
            tuple(newest.picks),
            newest.captain,
            newest.vice_captain,
            tuple(newest.paid),
            newest.bank,
            newest.free_transfers,
            newest.transfers,
            newest.transfer_cost,
            0 if newest.is_carried else newest.edition,
            newest.is_carried,
            newest.saved_at,
        )
    rules = db.session.get_one(TeamRules, team_rules_id)
    free = free_transfers(_earlier(newest, gameweek.week), _limits(rules))
    return Sheet(
        *key,
        tuple(newest.picks),
        newest.captain,
        newest.vice_captain,
        tuple(newest.paid),
        newest.bank,
        free,
        0,
        0,
        0,
        True,
        None,
    )


def situation_of(
    member_id: int, team_rules_id: int, gameweek_id: int, picks: Iterable[str], now: datetime
) -> Situation:
    """All that a team sheet with these picks is judged by at `now`. Raises NoSuchSheet."""
    frame = db.session.execute(
        select(TeamRules, Gameweek, SheetDeadline.locks_at)
        .join(Gameweek, Gameweek.season_id == TeamRules.season_id)
        .join(
            SheetDeadline,
            (SheetDeadline.team_rules_id == TeamRules.id) & (SheetDeadline.gameweek_id == Gameweek.id),
        )
        .where(TeamRules.id == team_rules_id, Gameweek.id == gameweek_id),
        execution_options={"populate_existing": True},
    ).first()
    if frame is None:
        raise NoSuchSheet(f"team rules {team_rules_id} have no gameweek {gameweek_id}")
    rules, gameweek, locks_at = frame
    rows = _sheets(member_id, team_rules_id, gameweek.season_id, gameweek.week)
    present = rows[0] if rows and rows[0].week == gameweek.week else None
    before = next((row for row in rows if row.week < gameweek.week), None)
    named = {*picks, *(present.picks if present else ()), *(before.picks if before else ())}
    return Situation(
        format=FORMATS[rules.format],
        limits=_limits(rules),
        market={one.id: one for one in candidates(named, gameweek, now)},
        before=_earlier(before, gameweek.week) if before else None,
        present=_present(present or before, is_saved=present is not None and not present.is_carried),
        locks_each=rules.lock == "game",
        closed=closed_words(
            now,
            locks_at,
            deadline_words(locks_at, rules.time_zone),
            *_neighbours(member_id, team_rules_id, gameweek, now),
        ),
    )


def candidates(ids: Iterable[str], gameweek: Gameweek, now: datetime) -> list[Candidate]:
    """The footballers of these ids that there are, as this season's market has them; in no order."""
    wanted = [one for one in ids if one and "\x00" not in one]
    rows = db.session.execute(
        _CANDIDATES,
        {
            "ids": wanted,
            "season_id": gameweek.season_id,
            "competition": gameweek.competition,
            "season": gameweek.season,
            "season_type": gameweek.season_type,
            "week": gameweek.week,
            "now": now,
        },
    )
    return [Candidate(*row) for row in rows]


_CANDIDATES = text("""
    SELECT f.id, f.name, coalesce(m.position, f.position), f.club_id, coalesce(c.name, ''), m.price,
           coalesce(m.status, 'left'),
           EXISTS (SELECT FROM games g WHERE f.club_id IN (g.home_id, g.away_id) AND g.kickoff <= :now
             AND (g.competition, g.season, g.season_type, g.week) = (:competition, :season, :season_type, :week))
    FROM footballers f
    LEFT JOIN footballer_seasons m ON m.season_id = :season_id AND m.footballer_id = f.id
    LEFT JOIN clubs c ON c.id = f.club_id
    WHERE f.id = ANY(:ids)
""")


def carry_over(gameweek_id: int, team_rules_id: int | None, now: datetime, *, member_id: int | None = None) -> int:
    """Gives each who has no team sheet for the gameweek his last one, set-wise; returns how many. Does not commit.

    Of all team rules, or of one; of all members, or of one. Free transfers are reckoned as account.free_transfers
    does, gameweek by gameweek: whoever is carried over has made none.
    """
    return len(
        db.session.execute(
            _CARRY, {"gameweek_id": gameweek_id, "team_rules_id": team_rules_id, "member_id": member_id, "now": now}
        ).all()
    )


# Free transfers after n gameweeks without a transfer: the first step takes off what was made, the others only add. A
# first sheet's are null, and greatest() passes over null: nothing was left of them.
_CARRY = text("""
    INSERT INTO team_sheets (member_id, team_rules_id, gameweek_id, picks, captain, vice_captain, paid, bank,
                             free_transfers, is_carried, saved_at)
    SELECT s.member_id, s.team_rules_id, w.id, s.picks, s.captain, s.vice_captain, s.paid, s.bank,
           CASE WHEN r.free_transfers IS NOT NULL THEN
             least(greatest(r.free_transfers, r.bank_limit),
                   greatest(s.free_transfers - s.transfers, 0) + r.free_transfers * (w.week - s.week))
           END,
           true, :now
    FROM gameweeks w
    JOIN team_rules r ON r.season_id = w.season_id
    JOIN LATERAL (
      SELECT DISTINCT ON (t.member_id) t.*, e.week
      FROM team_sheets t JOIN gameweeks e ON e.id = t.gameweek_id
      WHERE t.team_rules_id = r.id AND e.season_id = w.season_id AND e.week < w.week
        AND (CAST(:member_id AS bigint) IS NULL OR t.member_id = :member_id)
      ORDER BY t.member_id, e.week DESC
    ) s ON true
    WHERE w.id = :gameweek_id AND (CAST(:team_rules_id AS bigint) IS NULL OR r.id = :team_rules_id)
    ON CONFLICT DO NOTHING
    RETURNING id
""")


def locks_at(team_rules_id: int, gameweek_id: int) -> datetime:
    """When the last of this team sheet locks. Raises NoSuchSheet."""
    found = db.session.get(SheetDeadline, (team_rules_id, gameweek_id))
    if found is None:
        raise NoSuchSheet(f"team rules {team_rules_id} have no gameweek {gameweek_id}")
    return found.locks_at


def deadline_words(moment: datetime, time_zone: str) -> str:
    """`Thu 10 Sep 2026, 18:00 (America/New_York)`"""
    there = moment.astimezone(zone(time_zone))
    return f"{there:%a} {there.day} {there:%b %Y, %H:%M} ({time_zone})"


def _sheets(member_id: int, team_rules_id: int, season_id: int, week: int) -> Sequence[Row[tuple[object, ...]]]:
    """This gameweek's sheet and the last one before it, newest first: at most two."""
    return db.session.execute(
        text("""
            SELECT s.*, w.week FROM team_sheets s JOIN gameweeks w ON w.id = s.gameweek_id
            WHERE s.member_id = :member_id AND s.team_rules_id = :team_rules_id AND w.season_id = :season_id
              AND w.week <= :week ORDER BY w.week DESC LIMIT 2
        """),
        {"member_id": member_id, "team_rules_id": team_rules_id, "season_id": season_id, "week": week},
    ).all()


def _neighbours(member_id: int, team_rules_id: int, gameweek: Gameweek, now: datetime) -> tuple[str, str]:
    """The names of an earlier gameweek that is still open, and of a later one for which he has a sheet; '' for none."""
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
            WHERE d.team_rules_id = :team_rules_id AND d.locks_at > :now AND w.season_id = :season_id AND w.week < :week
            ORDER BY w.week LIMIT 1) AS earlier,
           (SELECT w.name FROM gameweeks w JOIN team_sheets s ON s.gameweek_id = w.id
            WHERE s.team_rules_id = :team_rules_id AND s.member_id = :member_id AND w.season_id = :season_id
              AND w.week > :week ORDER BY w.week LIMIT 1) AS later
""")


def _limits(rules: TeamRules) -> Limits:
    return Limits(rules.budget, rules.club_limit, rules.free_transfers, rules.bank_limit, rules.transfer_cost)


def _earlier(row: Row[tuple[object, ...]], week: int) -> Earlier:
    made = row._mapping
    return Earlier(
        tuple(made["picks"]),
        tuple(made["paid"]),
        made["bank"],
        made["free_transfers"],
        made["transfers"],
        week - made["week"],
    )


def _present(row: Row[tuple[object, ...]] | None, *, is_saved: bool) -> Present | None:
    if row is None:
        return None
    made = row._mapping
    return Present(
        tuple(made["picks"]),
        tuple(made["paid"]),
        made["captain"],
        made["vice_captain"],
        made["bank"],
        made["edition"] if is_saved else 0,
    )
