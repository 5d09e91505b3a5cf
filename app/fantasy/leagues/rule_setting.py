"""The rules that a league's commissioner sets before its first deadline.

They are the rules of teams, table and scoring, and the first gameweek that counts. Later changes of
the scoring are in rule_changes.py; rules.py says what settings are valid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import case, func, select, text

from app.core.db import db
from app.core.refusals import Refusal
from app.fantasy.leagues import rules
from app.fantasy.leagues.services import with_league
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.formats import format_named
from app.fantasy.market.models import Gameweek, SheetDeadline, TeamRules
from app.fantasy.market.seasons import ensure_team_rules, team_rules_of
from app.fantasy.scoring import pairs
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings import schedules
from app.fantasy.standings.live_scores import LIVE_SHEETS, live_scores, live_values
from app.fantasy.standings.models import DRAFT, League, LeagueScore

SHOWN_ROWS = 50
STOPS = Refusal(
    "stops",
    "",
    "Some lineups would stop counting under these rules. Check which ones, then save again.",
)
OF_DRAFT = Refusal("draft", "", "Draft leagues have their own settings page. Change them there.")
SETTLED = Refusal(
    "settled",
    "rules",
    "Some weeks are already final. Change scoring on the Scoring page, which shows a "
    "preview first.",
)


@dataclass(frozen=True)
class Stopping:
    """A team sheet that would no longer count.

    `points`: what it counts now, minus the cost of transfers; None before its games.
    """

    member_id: int
    display_name: str
    team_name: str
    gameweek: str
    points: int | None


@dataclass(frozen=True)
class AllStopping:
    """All team sheets that would no longer count.

    `rows`: the first SHOWN_ROWS of `count`, by gameweek, then member.
    """

    rows: Sequence[Stopping] = ()
    count: int = 0


@dataclass(frozen=True)
class LeagueRules:
    """The rules that a league plays by.

    Attributes:
        teams: The rules of its teams.
        scoring: The name of the scoring rules.
        mode: How the table ranks.
        ties: How the table breaks ties.
        first_week: The first gameweek that counts; None for no change, or in a new league for the
            next that a team can be picked for.
    """

    teams: TeamRulesChoice
    scoring: str
    mode: str
    ties: str
    first_week: int | None = None


def set_rules(
    league_id: int, new: LeagueRules, now: datetime, *, confirmed_stops: int = 0
) -> list[Refusal]:
    """Set the rules and recompute the table in the same transaction.

    It is possible only before the league's first deadline, by the old rules and by the new ones.

    Args:
        league_id: The league.
        new: The rules to set.
        now: Decides whether a deadline has passed.
        confirmed_stops: How many sheets the commissioner was told would stop counting. If it is
            another number, nothing is done.
    """
    if refused := rules.read_table_rules(new.mode, new.ties):
        return refused

    def act(league: League) -> Refusal | None:
        if refusal := _refusal(league, new, now):
            return refusal
        if stopping(league, new.teams, new.first_week).count != confirmed_stops:
            return STOPS
        league.team_rules_id = ensure_team_rules(league.season_id, new.teams).id
        league.first_week = new.first_week or league.first_week
        if not rules.may_set(first_deadline(league), now):
            return rules.SET_TOO_LATE
        if new.mode != league.mode:
            schedules.clear(league.id)
        league.rules, league.mode, league.ties = new.scoring, new.mode, new.ties
        return None

    refusal = with_league(league_id, act, refresh=now)
    return [refusal] if refusal else []


def _refusal(league: League, new: LeagueRules, now: datetime) -> Refusal | None:
    """Why the rules cannot be set, apart from sheets that would stop counting."""
    if league.game == DRAFT:
        return OF_DRAFT
    if not rules.may_set(first_deadline(league), now):
        return rules.SET_TOO_LATE
    if new.scoring != league.rules and has_settled(league.id):
        return SETTLED
    team_format = db.session.get_one(TeamRules, league.team_rules_id).format
    if (team_format, league.rules) == (new.teams.format, new.scoring):
        # A league may keep a pair that leaves places without points, from before those were
        # refused.
        return None
    return pairs.refusal(format_named(new.teams.format), rules_named(new.scoring))


def first_deadline(league: League) -> datetime | None:
    """The first deadline after the league was founded, among the gameweeks that it counts.

    If there is none, the season's last; None before there are gameweeks. If footballers lock one by
    one, the deadline is the gameweek's first kickoff.
    """
    locks = case((TeamRules.lock == "game", Gameweek.deadline), else_=SheetDeadline.locks_at)
    return db.session.scalar(
        select(func.coalesce(func.min(locks).filter(locks > league.created_at), func.max(locks)))
        .select_from(SheetDeadline)
        .join(TeamRules, TeamRules.id == SheetDeadline.team_rules_id)
        .join(Gameweek, Gameweek.id == SheetDeadline.gameweek_id)
        .where(
            SheetDeadline.team_rules_id == league.team_rules_id, Gameweek.week >= league.first_week
        )
    )


def may_set_scoring(league: League, now: datetime) -> bool:
    """Whether scoring can be set freely: before the first deadline and before settled points."""
    return rules.may_set(first_deadline(league), now) and not has_settled(league.id)


def has_settled(league_id: int) -> bool:
    """Whether the league has points of a settled gameweek."""
    query = select(LeagueScore).join(Gameweek, Gameweek.id == LeagueScore.gameweek_id)
    settled = query.where(LeagueScore.league_id == league_id, Gameweek.settled_at.is_not(None))
    return bool(db.session.scalar(select(settled.exists())))


_STOPPING = text(f"""
    SELECT s.member_id, m.display_name, coalesce(f.team_name, lm.team_name) AS team_name,
      w.name AS gameweek,
      coalesce(v.points, p.points - s.transfer_cost) AS points, count(*) OVER () AS sheets
    FROM leagues l JOIN team_sheets s ON s.team_rules_id = l.team_rules_id
    JOIN gameweeks w ON w.id = s.gameweek_id AND w.week >= l.first_week
    JOIN members m ON m.id = s.member_id
    LEFT JOIN league_members lm ON (lm.league_id, lm.member_id) = (l.id, s.member_id)
    LEFT JOIN league_scores f ON (f.league_id, f.member_id, f.gameweek_id) = (l.id, s.member_id,
      s.gameweek_id)
    LEFT JOIN sheet_points p ON p.team_sheet_id = s.id AND p.rules = l.rules
    LEFT JOIN {LIVE_SHEETS} v ON (v.gameweek_id, v.member_id) = (s.gameweek_id, s.member_id)
    WHERE l.id = :league AND coalesce(lm.member_id, f.member_id) IS NOT NULL
      AND (w.week < :first_week OR l.team_rules_id IS DISTINCT FROM CAST(:team_rules AS bigint)
        AND NOT EXISTS (
        SELECT FROM team_sheets n WHERE (n.member_id, n.gameweek_id) = (s.member_id, s.gameweek_id)
          AND n.team_rules_id = CAST(:team_rules AS bigint)))
    ORDER BY w.week, s.member_id LIMIT :rows
""")  # noqa: S608 (made of our own words alone)


def stopping(league: League, choice: TeamRulesChoice, first_week: int | None = None) -> AllStopping:
    """The team sheets of the league that would stop counting under these rules.

    They are those of other rules for teams, and those of gameweeks before the first. A member who
    also has a sheet under the new rules goes on with that one.
    """
    team_rules = team_rules_of(league.season_id, choice)
    rows = db.session.execute(
        _STOPPING,
        {
            "league": league.id,
            "first_week": first_week or league.first_week,
            "team_rules": team_rules.id if team_rules else None,
            "rows": SHOWN_ROWS,
            **live_values(live_scores([league.id])),
        },
    ).all()
    return AllStopping([Stopping(*row[:-1]) for row in rows], rows[0].sheets if rows else 0)
