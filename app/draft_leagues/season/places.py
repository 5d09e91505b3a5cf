"""A draft league's places, for all pages and previews. Only the caller commits.

A member's standing is minus the place, then games won, lost and tied: the table of the regular
season, also during the play-offs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import text

from app.core.db import db
from app.draft_leagues.season import words
from app.draft_leagues.season.queries import SeasonView, load_season
from app.draft_leagues.season.table import Place
from app.fantasy.standings.own_games import StandingsOf

_STANDINGS = text("""
    UPDATE league_members m SET standing = ARRAY[-t.place, t.wins, t.losses, t.ties]
    FROM unnest(CAST(:members AS bigint[]), CAST(:places AS bigint[]), CAST(:wins AS bigint[]),
      CAST(:losses AS bigint[]), CAST(:ties AS bigint[]))
      AS t (member_id, place, wins, losses, ties)
    WHERE (m.league_id, m.member_id) = (:league, t.member_id)
      AND m.standing IS DISTINCT FROM ARRAY[-t.place, t.wins, t.losses, t.ties]
""")
_RANKS = text("""
    UPDATE league_scores s SET rank = t.rank
    FROM unnest(CAST(:members AS bigint[]), CAST(:gameweeks AS bigint[]), CAST(:ranks AS int[]))
      AS t (member_id, gameweek_id, rank)
    WHERE (s.league_id, s.member_id, s.gameweek_id) = (:league, t.member_id, t.gameweek_id)
      AND s.rank IS DISTINCT FROM t.rank
""")


def write_places(league_id: int) -> None:
    """Write places and records, and the places after each settled gameweek.

    Before the first settled gameweek everybody is level, and nothing is written.
    """
    view = load_season(league_id)
    if not view.weeks:
        return
    members = {team.number: team.member_id for team in view.teams}
    places = [place for place in view.table if members[place.franchise] is not None]
    db.session.execute(
        _STANDINGS,
        {
            "league": league_id,
            "members": [members[place.franchise] for place in places],
            "places": [place.place for place in places],
            "wins": [place.record.wins for place in places],
            "losses": [place.record.losses for place in places],
            "ties": [place.record.ties for place in places],
        },
    )
    ranks = [
        (members[place.franchise], gameweek_id, place.place)
        for gameweek_id, table in _tables(view)
        for place in table
        if members[place.franchise] is not None
    ]
    db.session.execute(
        _RANKS,
        {
            "league": league_id,
            "members": [member_id for member_id, _, _ in ranks],
            "gameweeks": [gameweek_id for _, gameweek_id, _ in ranks],
            "ranks": [rank for _, _, rank in ranks],
        },
    )


def standings_of(league_id: int) -> StandingsOf:
    """Load the league, and return its members' standings under other points.

    Before the first settled gameweek nobody has one.
    """
    view = load_season(league_id)
    numbers = {team.member_id: team.number for team in view.teams if team.member_id is not None}

    def standings(points: Mapping[tuple[int, int], int]) -> dict[int, tuple[int, ...]]:
        by_week: dict[int, dict[int, int]] = defaultdict(dict)
        for (gameweek_id, member_id), number in points.items():
            if member_id in numbers:
                by_week[gameweek_id][numbers[member_id]] = number
        places = {place.franchise: place for place in replace(view, points=by_week).table}
        return {member_id: _standing(places[franchise]) for member_id, franchise in numbers.items()}

    return standings if view.weeks else lambda _: {}


def playoff_changes(league_id: int, points: Mapping[tuple[int, int], int]) -> list[str]:
    """What these points would change in the play-offs: who reaches them, who meets whom, who won.

    `points`: by (gameweek id, member id), in thousandths.
    """
    before = load_season(league_id)
    numbers = {team.member_id: team.number for team in before.teams if team.member_id is not None}
    by_week: dict[int, dict[int, int]] = defaultdict(dict)
    for (gameweek_id, member_id), number in points.items():
        if member_id in numbers:
            by_week[gameweek_id][numbers[member_id]] = number
    after = replace(before, points=by_week)
    names = {team.number: team.name for team in before.teams}
    old, new = before.playoffs, after.playoffs
    if not before.is_regular_over:
        return [] if old.seeds == new.seeds else [words.changed_seeds(old.seeds, new.seeds, names)]
    sentences = []
    for week in before.playoff_weeks:
        old_pairs, new_pairs = old.pairs(week.week), new.pairs(week.week)
        if set(old_pairs) != set(new_pairs):
            sentences.append(f"{week.name}: {words.changed_games(old_pairs, new_pairs, names)}")
    champion = after.champion
    if before.champion is not None and before.champion != champion:
        sentences.append(
            words.changed_champion(
                names[before.champion], names[champion] if champion is not None else None
            )
        )
    return sentences


def _standing(place: Place) -> tuple[int, ...]:
    return (-place.place, place.record.wins, place.record.losses, place.record.ties)


def _tables(view: SeasonView) -> list[tuple[int, Sequence[Place]]]:
    """The table after each settled gameweek, by the gameweek's id."""
    settled = [week.id for week in view.regular if week.settled_at is not None]
    tables = [
        (gameweek_id, view.table_after(count)) for count, gameweek_id in enumerate(settled, start=1)
    ]
    return [
        *tables,
        *((week.id, view.table) for week in view.playoff_weeks if week.settled_at is not None),
    ]
