"""What moves a member's teams right now. Reads only.

The member's players in live games with the leagues that they count in, the newest plays that earned
them points, and the totals of the weeks under way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import groupby

from sqlalchemy import text

from app.accounts.sanctions import FORMER, SEEN_MEMBER
from app.core.db import db
from app.fantasy.market.formats import format_named
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import credit_points
from app.fantasy.scoring.statistics import counted, in_order
from app.fantasy.standings import results
from app.fantasy.standings.live_scores import LIVE_SHEETS, SCORES

AVERAGE = "The average"

# The member's players in live games, once for each of the member's leagues that has the sheet, with
# the fields of `LivePlayerRow`: by kickoff, then by player, the overall league last. Sheets have no
# multipliers before the first refresh of the gameweek.
LIVE_PLAYERS = text(f"""
    SELECT g.kickoff, g.id AS game_id, f.id AS player_id, f.name, f.position, f.club_id,
      f.number,
      coalesce(n.stats, '{{}}') AS stats, l.slug, l.name AS league, l.is_overall, l.rules,
      coalesce(p.points, 0) AS points, r.format, pick.place,
      c.multipliers[pick.place] AS multiplier, s.captain
    FROM game_states t JOIN games g ON g.id = t.game_id AND NOT g.is_practice
    JOIN gameweeks w ON (w.competition, w.season, w.season_type, w.week)
      = (g.competition, g.season, g.season_type, g.week)
    JOIN team_sheets s ON s.gameweek_id = w.id AND s.member_id = :member
    JOIN team_rules r ON r.id = s.team_rules_id
    JOIN leagues l ON l.team_rules_id = r.id AND l.first_week <= w.week
    JOIN league_members m ON (m.league_id, m.member_id) = (l.id, s.member_id)
    CROSS JOIN unnest(s.picks) WITH ORDINALITY AS pick (footballer_id, place)
    JOIN footballers f ON f.id = pick.footballer_id AND f.club_id IN (g.home_id, g.away_id)
    LEFT JOIN {LIVE_SHEETS} c ON (c.league_id, c.gameweek_id, c.member_id)
      = (l.id, w.id, s.member_id)
    LEFT JOIN stat_lines n ON (n.game_id, n.player_id) = (g.id, f.id)
    LEFT JOIN player_points p ON (p.game_id, p.player_id, p.rules) = (g.id, f.id, l.rules)
    WHERE t.status = 'live'
    ORDER BY g.kickoff, g.id, f.name, f.id, l.is_overall, lower(l.name), l.id
""")  # noqa: S608 (made of our own words alone)

# The newest valid credits of the `live_players` (the rows of LIVE_PLAYERS), with the fields of
# `CreditRow`. Most credits of a play are worth nothing under most rules.
NEWEST_CREDITS = text("""
    SELECT l.game_id, l.player_id, l.play_number, l.stat, l.amount, l.opened_at
    FROM ledger l JOIN (SELECT DISTINCT game_id, player_id FROM live_players) mine
      ON (mine.game_id, mine.player_id) = (l.game_id, l.player_id)
    WHERE l.closed_at IS NULL ORDER BY l.id DESC LIMIT 60
""")

# The member's totals of the weeks that are not settled and have begun or have a live game, with the
# fields of `TotalRow`. Head-to-head games come first, then the others by the name of the league,
# the overall league last; the latest week of a league first. `rank`: by points of the gameweek, as
# in the gameweek's table. An opponent who is hidden has no name, as in a list of matchups.
LIVE_TOTALS = text(f"""
    SELECT l.id AS league_id, l.slug, l.name AS league, l.is_overall, m.team_name,
      w.id AS gameweek_id, w.week, w.name AS gameweek, s.points,
      (SELECT count(DISTINCT o.points) + 1 FROM {SCORES} o
       WHERE (o.league_id, o.gameweek_id) = (s.league_id, s.gameweek_id) AND o.points > s.points
         AND {SEEN_MEMBER.format("o.member_id")}) AS rank,
      h.home_id IS NOT NULL AS has_opponent, h.opponent_id,
      coalesce(om.team_name, '{FORMER}') AS opponent, om.member_id IS NOT NULL
        AS is_opponent_seen, coalesce(os.points, 0) AS opponent_points
    FROM {SCORES} s JOIN gameweeks w ON w.id = s.gameweek_id JOIN leagues l
      ON l.id = s.league_id
    JOIN league_members m ON (m.league_id, m.member_id) = (s.league_id, s.member_id)
    LEFT JOIN LATERAL (SELECT home_id,
        CASE WHEN home_id = s.member_id THEN away_id ELSE home_id END AS opponent_id
      FROM matchups WHERE (league_id, gameweek_id) = (s.league_id, s.gameweek_id)
        AND l.mode = 'head_to_head' AND s.member_id IN (home_id, away_id) LIMIT 1) h ON true
    LEFT JOIN league_members om ON (om.league_id, om.member_id) = (s.league_id, h.opponent_id)
      AND {SEEN_MEMBER.format("om.member_id")}
    LEFT JOIN {SCORES} os ON (os.league_id, os.gameweek_id, os.member_id)
      = (s.league_id, s.gameweek_id, h.opponent_id)
    WHERE s.member_id = :member AND w.settled_at IS NULL AND (w.deadline <= :now OR EXISTS (
      SELECT FROM games g JOIN game_states t ON t.game_id = g.id AND t.status = 'live'
      WHERE NOT g.is_practice AND (g.competition, g.season, g.season_type, g.week)
        = (w.competition, w.season, w.season_type, w.week)))
    ORDER BY h.home_id IS NULL, l.is_overall, lower(l.name), l.id, w.week DESC
""")  # noqa: S608 (made of our own words alone)

# The next head-to-head game of the member in each league, of a week that has not begun, with the
# fields of `NextMatchup`, by deadline, then by the name of the league.
NEXT_MATCHUPS = text(f"""
    SELECT n.* FROM (
      SELECT DISTINCT ON (l.id) l.id AS league_id, l.slug, l.name AS league, m.team_name, w.week,
        w.name AS gameweek, w.deadline AS begins_at, om.member_id AS opponent_id,
        CASE WHEN om.member_id IS NOT NULL THEN om.team_name WHEN h.away_id IS NULL
          THEN '{AVERAGE}' ELSE '{FORMER}' END AS opponent
      FROM league_members m JOIN leagues l ON l.id = m.league_id AND l.mode = 'head_to_head'
      JOIN matchups h ON h.league_id = l.id AND m.member_id IN (h.home_id, h.away_id)
      JOIN gameweeks w ON w.id = h.gameweek_id AND w.deadline > :now AND w.settled_at IS NULL
      LEFT JOIN league_members om ON om.league_id = l.id AND om.member_id = CASE
          WHEN h.home_id = m.member_id THEN h.away_id ELSE h.home_id END
        AND {SEEN_MEMBER.format("om.member_id")}
      WHERE m.member_id = :member ORDER BY l.id, w.week
    ) n ORDER BY n.begins_at, lower(n.league), n.league_id
""")  # noqa: S608 (made of our own words alone)

_STATE = text("""
    SELECT ARRAY(SELECT league_id FROM league_members WHERE member_id = :member) AS leagues,
      ARRAY(SELECT w.id FROM gameweeks w WHERE w.settled_at IS NULL AND w.deadline <= :soon
        AND w.season_id IN (SELECT l.season_id FROM leagues l JOIN league_members m
          ON m.league_id = l.id WHERE m.member_id = :member)) AS gameweeks,
      ARRAY(SELECT DISTINCT l.id FROM live_gameweeks d JOIN gameweeks w ON w.id = d.gameweek_id
        JOIN leagues l ON l.season_id = w.season_id AND l.first_week <= w.week
        JOIN league_members m ON m.league_id = l.id
        WHERE m.member_id = :member) AS live_leagues,
      concat_ws('-',
      (SELECT coalesce(sum(v.version), 0) FROM league_versions v
       JOIN league_members m USING (league_id) WHERE m.member_id = :member),
      (SELECT sum(d.version) FROM live_gameweeks d JOIN team_sheets s USING (gameweek_id)
       WHERE s.member_id = :member),
      (SELECT count(*) FROM league_members WHERE member_id = :member),
      (SELECT coalesce(sum(version), 0) FROM team_sheets WHERE member_id = :member),
      (SELECT coalesce(max(id), 0) FROM notices WHERE member_id = :member),
      (SELECT concat(count(*), '.', sum(t.version))
       FROM game_states t JOIN games g ON g.id = t.game_id AND NOT g.is_practice
       JOIN gameweeks w ON (w.competition, w.season, w.season_type, w.week)
         = (g.competition, g.season, g.season_type, g.week)
       JOIN team_sheets s ON s.gameweek_id = w.id AND s.member_id = :member
       WHERE t.status = 'live')) AS version
""")
SOON = timedelta(hours=1)  # longer than a page is cached


@dataclass(frozen=True)
class EarnedPlay:
    """What a play earned one of the member's players.

    `points`: the player's own, in thousandths; `what`: the statistics that earned them, as in
    `catch, 10 receiving yards`.
    """

    player: LivePlayer
    play_number: int
    points: int
    what: str
    at: datetime


@dataclass(frozen=True)
class CountingLeague:
    """A league of the member that counts a player. `multiplier`: how often, 2 for a captain."""

    slug: str
    league: str
    multiplier: int


@dataclass(frozen=True)
class LivePlayer:
    """A member's player in a game that is being played.

    Attributes:
        points: The player's own, in thousandths, by the scoring `rules` of the first league that
            counts the player, or else of the first that has the player on the bench.
        leagues: The leagues that count the player; none for one who is on every bench.
        swing_slug: A league in which the player started, so that each play that earns points moves
            the table; None if that is not known.
    """

    game_id: str
    id: str
    name: str
    position: str
    club_id: str
    number: int | None
    stats: Mapping[str, int]
    points: int
    rules: str
    leagues: tuple[CountingLeague, ...]
    swing_slug: str | None


@dataclass(frozen=True)
class Opponent:
    """The other side of a member's head-to-head game.

    `member_id`: None for the average and for a member who is hidden. `points`: in thousandths,
    exact.
    """

    member_id: int | None
    team_name: str
    points: int | Fraction


@dataclass(frozen=True)
class LiveTotal:
    """A team's points in a gameweek under way, in thousandths, and its rank in that gameweek.

    `rank`: None if it is not known, in a large league without Redis.
    `opponent`: in a head-to-head league, unless the team has no game in the gameweek.
    """

    league_id: int
    slug: str
    league: str
    is_overall: bool
    team_name: str
    gameweek_id: int
    week: int
    gameweek: str
    points: int
    rank: int | None
    opponent: Opponent | None

    @property
    def lead(self) -> int | Fraction:
        """By how much the team leads its opponent, negative if it trails; 0 without one."""
        return self.points - self.opponent.points if self.opponent else 0


@dataclass(frozen=True)
class NextMatchup:
    """A head-to-head game to come.

    `opponent_id`: None for the average and for a member who is hidden.
    """

    league_id: int
    slug: str
    league: str
    team_name: str
    week: int
    gameweek: str
    begins_at: datetime
    opponent_id: int | None
    opponent: str


@dataclass(frozen=True)
class LivePlayerRow:
    """A row of LIVE_PLAYERS: a place of one of the member's sheets, in one league."""

    game_id: str
    player_id: str
    name: str
    position: str
    club_id: str
    number: int | None
    stats: dict[str, int]
    slug: str
    league: str
    is_overall: bool
    rules: str
    points: int
    format: str
    place: int
    multiplier: int | None
    captain: int


@dataclass(frozen=True)
class CreditRow:
    """What a play credited one of the member's players with."""

    game_id: str
    player_id: str
    play_number: int
    stat: str
    amount: int
    opened_at: datetime


@dataclass(frozen=True)
class TotalRow:
    """A `LiveTotal` as it is read. `opponent_id`: None for an opponent that is the average."""

    league_id: int
    slug: str
    league: str
    is_overall: bool
    team_name: str
    gameweek_id: int
    week: int
    gameweek: str
    points: int
    rank: int | None
    has_opponent: bool
    opponent_id: int | None
    opponent: str
    is_opponent_seen: bool
    opponent_points: int


def live_players(rows: Sequence[LivePlayerRow]) -> tuple[LivePlayer, ...]:
    """Return each player of a live game once, in the order of the rows."""
    return tuple(
        _live_player(list(group))
        for _, group in groupby(rows, key=lambda row: (row.game_id, row.player_id))
    )


def _live_player(rows: Sequence[LivePlayerRow]) -> LivePlayer:
    counting = [(row, times) for row in rows if (times := _times(row))]
    first = counting[0][0] if counting else rows[0]
    return LivePlayer(
        game_id=first.game_id,
        id=first.player_id,
        name=first.name,
        position=first.position,
        club_id=first.club_id,
        number=first.number,
        stats=first.stats,
        points=first.points,
        rules=first.rules,
        leagues=tuple(CountingLeague(row.slug, row.league, times) for row, times in counting),
        swing_slug=first.slug if counting and _always_counts(first) else None,
    )


def _times(row: LivePlayerRow) -> int:
    """How often the place counts (sheets/lineups.py)."""
    if row.multiplier is not None:
        return row.multiplier
    team_format = format_named(row.format)
    is_captain = row.place == row.captain and not team_format.is_draft
    return int(row.place <= len(team_format.starters)) + is_captain


def _always_counts(row: LivePlayerRow) -> bool:
    """Whether the player has counted since the kickoff, and in a league with a table of friends."""
    team_format = format_named(row.format)
    is_starter = row.place <= len(team_format.starters)
    return is_starter and not team_format.is_best_ball and not row.is_overall


def live_totals(rows: Sequence[TotalRow]) -> tuple[LiveTotal, ...]:
    """Return the latest total of each league, with the averages that are somebody's opponent."""
    latest = {row.league_id: row for row in reversed(rows)}
    rows = [row for row in rows if latest[row.league_id] is row]
    averages = _averages(rows)
    return tuple(
        LiveTotal(
            row.league_id,
            row.slug,
            row.league,
            row.is_overall,
            row.team_name,
            row.gameweek_id,
            row.week,
            row.gameweek,
            row.points,
            row.rank,
            _opponent(row, averages) if row.has_opponent else None,
        )
        for row in rows
    )


def _averages(rows: Sequence[TotalRow]) -> dict[tuple[int, int], Fraction]:
    """The average of each league in which the member has no other opponent, by gameweek too."""
    alone = [row for row in rows if row.has_opponent and row.opponent_id is None]
    return {
        (gameweek, league): average
        for gameweek in {row.gameweek_id for row in alone}
        for league, average in results.averages(
            gameweek, [row.league_id for row in alone if row.gameweek_id == gameweek]
        ).items()
    }


def _opponent(row: TotalRow, averages: Mapping[tuple[int, int], Fraction]) -> Opponent:
    if row.opponent_id is not None:
        member_id = row.opponent_id if row.is_opponent_seen else None
        return Opponent(member_id, row.opponent, row.opponent_points)
    average = averages.get((row.gameweek_id, row.league_id), Fraction(0))
    return Opponent(None, AVERAGE, average)


@dataclass(frozen=True)
class MemberState:
    """What a member's games depend on.

    Attributes:
        leagues: The ids of the member's leagues.
        gameweeks: The ids of their gameweeks that are played or about to lock.
        live_leagues: The ids of those of the leagues that count a gameweek under way.
        version: It changes with the member's tables, teams, notices and live games.
    """

    leagues: Sequence[int]
    gameweeks: Sequence[int]
    live_leagues: Sequence[int]
    version: str


def state(member_id: int, now: datetime) -> MemberState:
    """Load what the member's games depend on."""
    row = db.session.execute(_STATE, {"member": member_id, "soon": now + SOON}).one()
    return MemberState(row.leagues, row.gameweeks, row.live_leagues, row.version)


def newest_plays(
    rows: Sequence[CreditRow], players: Sequence[LivePlayer], limit: int
) -> list[EarnedPlay]:
    """The newest plays that earned one of these players points, newest first."""
    by_key = {(player.game_id, player.id): player for player in players}
    credits_of: dict[tuple[str, str, int], list[CreditRow]] = {}
    for row in rows:
        if (row.game_id, row.player_id) in by_key:
            credits_of.setdefault((row.game_id, row.player_id, row.play_number), []).append(row)
    plays = (
        _play(by_key[game_id, player_id], play_number, credited)
        for (game_id, player_id, play_number), credited in credits_of.items()
    )
    return [play for play in plays if play.points][:limit]


def _play(player: LivePlayer, play_number: int, credited: Sequence[CreditRow]) -> EarnedPlay:
    rules = rules_named(player.rules)
    amounts: dict[str, int] = {}
    for credit in credited:
        amounts[credit.stat] = amounts.get(credit.stat, 0) + credit.amount
    worth = {stat: credit_points(stat, amount, rules) for stat, amount in amounts.items()}
    what = ", ".join(counted(stat, amounts[stat]) for stat in in_order(worth) if worth[stat])
    return EarnedPlay(player, play_number, sum(worth.values()), what, credited[0].opened_at)
