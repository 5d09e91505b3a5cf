"""What the post of a finished week tells: who won, the matchups, a season high, the largest swing.

There is one post per week and league. A correction changes it. All of it is ids and numbers, of
which words.py makes sentences. Leagues too large for a recap have no season high and no swing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import trunc
from typing import Any

from sqlalchemy import func, select

from app.accounts.sanctions import seen_member
from app.core.db import db
from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow, gameweek_row
from app.fantasy.market.models import Gameweek
from app.fantasy.pages.recap import queries as recaps
from app.fantasy.scoring.league_gameweek import league_gameweek
from app.fantasy.scoring.swings.swings import largest
from app.fantasy.standings import queries as standings
from app.fantasy.standings.models import League, LeagueScore, Matchup
from app.fantasy.standings.queries import LeagueRow, Standing
from app.fantasy.standings.results import averages
from app.talk.models import RESULT, Post

_SECOND = 2  # the rank
_MOST_BARS = 20  # of the chart in a post


def result_data(league_id: int, gameweek_id: int) -> dict[str, Any] | None:
    """What is told of the week; None if the league has no scores in it."""
    gameweek = db.session.get_one(Gameweek, gameweek_id, populate_existing=True)
    league = db.session.get_one(League, league_id)
    scores = db.session.execute(
        select(
            LeagueScore.member_id,
            LeagueScore.points,
            LeagueScore.total,
            LeagueScore.rank,
            LeagueScore.match_points,
        )
        .where(LeagueScore.league_id == league_id, LeagueScore.gameweek_id == gameweek_id)
        .where(LeagueScore.rank.is_not(None), seen_member(LeagueScore.member_id))
        .order_by(LeagueScore.member_id)
    ).all()
    if not scores:
        return None
    most = max(score.points for score in scores)
    latest = db.session.scalar(
        select(func.max(Gameweek.week)).where(
            Gameweek.season_id == gameweek.season_id, Gameweek.settled_at.is_not(None)
        )
    )
    return {
        "gameweek": gameweek.id,
        "week": gameweek.week,
        "name": gameweek.name,
        "is_latest": gameweek.week == latest,
        "best": [[score.member_id, score.points] for score in scores if score.points == most],
        "leaders": [[score.member_id, score.total] for score in scores if score.rank == 1],
        "scores": sorted(
            ([score.member_id, score.points] for score in scores),
            key=lambda pair: (-pair[1], pair[0]),
        )[:_MOST_BARS],
        "games": _games(league, gameweek, {score.member_id: score for score in scores}),
        **_story(league, gameweek),
    }


def correct_later_records(league_id: int, week: int) -> None:
    """Correct the season highs of later weeks, which are compared with this one."""
    later = select(Post).where(
        Post.league_id == league_id, Post.kind == RESULT, Post.data["week"].as_integer() > week
    )
    for post in db.session.scalars(later.where(Post.data.has_key("record"))).all():
        data = {name: value for name, value in post.data.items() if name not in _RECORD}
        ended = _ended(
            db.session.get_one(League, league_id),
            db.session.get_one(Gameweek, data["gameweek"], populate_existing=True),
        )
        post.data = data | (_record(ended) if ended else {})


def _games(league: League, gameweek: Gameweek, scores: Mapping[int, Any]) -> list[list[Any]]:
    """The matchups: home, its points, away, its points, match points of the home team."""
    if league.mode != "head_to_head":
        return []
    matchups = db.session.execute(
        select(Matchup.home_id, Matchup.away_id)
        .where(Matchup.league_id == league.id, Matchup.gameweek_id == gameweek.id)
        .order_by(Matchup.home_id)
    ).all()
    average = averages(gameweek.id, [league.id]).get(league.id, 0)
    games = []
    for home, away in matchups:
        if home not in scores or (away is not None and away not in scores):
            continue
        away_points = trunc(average) if away is None else scores[away].points
        games.append([home, scores[home].points, away, away_points, scores[home].match_points])
    return games


@dataclass(frozen=True)
class _Ended:
    """A week of a league that has ended, with its table."""

    league: LeagueRow
    gameweek: GameweekRow
    table: list[Standing]


def _ended(league: League, gameweek: Gameweek) -> _Ended | None:
    """The week; None if it counts no more, or the league is too large for a recap."""
    members = standings.members_seen(league.id)
    if not 1 <= len(members) <= recaps.MOST_TEAMS or gameweek.settled_at is None:
        return None
    row = standings.league_for_viewer(league.slug, members[0][0])
    if row is None or gameweek.week < row.first_week:
        return None
    points = standings.table_points(league.id, gameweek.id)
    table = standings.table(members, points, standings.progress(league.id, gameweek.id))
    return _Ended(row, gameweek_row(gameweek), table)


def _story(league: League, gameweek: Gameweek) -> dict[str, Any]:
    ended = _ended(league, gameweek)
    if ended is None:
        return {}
    return {"recap_week": gameweek.week, **_second(ended), **_record(ended), **_swing(ended)}


def _second(ended: _Ended) -> dict[str, Any]:
    """Who came second to the winner, if one team did."""
    ranks = [row.rank for row in ended.table]
    if ranks.count(1) != 1 or ranks.count(_SECOND) != 1:
        return {}
    return {"second": [[row.member_id, row.points] for row in ended.table if row.rank == _SECOND]}


_RECORD = ("record", "before", "before_week")


def _record(ended: _Ended) -> dict[str, Any]:
    """The highest score of the season so far, if one team has it and there is an older one."""
    best = [row for row in ended.table if row.rank == 1]
    members = [row.member_id for row in ended.table]
    past = recaps.past_scores(ended.league, ended.gameweek.week, members)
    if len(best) != 1 or not past:
        return {}
    previous_best = max(past, key=lambda score: (score.points, -score.week, -score.member_id))
    if best[0].points <= previous_best.points:
        return {}
    record = [[best[0].member_id, best[0].points]]
    previous_record = [[previous_best.member_id, previous_best.points]]
    return dict(zip(_RECORD, (record, previous_record, previous_best.week), strict=True))


def _swing(ended: _Ended) -> dict[str, Any]:
    """The play that gained one team the most."""
    games = gameweeks.games_of(ended.gameweek)
    swing = largest(league_gameweek(ended.league, ended.gameweek, games))
    if swing is None:
        return {}
    return {
        "game_id": swing.game_id,
        "play_number": swing.play_number,
        "gained": [[member_id, swing.points] for member_id in swing.member_ids],
    }
