"""Loads the seasons of a league that was continued, for its records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlalchemy import select, text

from app.core.db import db
from app.draft_leagues.season.queries import SeasonView, load_season
from app.draft_leagues.season.records import PlayedGame, Records, Score, SeasonHistory, records
from app.fantasy.market.models import Season
from app.fantasy.standings.models import LeagueMember

# From a league to the one that it continues, and to the one that continues it.
_CHAIN = text("""
    WITH RECURSIVE before AS (
      SELECT id, continues_id, 0 AS step FROM leagues WHERE id = :league_id
      UNION ALL
      SELECT l.id, l.continues_id, b.step - 1
      FROM leagues l JOIN before b ON l.id = b.continues_id
    ), after AS (
      SELECT id, 0 AS step FROM leagues WHERE id = :league_id
      UNION ALL
      SELECT l.id, a.step + 1 FROM leagues l JOIN after a ON l.continues_id = a.id
    ), chain AS (SELECT id, step FROM before UNION SELECT id, step FROM after)
    SELECT c.id FROM chain c JOIN draft_leagues d ON d.league_id = c.id ORDER BY c.step
""")


@dataclass(frozen=True)
class PastSeason:
    """A season of the league's history: the league's address in it, and who won."""

    name: str
    slug: str
    champion: int | None
    is_over: bool


@dataclass(frozen=True)
class History:
    """All seasons of a league, the oldest first. `names`: the latest team name of each member."""

    seasons: Sequence[PastSeason]
    records: Records
    names: Mapping[int, str]


def chain(league_id: int) -> list[int]:
    """The leagues of all seasons of this league, the oldest first."""
    return [*db.session.scalars(_CHAIN, {"league_id": league_id})]


def load_history(league_id: int) -> History:
    """Load all seasons of the league that this one belongs to."""
    views = [load_season(each) for each in chain(league_id)]
    played = [_season(number, view) for number, view in enumerate(views)]
    names = db.session.execute(
        select(LeagueMember.member_id, LeagueMember.team_name)
        .where(LeagueMember.league_id.in_([view.league.id for view in views]))
        .order_by(LeagueMember.league_id)
    )
    return History(
        [
            PastSeason(_name(view), view.league.slug, season.champion, view.is_over)
            for view, season in zip(views, played, strict=True)
        ],
        records(played),
        {member_id: name for member_id, name in names},  # noqa: C416  # a row is no pair
    )


def _name(view: SeasonView) -> str:
    return db.session.get_one(Season, view.league.season_id).name


def _season(number: int, view: SeasonView) -> SeasonHistory:
    members = {team.number: team.member_id for team in view.teams if team.member_id is not None}
    champion = view.champion
    return SeasonHistory(
        champion=members.get(champion) if champion is not None else None,
        members=[members[place.franchise] for place in view.table if place.franchise in members],
        games=[*_regular_games(number, view, members), *_playoff_games(number, view, members)],
        scores=[
            Score(number, week.week, members[franchise], points)
            for week in (*view.regular, *view.playoff_weeks)
            if week.settled_at is not None
            for franchise, points in view.points.get(week.id, {}).items()
            if franchise in members
        ],
    )


def _regular_games(
    number: int, view: SeasonView, members: Mapping[int, int]
) -> Iterator[PlayedGame]:
    for week in view.regular:
        if week.settled_at is None:
            continue
        points = view.points.get(week.id, {})
        for home, away in view.pairs.get(week.id, ()):
            if home not in members or (away is not None and away not in members):
                continue
            against_points = view.average(week) if away is None else Fraction(points.get(away, 0))
            yield PlayedGame(
                number,
                week.week,
                members[home],
                members[away] if away is not None else None,
                (Fraction(points.get(home, 0)), against_points),
            )


def _playoff_games(
    number: int, view: SeasonView, members: Mapping[int, int]
) -> Iterator[PlayedGame]:
    for game in view.playoffs.games:
        high, low, winner = (
            members.get(franchise) if franchise is not None else None
            for franchise in (game.high, game.low, game.winner)
        )
        if high is None or low is None or winner is None:
            continue
        points = Fraction(game.points[0]), Fraction(game.points[1])
        yield PlayedGame(number, game.weeks[0], high, low, points, winner)
