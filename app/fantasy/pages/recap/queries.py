"""Loads what a finished gameweek came to in a league. Reads only.

The replayed gameweek says which plays decided it, the engine which places counted, the ledger which
play earned a player the most.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import select, text

from app.core.bidi import isolated
from app.core.db import db
from app.core.db.repeatable_read import begin_snapshot, end_reading
from app.fantasy.market import gameweeks, seasons
from app.fantasy.market.formats import format_named
from app.fantasy.market.gameweeks import GameweekRow, gameweek_row
from app.fantasy.pages.recap.page import RecapPage, recap_page
from app.fantasy.pages.replay.page import Film, substituting
from app.fantasy.pages.replay.queries import film
from app.fantasy.recaps.values import (
    Match,
    PastScore,
    Pick,
    PlayerScore,
    PlayRef,
    TeamWeek,
    Week,
    team_mark,
)
from app.fantasy.scoring.league_gameweek import LeagueGameweek, league_gameweek
from app.fantasy.scoring.replay.replay import ALL_SHOWN
from app.fantasy.scoring.replay.values import Race
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import credit_points
from app.fantasy.scoring.timeline import Timeline
from app.fantasy.standings import queries as standings
from app.fantasy.standings.models import LeagueScore
from app.fantasy.standings.queries import LeagueRow
from app.record import queries as record
from app.record.models import LedgerEntry, StatLine
from app.record.play_words import told_plays
from app.record.queries import GameRow

MOST_TEAMS = ALL_SHOWN  # the replay follows all teams of a league up to this size

_Lines = Mapping[str, Mapping[str, Mapping[str, int]]]  # statistics by game and player


def finished_weeks(league: LeagueRow) -> list[GameweekRow]:
    """The settled gameweeks that count in the league, in order."""
    return [
        gameweek_row(gameweek)
        for gameweek in seasons.gameweeks_of(league.season_id)
        if gameweek.settled_at is not None and gameweek.week >= league.first_week
    ]


def recap_of(league: LeagueRow, gameweek: GameweekRow, viewer: int) -> RecapPage:
    """Make the recap of a finished gameweek, as a viewer sees the league, in some seconds.

    The league has at most MOST_TEAMS teams. The caller's transaction ends before each computation.
    """
    version = _version(league, gameweek)
    begin_snapshot()  # so that the games fit the plays
    replayed = film(league, gameweek, gameweeks.games_of(gameweek), viewer, version)
    begin_snapshot()  # the film took seconds; now the results must fit the games
    games = gameweeks.games_of(gameweek)
    if (newer := _version(league, gameweek)) != version:
        replayed = film(league, gameweek, games, viewer, newer)
    week = week_of(league, gameweek, games, replayed)
    end_reading()
    return recap_page(week)


def _version(league: LeagueRow, gameweek: GameweekRow) -> str:
    """Of the film, which is shared with the replay's pages."""
    table = standings.table_version(league.id, gameweek.id).version
    games = record.gameweek_version(
        gameweek.competition, gameweek.season, gameweek.season_type, gameweek.week
    )
    return f"{table}-{games}"


def week_of(
    league: LeagueRow, gameweek: GameweekRow, games: Sequence[GameRow], replayed: Film
) -> Week:
    """What the gameweek came to. `replayed`: the gameweek played again."""
    followed = league_gameweek(league, gameweek, games)
    lines = _lines([game.id for game in followed.games])
    teams = _teams(followed, lines)
    member_ids = {team.member_id for team in teams}
    matches = []
    for duel in replayed.duels:
        home, away = replayed.teams[duel.home].member_id, replayed.teams[duel.away].member_id
        if home in member_ids and away in member_ids and home is not None and away is not None:
            matches.append(Match(home, away, _decided(replayed, duel.race)))
    scorers = [pick.player_id for team in teams for pick in team.picks if pick.points]
    return Week(
        name=gameweek.name,
        team_format=format_named(league.format),
        teams=tuple(teams),
        matches=tuple(matches),
        decided=_decided(replayed, replayed.leader),
        best_plays=_best_plays(league, followed.games, set(scorers)),
        past=past_scores(league, gameweek.week, member_ids),
        results=_results(league, gameweek, member_ids),
        best_before=_best_before(league, gameweek, member_ids),
    )


def _decided(film: Film, race: Race) -> PlayRef | None:
    if race.decided is None:
        return None
    play = film.plays[race.decided]
    words = play.turning_words
    for team in film.teams:
        if team.member_id is not None:
            name, mark = isolated(team.team_name), team_mark(team.member_id)
            words = words.replace(substituting(name), substituting(mark))
    return PlayRef(play.game_id, play.play_number, words)


def _lines(games: Sequence[str]) -> _Lines:
    lines: dict[str, dict[str, Mapping[str, int]]] = defaultdict(dict)
    query = select(StatLine.game_id, StatLine.player_id, StatLine.stats)
    for game_id, player_id, stats in db.session.execute(query.where(StatLine.game_id.in_(games))):
        lines[game_id][player_id] = stats
    return lines


def _teams(followed: LeagueGameweek, lines: _Lines) -> list[TeamWeek]:
    """The ranked teams with their picks, in the order of their members' ids."""
    timeline = Timeline(followed)
    for game in followed.games:
        timeline.take(game.id, lines.get(game.id, {}), game.status)
    totals, multipliers = timeline.totals(), timeline.multipliers()
    points = _points(followed, lines)
    names = record.names(followed.players)
    sheets = {int(team): row for row, team in enumerate(followed.team_of_sheet)}
    teams = []
    for number, team in enumerate(followed.teams[: followed.ranked]):
        row = sheets.get(number)
        if row is None:
            mark = team_mark(team.member_id)
            teams.append(TeamWeek(team.member_id, mark, int(totals[number]), ()))
            continue
        sheet = followed.sheets[row]
        picks = []
        for place, player in enumerate(sheet.picks):
            known = followed.players.get(player)
            picks.append(
                Pick(
                    player_id=player,
                    name=names.get(player, player),
                    position=known.position if known else "",
                    points=points.get(player, 0),
                    multiplier=int(multipliers[row][place]),
                    has_played=player in points,
                    club=(known.club_id or "") if known else "",
                )
            )
        teams.append(
            TeamWeek(
                team.member_id,
                team_mark(team.member_id),
                int(totals[number]),
                tuple(picks),
                sheet.captain,
                sheet.vice_captain,
            )
        )
    return teams


def _points(followed: LeagueGameweek, lines: _Lines) -> dict[str, int]:
    """Points of everybody on a sheet who has a stat line, in thousandths."""
    points: dict[str, int] = {}
    for game in followed.games:
        for player, stats in lines.get(game.id, {}).items():
            if player in followed.players:
                points[player] = points.get(player, 0) + followed.worth(player, stats)
    return points


def _best_plays(
    league: LeagueRow, games: Sequence[GameRow], players: Collection[str]
) -> dict[str, PlayRef]:
    """The play that earned each player the most points; ties: the first one."""
    rules = rules_named(league.rules)
    worth: dict[tuple[str, str, int], int] = defaultdict(int)
    query = select(
        LedgerEntry.player_id,
        LedgerEntry.game_id,
        LedgerEntry.play_number,
        LedgerEntry.stat,
        LedgerEntry.amount,
    ).where(
        LedgerEntry.game_id.in_([game.id for game in games]),
        LedgerEntry.player_id.in_(players),
        LedgerEntry.closed_at.is_(None),
    )
    for player, game_id, play, stat, amount in db.session.execute(query):
        worth[player, game_id, play] += credit_points(stat, amount, rules)
    best: dict[str, tuple[str, int]] = {}
    most: dict[str, int] = {}
    for (player, game_id, play), points in sorted(worth.items()):
        if points > most.get(player, 0):
            best[player], most[player] = (game_id, play), points
    plays = told_plays(set(best.values()), {game.id: game for game in games})
    # As plain text: a Sentence is not stored.
    words = {place: str(play.words) for place, play in plays.items()}
    return {player: PlayRef(*place, words.get(place, "")) for player, place in best.items()}


def _results(
    league: LeagueRow, gameweek: GameweekRow, members: Collection[int]
) -> dict[int, list[int]]:
    """The match points of these members' games up to this gameweek, of those who have one in it."""
    weeks = {row.id: row.week for row in finished_weeks(league) if row.week <= gameweek.week}
    query = select(LeagueScore.member_id, LeagueScore.gameweek_id, LeagueScore.match_points).where(
        LeagueScore.league_id == league.id,
        LeagueScore.gameweek_id.in_(weeks),
        LeagueScore.member_id.in_(members),
        LeagueScore.match_points.is_not(None),
    )
    rows = sorted(db.session.execute(query), key=lambda row: weeks[row.gameweek_id])
    results: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        results[row.member_id].append(row.match_points)
    playing = {row.member_id for row in rows if row.gameweek_id == gameweek.id}
    return {member: points for member, points in results.items() if member in playing}


# Games of a gameweek count as in queries.standings: those moved here from another one in some
# leagues only.
_BEST_BEFORE = text("""
    SELECT w.week, p.player_id, sum(p.points) AS points
    FROM (SELECT DISTINCT s.gameweek_id, pick.id FROM team_sheets s, unnest(s.picks) AS pick (id)
      WHERE s.team_rules_id = :team_rules AND s.member_id = ANY(:members)
        AND s.gameweek_id = ANY(:weeks)) picked
    JOIN gameweeks w ON w.id = picked.gameweek_id
    JOIN games g ON (g.competition, g.season, g.season_type, g.week) = (:competition, :season,
      :season_type, w.week) AND (g.planned_week IS NULL OR :counts_moved) AND NOT g.is_practice
    JOIN player_points p ON (p.game_id, p.player_id, p.rules) = (g.id, picked.id, :rules)
    GROUP BY 1, 2 ORDER BY points DESC, w.week, p.player_id LIMIT 1
""")


def _best_before(
    league: LeagueRow, gameweek: GameweekRow, members: Collection[int]
) -> PlayerScore | None:
    """The most points of a player of these teams in an earlier gameweek; ties: the first one."""
    values = {
        "team_rules": league.team_rules_id,
        "members": sorted(members),
        "weeks": [row.id for row in finished_weeks(league) if row.week < gameweek.week],
        "competition": gameweek.competition,
        "season": gameweek.season,
        "season_type": gameweek.season_type,
        "counts_moved": league.counts_moved,
        "rules": league.rules,
    }
    row = db.session.execute(_BEST_BEFORE, values).one_or_none()
    if row is None:
        return None
    name = record.names([row.player_id]).get(row.player_id, row.player_id)
    return PlayerScore(name, row.week, int(row.points))


def past_scores(league: LeagueRow, week: int, members: Collection[int]) -> tuple[PastScore, ...]:
    """The results of these members in the league's settled gameweeks before this one, in order."""
    earlier = {row.id: row.week for row in finished_weeks(league) if row.week < week}
    query = select(LeagueScore.member_id, LeagueScore.gameweek_id, LeagueScore.points).where(
        LeagueScore.league_id == league.id,
        LeagueScore.gameweek_id.in_(earlier),
        LeagueScore.member_id.in_(members),
    )
    scores = [
        PastScore(member, team_mark(member), earlier[gameweek], points)
        for member, gameweek, points in db.session.execute(query)
    ]
    return tuple(sorted(scores, key=lambda score: (score.week, score.member_id)))
