"""Exports the whole history of a league as plain values (PRODUCT G5).

csv_tables.py makes CSV tables of the document; importing.py imports it.

Members get handles in place of usernames, which are private: numbers in the order in which people
registered, with a mark of the league, so that people of two leagues are never taken for the same.
A league that is imported elsewhere gives the same ones. Operators, who move a league to another
installation, get usernames, by which people are found there, and the names of members who are
hidden from boards. Points are in thousandths, prices in tenths of a million, times in ISO 8601 and
UTC. Team sheets are in the document after their deadline. The invite code is not in it. Of a draft
league the document has its franchises, rosters and log (exported_rosters.py).
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import select

from app.accounts.models import Member
from app.accounts.placeholders import PREFIX
from app.accounts.sanctions import FORMER, seen_member
from app.core.db import db
from app.fantasy.leagues import exported_rosters
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues.document import FORMAT, VERSION, time_text
from app.fantasy.leagues.models import LeagueBan, RuleChange, ScoreAdjustment
from app.fantasy.leagues.services import APART
from app.fantasy.market.models import Gameweek, Season, SheetDeadline
from app.fantasy.rosters.models import RosterTransaction
from app.fantasy.scoring.models import CustomRules, SheetPoints
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.live_scores import LiveScore, live_scores
from app.fantasy.standings.models import DRAFT, League, LeagueMember, LeagueScore, Matchup
from app.fantasy.standings.season_places import season_places, standing_with
from app.record.models import Footballer

Row = dict[str, Any]
Sheet = tuple[int, int]  # number of the gameweek, member


def document(league: League, now: datetime, *, usernames: bool = False) -> Row:
    """The league's history in a fixed order, so that equal leagues give equal documents.

    `usernames`: whether people are named by their usernames, for operators.
    """
    season = db.session.get_one(Season, league.season_id)
    query = select(Gameweek).where(Gameweek.season_id == season.id).order_by(Gameweek.week)
    weeks = {gameweek.id: gameweek for gameweek in db.session.scalars(query)}
    number = {gameweek_id: gameweek.week for gameweek_id, gameweek in weeks.items()}
    members, live = _members(league), _live(league)
    latest_first = list(reversed(weeks))
    of_member: dict[int, list[LiveScore]] = defaultdict(list)
    for score in live:
        of_member[score.member_id].append(score)
    mark = zlib.crc32(str(time_text(league.created_at)).encode())
    if usernames:
        name = {row.member_id: _account(row.username, mark) for row in members}
        members = sorted(members, key=lambda row: name[row.member_id].lower())
    else:
        name = {
            row.member_id: f"gamer_{mark:08x}_{number}"
            for number, row in enumerate(members, start=1)
        }
    hidden = set() if usernames else {row.member_id for row in members if not row.is_seen}
    sheets = _sheets(league, number, name, live, now)
    changes = db.session.scalars(
        select(RuleChange)
        .where(RuleChange.league_id == league.id)
        .order_by(RuleChange.created_at, RuleChange.id)
    ).all()
    rosters = exported_rosters.tables(league, name, hidden)
    named = {pick for sheet in sheets for pick in sheet["picks"] if pick}
    return {
        "format": FORMAT,
        "version": VERSION,
        "season": _season(season),
        "gameweeks": [_gameweek(gameweek) for gameweek in weeks.values()],
        "league": _league(league, name),
        "team_rules": vars(league_queries.choice_of(league.team_rules_id)),
        "deadlines": _deadlines(league, number),
        "scoring": _scoring(
            {league.rules, season.rules, *(n for c in changes for n in (c.old_rules, c.new_rules))}
        ),
        "people": [
            {
                "username": name[row.member_id],
                "display_name": row.display_name if row.member_id not in hidden else FORMER,
                "country": row.country if row.member_id not in hidden else None,
                "team_name": FORMER if row.member_id in hidden and row.team_name else row.team_name,
                "joined_at": time_text(row.joined_at),
                "total_points": _total(row, of_member[row.member_id]),
                "standing": _standing(league, row, of_member[row.member_id], latest_first),
                "is_banned": row.is_banned,
            }
            for row in members
        ],
        "scores": _scores(league, number, name, hidden, live),
        "matchups": _matchups(league, number, name),
        "adjustments": _adjustments(league, number, name),
        "rule_changes": [_rule_change(change, name) for change in changes],
        "sheets": sheets,
        **rosters,
        "footballers": _footballers(named | exported_rosters.footballers_of(rosters)),
    }


def _account(username: str, mark: int) -> str:
    """The username, or of a placeholder of a team one that an account elsewhere may have.

    >>> _account("ann", 7), _account("franchise:12:3", 7)
    ('ann', 'team_00000007_3')
    """
    if not username.startswith(PREFIX):
        return username
    return f"team_{mark:08x}_{username.rpartition(':')[2]}"


def _season(season: Season) -> Row:
    return {
        "competition": season.competition.split(APART)[0],
        "season": season.season,
        "season_type": season.season_type,
        "name": season.name,
        "time_zone": season.time_zone,
        "rules": season.rules,
    }


def _gameweek(gameweek: Gameweek) -> Row:
    return {
        "week": gameweek.week,
        "name": gameweek.name,
        "deadline": time_text(gameweek.deadline),
        "locked_at": time_text(gameweek.locked_at),
        "settled_at": time_text(gameweek.settled_at),
    }


def _league(league: League, name: Mapping[int, str]) -> Row:
    return {
        "name": league.name,
        "slug": league.slug,
        "is_public": league.is_public,
        "is_overall": league.is_overall,
        "rules": league.rules,
        "mode": league.mode,
        "ties": league.ties,
        "first_week": league.first_week,
        "commissioner": name.get(league.commissioner_id or 0),
        "created_at": time_text(league.created_at),
    }


def _rule_change(change: RuleChange, name: Mapping[int, str]) -> Row:
    return {
        "old_rules": change.old_rules,
        "new_rules": change.new_rules,
        "reason": change.reason,
        "by": name[change.by_id],
        "created_at": time_text(change.created_at),
    }


def as_json(document: Row) -> bytes:
    """Encode the document as indented JSON."""
    return json.dumps(document, ensure_ascii=False, indent=1).encode()


def _members(league: League) -> Sequence[Any]:
    """Members, former members, those who were banned or decided something, by their ids."""
    score, ban = LeagueScore, LeagueBan
    known = (
        select(score.member_id)
        .where(score.league_id == league.id)
        .union(
            select(ban.member_id).where(ban.league_id == league.id),
            select(LeagueMember.member_id).where(LeagueMember.league_id == league.id),
            select(Matchup.home_id).where(Matchup.league_id == league.id),
            select(Matchup.away_id).where(
                Matchup.league_id == league.id, Matchup.away_id.is_not(None)
            ),
            select(ScoreAdjustment.by_id).where(ScoreAdjustment.league_id == league.id),
            select(ScoreAdjustment.member_id).where(ScoreAdjustment.league_id == league.id),
            select(RuleChange.by_id).where(RuleChange.league_id == league.id),
            select(RosterTransaction.by_member_id).where(
                RosterTransaction.league_id == league.id,
                RosterTransaction.by_member_id.is_not(None),
            ),
            select(League.commissioner_id).where(
                League.id == league.id, League.commissioner_id.is_not(None)
            ),
        )
    )
    query = (
        select(
            Member.id.label("member_id"),
            Member.username,
            Member.display_name,
            Member.country,
            LeagueMember.team_name,
            LeagueMember.joined_at,
            LeagueMember.total_points,
            LeagueMember.standing,
            ban.member_id.is_not(None).label("is_banned"),
            seen_member(Member.id).label("is_seen"),
        )
        .outerjoin(
            LeagueMember,
            (LeagueMember.member_id == Member.id) & (LeagueMember.league_id == league.id),
        )
        .outerjoin(ban, (ban.member_id == Member.id) & (ban.league_id == league.id))
        .where(Member.id.in_(known))
        .order_by(Member.id)
    )
    return db.session.execute(query).all()


def _live(league: League) -> list[LiveScore]:
    """The scores of gameweeks under way; none of a large league, whose table is in Redis."""
    return [] if season_places(league.id) is None else live_scores([league.id])


def _total(row: Any, live: Sequence[LiveScore]) -> int | None:
    if row.total_points is None:
        return None
    return int(row.total_points) + sum(score.points for score in live)


def _standing(
    league: League, row: Any, live: Sequence[LiveScore], gameweeks: Sequence[int]
) -> list[int] | None:
    if not live or row.standing is None or league.game == DRAFT:
        stored: list[int] | None = row.standing
        return stored
    return list(standing_with(league, row.standing, live, gameweeks))


def _scores(
    league: League,
    week: Mapping[int, int],
    name: Mapping[int, str],
    hidden: Collection[int],
    live: Collection[LiveScore],
) -> list[Row]:
    stored = db.session.scalars(select(LeagueScore).where(LeagueScore.league_id == league.id))
    gameweeks = {score.gameweek_id for score in live}
    scores: list[LiveScore | LeagueScore] = [
        *live,
        *(score for score in stored if score.gameweek_id not in gameweeks),
    ]
    rows = [
        {
            "week": week[score.gameweek_id],
            "member": name[score.member_id],
            "team_name": score.team_name if score.member_id not in hidden else FORMER,
            "points": score.points,
            "held": score.held,
            "transfers": score.transfers,
            **_result(score),
        }
        for score in scores
    ]
    return sorted(rows, key=_by_member)


def _result(score: LiveScore | LeagueScore) -> Row:
    """What the settlement of the gameweek gives; nothing before it."""
    if isinstance(score, LiveScore):
        return {"match_points": None, "total": None, "rank": None}
    return {"match_points": score.match_points, "total": score.total, "rank": score.rank}


def _matchups(league: League, week: Mapping[int, int], name: Mapping[int, str]) -> list[Row]:
    matchups = db.session.scalars(select(Matchup).where(Matchup.league_id == league.id))
    rows = [
        {
            "week": week[matchup.gameweek_id],
            "home": name[matchup.home_id],
            "away": name.get(matchup.away_id or 0),
        }
        for matchup in matchups
    ]
    return sorted(rows, key=lambda row: (row["week"], row["home"].lower()))


def _adjustments(league: League, week: Mapping[int, int], name: Mapping[int, str]) -> list[Row]:
    query = select(ScoreAdjustment).where(ScoreAdjustment.league_id == league.id)
    return [
        {
            "week": week[adjustment.gameweek_id],
            "member": name[adjustment.member_id],
            "points": adjustment.points,
            "reason": adjustment.reason,
            "by": name[adjustment.by_id],
            "created_at": time_text(adjustment.created_at),
        }
        for adjustment in db.session.scalars(
            query.order_by(ScoreAdjustment.created_at, ScoreAdjustment.id)
        )
    ]


def _sheets(
    league: League,
    week: Mapping[int, int],
    name: Mapping[int, str],
    live: Collection[LiveScore],
    now: datetime,
) -> list[Row]:
    """The sheets that count in the league and that are locked, with points by its scoring.

    A sheet that was carried over repeats the one before, which is exported too. If the league did
    not count that gameweek yet, it has no points.
    """
    query = (
        select(TeamSheet, SheetPoints)
        .join(
            SheetDeadline,
            (SheetDeadline.team_rules_id == TeamSheet.team_rules_id)
            & (SheetDeadline.gameweek_id == TeamSheet.gameweek_id),
        )
        .outerjoin(
            SheetPoints,
            (SheetPoints.team_sheet_id == TeamSheet.id) & (SheetPoints.rules == league.rules),
        )
        .where(
            TeamSheet.team_rules_id == league.team_rules_id,
            TeamSheet.member_id.in_(name),
            SheetDeadline.locks_at <= now,
        )
    )
    of_live = {(score.gameweek_id, score.member_id): score for score in live}
    sheets = {
        (week[sheet.gameweek_id], sheet.member_id): (
            sheet,
            _points(points, of_live.get((sheet.gameweek_id, sheet.member_id))),
        )
        for sheet, points in db.session.execute(query)
    }
    exported = _exported(
        {at: sheet.is_carried for at, (sheet, _) in sheets.items()}, league.first_week
    )
    counted = [
        (sheets[at][0], sheets[at][1] if at[0] >= league.first_week else None)
        for at in sorted(exported)
    ]
    rows = [
        {
            "week": week[sheet.gameweek_id],
            "member": name[sheet.member_id],
            "picks": list(sheet.picks),
            "captain": sheet.captain,
            "vice_captain": sheet.vice_captain,
            "paid": list(sheet.purchase_prices),
            "bank": sheet.bank,
            "free_transfers": sheet.free_transfers,
            "transfers": sheet.transfers,
            "transfer_cost": sheet.transfer_cost,
            "edition": sheet.version,
            "is_carried": sheet.is_carried,
            "saved_at": time_text(sheet.saved_at),
            **(points or {"points": None, "held": None, "times": None}),
        }
        for sheet, points in counted
    ]
    return sorted(rows, key=_by_member)


def _points(stored: SheetPoints | None, live: LiveScore | None) -> Row | None:
    if live is not None and live.sheet_points is not None:
        return {"points": live.sheet_points, "held": live.held, "times": list(live.multipliers)}
    if stored is None:
        return None
    return {"points": stored.points, "held": stored.held, "times": list(stored.multipliers)}


def _exported(is_carried: Mapping[Sheet, bool], first_week: int) -> set[Sheet]:
    """Load the sheets from this gameweek on, and the saved sheets that carried ones repeat.

    >>> of_seven = {(1, 7): False, (2, 7): False, (3, 7): True, (4, 7): True}
    >>> sorted(_exported({**of_seven, (1, 8): False, (4, 8): False}, 4))
    [(2, 7), (3, 7), (4, 7), (4, 8)]
    """
    exported: set[Sheet] = set()
    by_member_from_the_last = sorted(is_carried, key=lambda sheet: (sheet[1], -sheet[0]))
    for _, sheets in groupby(by_member_from_the_last, key=lambda sheet: sheet[1]):
        is_repeated = False
        for sheet in sheets:
            if sheet[0] >= first_week or is_repeated:
                exported.add(sheet)
                is_repeated = is_carried[sheet]
    return exported


def _footballers(ids: set[str]) -> list[Row]:
    query = select(Footballer).where(Footballer.id.in_(ids)).order_by(Footballer.id)
    return [
        {
            "id": footballer.id,
            "name": footballer.name,
            "position": footballer.position,
            "club": footballer.club_id,
        }
        for footballer in db.session.scalars(query)
    ]


def _deadlines(league: League, week: Mapping[int, int]) -> list[Row]:
    query = select(SheetDeadline).where(SheetDeadline.team_rules_id == league.team_rules_id)
    rows = [
        {"week": week[deadline.gameweek_id], "locks_at": time_text(deadline.locks_at)}
        for deadline in db.session.scalars(query)
    ]
    return sorted(rows, key=lambda row: row["week"])


def _scoring(names: set[str]) -> list[Row]:
    """The custom rules among these; presets are the same everywhere."""
    query = select(CustomRules).where(CustomRules.name.in_(names)).order_by(CustomRules.name)
    return [
        {
            "name": custom_rules.name,
            "title": custom_rules.title,
            "milli_points": dict(sorted(custom_rules.milli_points.items())),
        }
        for custom_rules in db.session.scalars(query)
    ]


def _by_member(row: Row) -> tuple[int, str]:
    return row["week"], row["member"].lower()
