"""Queries of leagues and their tables for pages: frozen rows, in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from sqlalchemy import Select, bindparam, func, or_, select, text
from sqlalchemy.orm import aliased

from app.accounts.models import Member
from app.accounts.sanctions import seen_member
from app.core.db import db
from app.core.redis.clients import RedisAway
from app.fantasy.market.formats import format_named
from app.fantasy.market.models import TeamRules
from app.fantasy.standings.boards import league_board, table_held, table_points
from app.fantasy.standings.models import League, LeagueMember, LeagueVersion, Matchup
from app.fantasy.standings.ranking import dense_ranks


@dataclass(frozen=True)
class LeagueRow:
    """A league as a viewer sees it.

    `members`: how many are in it. `format`: that of its team sheets. `counts_moved`: games that
    were moved to another gameweek count there. `first_week`: the gameweek from which the league
    counts. `is_member`: the viewer is in it. `game`: `salary_cap` or `draft`.
    """

    id: int
    slug: str
    name: str
    rules: str
    members: int
    season_id: int
    team_rules_id: int
    format: str
    mode: str
    commissioner_id: int | None
    counts_moved: bool
    first_week: int
    is_overall: bool
    is_member: bool
    game: str


@dataclass(frozen=True)
class Standing:
    """A place in a league's table of a gameweek.

    `held_points`: how much of the points rests on plays under review. `rank`: dense (1, 1, 2);
    `shared`: another member has it too. `to_play`, `playing`: how many starters' games have not
    begun, or are under way. `has_team`: there is a team sheet.
    """

    member_id: int
    display_name: str
    team_name: str
    points: int
    held_points: int
    rank: int
    shared: bool
    to_play: int
    playing: int
    has_team: bool


@cache  # building it takes as long as running it
def _leagues() -> Select[Any]:
    """All leagues as the member `viewer` sees them; `LeagueMember` is the viewer's row, if any."""
    everybody = aliased(LeagueMember)
    is_seen = seen_member(everybody.member_id)
    size = select(func.count()).where(everybody.league_id == League.id, is_seen).scalar_subquery()
    mine = (LeagueMember.league_id == League.id) & (LeagueMember.member_id == bindparam("viewer"))
    return (
        select(
            League.id,
            League.slug,
            League.name,
            League.rules,
            size.label("members"),
            League.season_id,
            League.team_rules_id,
            TeamRules.format,
            League.mode,
            League.commissioner_id,
            (TeamRules.postponed_games == "played").label("counts_moved"),
            League.first_week,
            League.is_overall,
            LeagueMember.member_id.is_not(None).label("is_member"),
            League.game,
        )
        .outerjoin(LeagueMember, mine)
        .join(TeamRules, TeamRules.id == League.team_rules_id)
    )


@cache
def leagues_of_viewer() -> Select[Any]:
    """The query of `leagues_of`: rows with the fields of `LeagueRow` for the member `viewer`."""
    return (
        _leagues()
        .where(LeagueMember.member_id == bindparam("viewer"))
        .order_by(League.name, League.id)
    )


def leagues_of(member_id: int) -> list[LeagueRow]:
    """The member's leagues by name, then id."""
    rows = db.session.execute(leagues_of_viewer(), {"viewer": member_id})
    return [LeagueRow(*row) for row in rows]


def league_for_viewer(slug: str, member_id: int) -> LeagueRow | None:
    """Load the league at this address; None unless the viewer is a member."""
    row = db.session.execute(
        leagues_of_viewer().where(League.slug == slug), {"viewer": member_id}
    ).first()
    return None if row is None else LeagueRow(*row)


def league_to_read(slug: str, member_id: int) -> LeagueRow | None:
    """Load a league whose table the viewer may read: their own leagues and public ones."""
    readable = _leagues().where(
        League.slug == slug, or_(LeagueMember.member_id.is_not(None), League.is_public)
    )
    row = db.session.execute(readable, {"viewer": member_id}).first()
    return None if row is None else LeagueRow(*row)


def has_schedule(league_id: int) -> bool:
    """Whether the league has a game; a draft league has none before its draft is over."""
    query = select(Matchup.league_id).where(Matchup.league_id == league_id).exists()
    return bool(db.session.scalar(select(query)))


@dataclass(frozen=True)
class TableVersion:
    """The version of a table, which rises with every change of it or of its season; 0 at first.

    `statuses`: those of the gameweek's games at this version. They say whether the table is final;
    the games themselves may be over before their last points have arrived.
    """

    version: int
    statuses: tuple[str, ...]


def table_version(league_id: int, gameweek_id: int) -> TableVersion:
    """The version of the league's tables as of the gameweek.

    It is the sum of the versions of all gameweeks, because a correction of an earlier one moves the
    season's table.
    """
    statuses_of_week = func.max(LeagueVersion.game_statuses).filter(
        LeagueVersion.gameweek_id == gameweek_id
    )
    version, statuses = db.session.execute(
        select(func.coalesce(func.sum(LeagueVersion.version), 0), statuses_of_week).where(
            LeagueVersion.league_id == league_id
        )
    ).one()
    return TableVersion(int(version), tuple(statuses.split(",")) if statuses else ())


def board_version(league_id: int, gameweek_id: int) -> int:
    """The version of the gameweek's own table, 0 before the first."""
    version = db.session.scalar(
        select(LeagueVersion.version).where(
            LeagueVersion.league_id == league_id, LeagueVersion.gameweek_id == gameweek_id
        )
    )
    return version or 0


def standings(league_id: int, gameweek_id: int) -> list[Standing]:
    """The gameweek's table by points, then team name, then member id; equal points share a rank.

    Points come from the board in Redis, or from PostgreSQL if Redis is away or has no board or an
    older one: a board is written after its version is committed, and a page must not be older than
    its tag.
    """
    try:
        board = league_board(league_id, gameweek_id).published()
    except RedisAway:
        board = None
    current = board_version(league_id, gameweek_id)
    if board and board[0] >= current:
        scores = {int(member): points for member, points in board[1].items()}
    else:
        scores = table_points(league_id, gameweek_id)
    held_points = table_held(league_id, gameweek_id)
    return table(members_seen(league_id), scores, progress(league_id, gameweek_id), held_points)


def table(
    members: Sequence[tuple[int, str, str]],
    scores: Mapping[int, int],
    progress: Mapping[int, tuple[int, int]],
    held_points: Mapping[int, int] = MappingProxyType({}),
) -> list[Standing]:
    """Rank these members by their points, in the order of `standings`.

    Args:
        members: Id, name and team, see `members_seen`.
        scores: Points by member.
        progress: Starters to play and playing, by member with a team sheet.
        held_points: How much of the points rests on plays under review, by member.
    """
    ranks = dense_ranks({member: scores.get(member, 0) for member, _, _ in members})
    rows = [
        Standing(
            member_id=member,
            display_name=display_name,
            team_name=team_name,
            points=scores.get(member, 0),
            held_points=held_points.get(member, 0),
            rank=ranks[member].rank,
            shared=ranks[member].shared,
            to_play=progress.get(member, (0, 0))[0],
            playing=progress.get(member, (0, 0))[1],
            has_team=member in progress,
        )
        for member, display_name, team_name in members
    ]
    return sorted(rows, key=lambda row: (row.rank, row.team_name, row.member_id))


def members_seen(league_id: int) -> list[tuple[int, str, str]]:
    """Id, name and team of the league's members who are not hidden, by id."""
    rows = db.session.execute(
        select(Member.id, Member.display_name, LeagueMember.team_name)
        .join(LeagueMember, LeagueMember.member_id == Member.id)
        .where(LeagueMember.league_id == league_id, seen_member(LeagueMember.member_id))
        .order_by(Member.id)
    )
    return [(member, name, team) for member, name, team in rows]


@dataclass(frozen=True)
class SheetRow:
    """A team sheet.

    `picks`: by place. `captain`, `vice_captain`: places from 1. `transfer_cost`: in thousandths.
    """

    member_id: int
    picks: Sequence[str]
    captain: int
    vice_captain: int
    transfer_cost: int


_SHEETS = text("""
    SELECT member_id, picks, captain, vice_captain, transfer_cost FROM team_sheets
    WHERE gameweek_id = :gameweek AND team_rules_id = :team_rules AND member_id = ANY(:members)
    ORDER BY member_id
""")


def sheets_of(team_rules_id: int, gameweek_id: int, members: Collection[int]) -> list[SheetRow]:
    """Load the team sheets of these members for the gameweek under these team rules, by member."""
    values = {"gameweek": gameweek_id, "team_rules": team_rules_id, "members": list(members)}
    return [SheetRow(*row) for row in db.session.execute(_SHEETS, values)]


_ADJUSTED = text("""
    SELECT member_id, sum(points)::bigint FROM score_adjustments
    WHERE league_id = :league AND gameweek_id = :gameweek GROUP BY member_id
""")


def adjusted(league_id: int, gameweek_id: int) -> dict[int, int]:
    """Load the sum of the commissioner's adjustments in the gameweek, in thousandths by member."""
    return dict(db.session.execute(_ADJUSTED, {"league": league_id, "gameweek": gameweek_id}).all())


# A starter with two games counts once: as playing if one of them is under way, else as to play if
# one is to come.
_PROGRESS = text("""
    SELECT p.member_id, count(*) FILTER (WHERE p.to_play AND NOT p.playing) AS to_play,
      count(*) FILTER (WHERE p.playing) AS playing
    FROM (
      SELECT s.member_id, bool_or(g.id IS NOT NULL AND coalesce(gs.status,
        'scheduled') = 'scheduled') AS to_play,
        bool_or(coalesce(gs.status, 'scheduled') = 'live') AS playing
      FROM team_sheets s JOIN gameweeks w ON w.id = s.gameweek_id
      CROSS JOIN unnest(s.picks[1:CAST(:starters AS int)]) WITH ORDINALITY AS p (footballer_id,
        place)
      LEFT JOIN footballers f ON f.id = p.footballer_id
      LEFT JOIN games g ON g.competition = w.competition AND g.season = w.season
        AND g.season_type = w.season_type
        AND g.week = w.week AND f.club_id IN (g.home_id, g.away_id)
        AND (g.planned_week IS NULL OR (SELECT r.postponed_games FROM team_rules r
          WHERE r.id = :team_rules) = 'played')
      LEFT JOIN game_states gs ON gs.game_id = g.id
      WHERE s.team_rules_id = :team_rules AND s.gameweek_id = :gameweek
        AND s.member_id IN (SELECT member_id FROM league_members WHERE league_id = :league)
        AND (CAST(:members AS bigint[]) IS NULL OR s.member_id = ANY(CAST(:members AS bigint[])))
      GROUP BY s.member_id, p.place
    ) p
    GROUP BY p.member_id
""")


def progress(
    league_id: int, gameweek_id: int, members: Sequence[int] | None = None
) -> dict[int, tuple[int, int]]:
    """How many starters have still to play, and how many are playing, by member.

    Members without a team sheet are left out. `members` None: all of the league.
    """
    rules, format_name = db.session.execute(
        select(TeamRules.id, TeamRules.format)
        .join(League, League.team_rules_id == TeamRules.id)
        .where(League.id == league_id)
    ).one()
    rows = db.session.execute(
        _PROGRESS,
        {
            "starters": len(format_named(format_name).starters),
            "team_rules": rules,
            "gameweek": gameweek_id,
            "league": league_id,
            "members": members,
        },
    )
    return {member: (to_play, playing) for member, to_play, playing in rows}


def team(league_id: int, member_id: int) -> tuple[str, str] | None:
    """Load the team's name and the member's name; None if the member is not in the league."""
    row = db.session.execute(
        select(LeagueMember.team_name, Member.display_name)
        .join(Member, Member.id == LeagueMember.member_id)
        .where(LeagueMember.league_id == league_id, LeagueMember.member_id == member_id)
    ).first()
    return None if row is None else (row.team_name, row.display_name)
