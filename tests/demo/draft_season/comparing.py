"""Compares a played season with its plain recomputation."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from app.draft_leagues.season.queries import SeasonView, load_season
from app.draft_leagues.season.table import TableRules, table
from tests.demo.draft_season import plain_moves, plain_waivers
from tests.demo.draft_season.plain_facts import Facts, Results, read_facts, read_results
from tests.demo.draft_season.plain_results import Game, PlainSeason, Published


@dataclass
class Comparison:
    """A line for everything that differs, and how many values of each kind were compared."""

    differences: list[str] = field(default_factory=list)
    compared: Counter[str] = field(default_factory=Counter)
    champion: int | None = None

    def same(self, kind: str, stored: object, expected: object, where: object = "") -> None:
        self.compared[kind] += 1
        if stored != expected:
            self.differences.append(f"{kind} {where}: {stored}, not {expected}")


def compare(league_id: int, published: Published | None = None) -> Comparison:
    """Compare everything that the app stored about a league with what follows from the facts.

    `published`: points of real games.
    """
    facts, results = read_facts(league_id), read_results(league_id)
    season = PlainSeason(facts, published or {})
    view = load_season(league_id)
    comparison = Comparison(champion=results.champion)
    settled = [facts.settled_at[week] for week in season.regular]

    def table_order(moment: datetime) -> list[int] | None:
        weeks = bisect_right(settled, moment)
        return season.order(weeks) if weeks else None

    counts = comparison.compared
    comparison.differences += plain_moves.draft_differences(facts, results, counts)
    comparison.differences += plain_moves.roster_differences(facts, results, counts)
    comparison.differences += plain_waivers.waiver_differences(facts, table_order, counts)
    comparison.differences += plain_waivers.run_differences(facts, counts)
    comparison.differences += plain_moves.trade_differences(facts, counts)
    _compare_scores(season, results, comparison)
    _compare_schedule(season, comparison)
    _compare_tables(season, view, comparison)
    _compare_playoffs(season, view, results, comparison)
    counts["points from published tables"] = season.from_published
    return comparison


def _compare_scores(season: PlainSeason, results: Results, comparison: Comparison) -> None:
    for (week, franchise), points in season.scores.items():
        stored = results.points.get((week, franchise))
        comparison.same("points of a week", stored, points, (week, franchise))


def _compare_schedule(season: PlainSeason, comparison: Comparison) -> None:
    """Everybody plays once a week, and nobody meets again before everybody has been met."""
    facts = season.facts
    met: dict[int, list[int | None]] = {franchise: [] for franchise in facts.franchises}
    for week in season.regular:
        playing = [side for pair in facts.pairs[week] for side in pair if side is not None]
        comparison.same("games of a week", sorted(playing), facts.franchises)
        for home, away in facts.pairs[week]:
            met[home].append(away)
            if away is not None:
                met[away].append(home)
    round_robin = len(facts.franchises) - 1 + len(facts.franchises) % 2
    for opponents in met.values():
        first = opponents[:round_robin]
        comparison.same("no repeat before all met", len(set(first)), len(first))


def _compare_tables(season: PlainSeason, view: SeasonView, comparison: Comparison) -> None:
    """The table after every week."""
    settings = view.settings.season
    rules = TableRules(
        settings.tie_breaks,
        view.divisions,
        coin=f"league {view.league.id}",
        median_game=settings.median_game,
    )
    for weeks in range(1, len(season.regular) + 1):
        places = table(len(view.teams), view.weeks[:weeks], rules)
        order = [place.franchise for place in places]
        comparison.same("tables", order, season.order(weeks))
        for place in places:
            record = place.record
            by_app = record.wins, record.losses, record.ties, record.points_for
            comparison.same("records", by_app, season.record(weeks, place.franchise))


def _compare_playoffs(
    season: PlainSeason, view: SeasonView, results: Results, comparison: Comparison
) -> None:
    facts: Facts = season.facts
    expected = season.games()
    by_app = [
        Game(
            game.bracket,
            game.round,
            game.weeks,
            tuple(side for side in (game.high, game.low) if side is not None),
            game.points
            if game.low is not None
            else (season_points(season, game.weeks, game.high),),
            game.winner or 0,
        )
        for game in view.playoffs.games
    ]
    comparison.same("games of the play-offs", len(by_app), len(expected))
    for app_game, game in zip(sorted(by_app), sorted(expected), strict=False):
        comparison.same("games of the play-offs", app_game, game)
    for week in season.playoff_weeks:
        pairs = {game.sides for game in expected if week in game.weeks and len(game.sides) > 1}
        comparison.same("stored games of a play-off week", set(facts.pairs[week]), pairs)
    final = [game for game in expected if game.bracket == "championship"]
    champion = final[-1].winner if final else season.order(len(season.regular))[0]
    comparison.same("champion", results.champion, champion)
    comparison.same("phase", results.phase, "finished")


def season_points(season: PlainSeason, weeks: tuple[int, ...], franchise: int | None) -> int:
    """What a franchise without an opponent scored, for which nothing is stored."""
    return sum(season.scores[week, franchise] for week in weeks if franchise is not None)
