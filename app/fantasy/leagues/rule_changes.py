"""Changes of a league's scoring (PRODUCT G5).

Before its first deadline the scoring can be set freely. Afterwards it is changed for all gameweeks
at once, with a reason, after a preview (standings/preview.py computes who moves).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, text

from app.accounts.models import Member
from app.accounts.sanctions import shown_name
from app.core.db import db
from app.core.refusals import Refusal
from app.fantasy.gameweeks import live
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.models import RuleChange
from app.fantasy.leagues.rule_setting import may_set_scoring
from app.fantasy.leagues.rules import SET_TOO_LATE, reason_refusals
from app.fantasy.leagues.words import changed_numbers
from app.fantasy.market.formats import format_named
from app.fantasy.market.models import Season, TeamRules
from app.fantasy.notices import news
from app.fantasy.notices import services as notices
from app.fantasy.notices import words as notice_words
from app.fantasy.notices.services import NewNotice
from app.fantasy.projections.preseason_store import ensure_preseason
from app.fantasy.scoring import pairs, rulebook, season_totals
from app.fantasy.scoring.points import store_points_of
from app.fantasy.scoring.rules import PRESETS, ScoringRules
from app.fantasy.standings import preview as league_preview
from app.fantasy.standings.live_scores import LIVE_SHEETS, live_scores, live_values
from app.fantasy.standings.models import League
from app.fantasy.standings.preview import Move, Score
from app.record.models import Game

STEPS = Refusal(
    "steps",
    "",
    "Soccer scoring depends on the position and cannot be changed here. You can adjust "
    "members' points instead.",
)
OWN = ", custom"
SAME = Refusal("same", "", "The league already uses this scoring. Change a value first.")


@dataclass(frozen=True)
class NewScoring:
    """Scoring that a commissioner asks for.

    Attributes:
        title: The title of the rules that are changed.
        milli_points: Thousandths of a point by statistic.
    """

    title: str
    milli_points: Mapping[str, int]


@dataclass(frozen=True)
class ChangeRow:
    """A change of the scoring. `numbers`: what differs, in words."""

    id: int
    old_title: str
    new_title: str
    numbers: Sequence[str]
    reason: str
    by: str
    at: datetime


def refusals(league: League, scoring: NewScoring) -> list[Refusal]:
    """Return why the scoring rules cannot be changed like this."""
    if leagues.is_history(league):
        return [leagues.HISTORY]
    current = rulebook.rules_named(league.rules)
    if current.steps:
        return [STEPS]
    if current.milli_points == scoring.milli_points:
        return [SAME]
    team_format = format_named(db.session.get_one(TeamRules, league.team_rules_id).format)
    new = ScoringRules("", "these numbers", scoring.milli_points)
    if set(pairs.worthless_places(team_format, new)) <= set(
        pairs.worthless_places(team_format, current)
    ):
        return []
    worthless = pairs.refusal(team_format, new)
    return [worthless] if worthless else []


def set_scoring(league: League, scoring: NewScoring, now: datetime) -> list[Refusal]:
    """Set the scoring before the first deadline and before settled points, without a reason."""
    if refused := refusals(league, scoring):
        return refused
    if not may_set_scoring(league, now):
        return [SET_TOO_LATE]
    league.rules = _ensure_rules(league, scoring)
    season_totals.add_up_rules(league.season_id, league.rules)
    ensure_preseason(league.season_id, league.rules)
    live.refresh_league(league.id, now)
    return []


def preview(league: League, scoring: NewScoring) -> list[Move]:
    """Return who would move; writes nothing."""
    before = league_preview.ledger_of(league)
    after = before.with_points(difference(league, scoring))
    return league_preview.moves(before, after, league_preview.names_of(league.id))


def difference(league: League, scoring: NewScoring) -> dict[Score, int]:
    """How many points each member's gameweeks would gain or lose.

    The points under new rules, which it stores for the computation, are rolled back.
    """
    trial = db.session.begin_nested()
    try:
        return _difference(league, _ensure_rules(league, scoring))
    finally:
        trial.rollback()


def apply(
    league: League, scoring: NewScoring, reason: str, by_id: int, now: datetime
) -> RuleChange | list[Refusal]:
    """Score every gameweek anew, also past ones, and notify everybody who moved."""
    if refused := [*refusals(league, scoring), *reason_refusals(reason)]:
        return refused
    moves = preview(league, scoring)
    change = RuleChange(
        league_id=league.id,
        old_rules=league.rules,
        new_rules=_ensure_rules(league, scoring),
        reason=reason.strip(),
        by_id=by_id,
        created_at=now,
    )
    league.rules = change.new_rules
    season_totals.add_up_rules(league.season_id, league.rules)
    ensure_preseason(league.season_id, league.rules)
    db.session.add(change)
    db.session.flush()
    old, new = (rulebook.rules_named(name).title for name in (change.old_rules, change.new_rules))
    rows = [
        NewNotice.of(
            move.member_id,
            "rules",
            f"rules:{change.id}",
            notice_words.rules_changed(league.name, old, new, change.reason, move.moved),
            f"/leagues/{league.slug}/rules",
        )
        for move in moves
    ]
    notices.notify(rows, now)
    news.note(news.RULES, [league.id], change.id, now)
    live.refresh_league(league.id, now)
    return change


def of(league_id: int) -> list[ChangeRow]:
    """All changes of the league's scoring, the newest first."""
    query = (
        select(RuleChange, shown_name(Member))
        .join(Member, Member.id == RuleChange.by_id)
        .where(RuleChange.league_id == league_id)
        .order_by(RuleChange.created_at.desc(), RuleChange.id.desc())
    )
    rows = []
    for change, by in db.session.execute(query):
        old, new = rulebook.rules_named(change.old_rules), rulebook.rules_named(change.new_rules)
        numbers = changed_numbers(old.milli_points, new.milli_points)
        rows.append(
            ChangeRow(
                change.id, old.title, new.title, numbers, change.reason, by, change.created_at
            )
        )
    return rows


def _ensure_rules(league: League, scoring: NewScoring) -> str:
    """Store the rules and the points of the season's games under them, and return their name.

    The caller commits.
    """
    title = scoring.title if scoring.title.endswith(OWN) else f"{scoring.title}{OWN}"
    name = rulebook.custom_rules(scoring.milli_points, title)
    if name in PRESETS:
        return name
    season = db.session.get_one(Season, league.season_id)
    games = db.session.scalars(
        select(Game.id)
        .where(
            Game.competition == season.competition,
            Game.season == season.season,
            Game.season_type == season.season_type,
        )
        .order_by(Game.id)
    )
    store_points_of(list(games), rulebook.rules_named(name))
    return name


# How often each place counts does not depend on the scoring, so the stored multipliers of the
# sheets are right under all rules.
_DIFFERENCE = text(f"""
    WITH earned AS (
      SELECT w.id AS gameweek_id, pp.player_id, sum(pp.points) AS points
      FROM gameweeks w
      JOIN games g USING (competition, season, season_type, week)
      JOIN player_points pp ON pp.game_id = g.id AND pp.rules = :new
      WHERE w.season_id = :season AND (g.planned_week IS NULL
        OR EXISTS (SELECT FROM team_rules r WHERE r.id = :team_rules
          AND r.postponed_games = 'played'))
      GROUP BY w.id, pp.player_id
    )
    SELECT s.gameweek_id, s.member_id, (coalesce(sum(e.points * p.multiplier),
      0) - s.points)::bigint AS difference
    FROM (
      SELECT t.gameweek_id, t.member_id, t.picks, c.multipliers, c.points
      FROM league_scores ls JOIN gameweeks g ON g.id = ls.gameweek_id
        AND g.settled_at IS NOT NULL
      JOIN team_sheets t ON (t.member_id, t.gameweek_id, t.team_rules_id)
        = (ls.member_id, ls.gameweek_id, :team_rules)
      JOIN sheet_points c ON c.team_sheet_id = t.id AND c.rules = :old
      WHERE ls.league_id = :league
      UNION ALL
      SELECT gameweek_id, member_id, picks, multipliers, sheet_points FROM {LIVE_SHEETS} v
      WHERE sheet_points IS NOT NULL
    ) s
    CROSS JOIN LATERAL unnest(s.picks, s.multipliers) AS p(player_id, multiplier)
    LEFT JOIN earned e ON e.gameweek_id = s.gameweek_id AND e.player_id = p.player_id
    GROUP BY s.gameweek_id, s.member_id, s.points
""")  # noqa: S608 (made of our own words alone)


def _difference(league: League, new_rules: str) -> dict[Score, int]:
    rows = db.session.execute(
        _DIFFERENCE,
        {
            "league": league.id,
            "season": league.season_id,
            "team_rules": league.team_rules_id,
            "old": league.rules,
            "new": new_rules,
            **live_values(live_scores([league.id])),
        },
    )
    return {(gameweek, member): difference for gameweek, member, difference in rows}
