"""How well projections and chances of winning fit games that their constants have not seen.

`python -m benchmarks.projections --games FOLDER` reads play-by-play of real games (weeks 1 and 2 of
a season); without a folder it plays a simulated season. It draws line-ups at random, better players
more often, pairs them, and after every drive of the held-out games compares each chance of winning
with who won in the end, by

- Brier score: the mean squared difference of chance and result (1, 0, or 0.5 for a tie);
- log loss: the mean of -ln(chance given to the result);
- a table of reliability: of the matchups with a chance of about 30 %, 30 % should be won.

Beside it stand a chance that is always even, and one by the lead and the time left alone, whose one
constant is fitted. `--fit` tries other constants on the other part of the games, never on the
held-out one; `--typical` prints the lines of projections/typical_lines.py from the first week.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import erf, log, sqrt
from pathlib import Path
from random import Random
from unittest.mock import patch

from app.core.clock import to_ms
from app.demo.clubs import CLUBS
from app.demo.game import Fixture, simulate_game
from app.demo.year.calendar import YEAR, calendar, fit
from app.fantasy.market.formats import FORMATS, Format
from app.fantasy.projections import chances
from app.fantasy.projections import rules as projecting
from app.fantasy.projections.rules import Expectation, Figures, GameNow
from app.fantasy.projections.teams import ProjectedTeam, projected_teams
from app.fantasy.scoring.rules import PRESETS, ScoringRules, points
from app.fantasy.standings.queries import SheetRow
from app.record import events as ev
from app.record.play_by_play import read_games
from app.record.queries import ClubRow, EventRow, GameRow
from app.record.replay import Moment, evening
from app.record.rules.statistics import LEVEL_STATS
from app.record.rules.team_defence import POSITION as DST
from app.record.rules.team_defence import defence_id
from app.record.script import GameScript

# Which line-ups are drawn: a format with the scoring rules of a league that plays it.
WORLDS = (("nfl-classic", "ppr_idp"), ("nfl-team-defence", "yahoo"))
BINS = 10
LEAST = 0.001  # no chance is counted as less than this in the log loss
SIMULATED_WEEKS, FIRST_HELD_OUT = 12, 5
LEADS = (10_000, 15_000, 20_000, 25_000, 30_000, 40_000, 50_000)
# What is left of the games: more than the first share and at most the second.
PHASES = (
    ("all", 0.999, 1.0),
    ("75% and more", 0.75, 0.999),
    ("50% to 75%", 0.5, 0.75),
    ("25% to 50%", 0.25, 0.5),
    ("less than 25%", 0.0, 0.25),
)
SHORT = 2  # weeks of a season whose games are divided instead of its weeks
PRIORS, DECAYS = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0), (0.8, 0.88, 0.92, 0.96, 1.0)


@dataclass(frozen=True)
class Player:
    """A player of the season."""

    id: str
    position: str
    club: str


@dataclass(frozen=True)
class Week:
    """A gameweek: its games, everything that happened in them in order, and who was injured."""

    number: int
    games: tuple[GameRow, ...]
    moments: tuple[Moment, ...]
    injured: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Season:
    """The weeks of a season in order, and its players by id."""

    title: str
    weeks: tuple[Week, ...]
    players: Mapping[str, Player]


def _random(seed: int | str) -> Random:
    return Random(seed)  # noqa: S311 (line-ups, not secrets)


def rows_of(script: GameScript) -> list[EventRow]:
    """The events of a script as the record has them once all are in."""
    start, play = to_ms(script.kickoff), 0
    plays: dict[int, int] = {}
    corrections: dict[int, ev.Body] = {}
    for number, step in enumerate(script.events, start=1):
        play += isinstance(step.body, ev.Snap)
        plays[number] = play if step.play_number is None else step.play_number
        if isinstance(step.body, ev.Correction):
            corrections[number] = step.body

    def row(number: int, revision: int, body: ev.Body, at_ms: int) -> EventRow:
        later = [
            correction
            for correction, taken in corrections.items()
            if correction > revision and number in ev.targets(taken)
        ]
        taken_by = min(later, default=None)
        return EventRow(
            number, revision, plays[number], taken_by is None, body, taken_by, start + at_ms
        )

    rows = []
    for number, step in enumerate(script.events, start=1):
        rows.append(row(number, 0, step.body, step.at_ms))
        if isinstance(step.body, ev.Overturn | ev.StatCorrection):
            rows.append(row(step.body.event, number, step.body.ruling, step.at_ms))
    return rows


def season_of(
    title: str, scripts: Iterable[GameScript], injured: Mapping[int, frozenset[str]]
) -> Season:
    """A season of these games."""
    players: dict[str, Player] = {}
    by_week: dict[int, list[GameScript]] = defaultdict(list)
    for script in scripts:
        by_week[script.week].append(script)
        for footballer in script.footballers:
            if footballer.club_id:
                players[footballer.id] = Player(
                    footballer.id, footballer.position, footballer.club_id
                )
        for club in (script.home.id, script.away.id):
            players[defence_id(club)] = Player(defence_id(club), DST, club)
    weeks = []
    for number, week_scripts in sorted(by_week.items()):
        games = sorted((_game_row(script) for script in week_scripts), key=lambda game: game.id)
        events = {script.game_id: rows_of(script) for script in week_scripts}
        weeks.append(
            Week(
                number,
                tuple(games),
                tuple(evening(games, events)),
                injured.get(number, frozenset()),
            )
        )
    return Season(title, tuple(weeks), players)


def _game_row(script: GameScript) -> GameRow:
    home, away = (ClubRow(club.id, club.name, "", "") for club in (script.home, script.away))
    return GameRow(
        script.game_id,
        script.season,
        script.season_type,
        script.week,
        script.kickoff,
        home,
        away,
        "scheduled",
        None,
        None,
        {},
        0,
    )


def real_season(folder: Path) -> Season:
    """The games of a folder with play-by-play files, `pbp/*.csv.gz`."""
    return season_of(f"games of {folder.name}", read_games(sorted(folder.glob("pbp/*.csv.gz"))), {})


def simulated_season(seed: int, weeks: int) -> Season:
    """A season of simulated games."""
    clubs = {club.id: club for club in CLUBS}
    scripts, injured = [], {}
    for week in calendar(seed, weeks):
        injured[week.number] = week.injured
        for game in week.games:
            fixture = Fixture(
                game.id, clubs[game.home], clubs[game.away], game.kickoff, YEAR, week.number
            )
            scripts.append(simulate_game(game.seed, fixture, fit(week)))
    return season_of(f"simulated season {seed}", scripts, injured)


@dataclass
class Ledger:
    """Points of each player by week under some rules, and the weeks that each club has played."""

    rules: ScoringRules
    season: Season
    earned: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    club_weeks: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def add(self, week: Week) -> None:
        """Add a week that is over."""
        for game in week.games:
            for club in (game.home.id, game.away.id):
                self.club_weeks[club].add(week.number)
        lines: dict[str, Mapping[str, int] | None] = {}
        for moment in week.moments:
            lines |= moment.changed
        for player, stats in lines.items():
            if stats and player in self.season.players:
                self.earned[player][week.number] = self.worth(player, stats)

    def worth(self, player: str, stats: Mapping[str, int]) -> int:
        """What a stat line is worth."""
        return points(stats, self.rules, self.season.players[player].position)

    def figures(self) -> dict[str, Figures]:
        """The figures of each family of positions."""
        return projecting.by_family(
            (self.season.players[player].position, Figures(1, earned, earned**2))
            for player, weeks in self.earned.items()
            for earned in weeks.values()
        )

    def expectations(self, week: int) -> dict[str, Expectation]:
        """What everybody is expected to score in a game of this week."""
        figures = self.figures()
        expected = {}
        for player in self.season.players.values():
            family = projecting.family_of(player.position)
            if family in figures:
                games = projecting.history(
                    self.earned[player.id], self.club_weeks[player.club], before=week
                )
                expected[player.id] = projecting.expectation(games, figures[family])
        return expected


@dataclass(frozen=True)
class Sample:
    """A matchup at a moment.

    `chance`: the first side's; `lead`: its points more than the other's so far; `left`: the share
    of all its players' games that is to come; `result`: 1, 0 or 0.5.
    """

    chance: float
    lead: int
    left: float
    result: float


def draw_sheets(
    random: Random,
    team_format: Format,
    available: Sequence[Player],
    expected: Mapping[str, Expectation],
    count: int,
) -> list[SheetRow]:
    """Draw team sheets; a player's weight is the square of what is expected of them."""
    weights = {
        player.id: max(expected[player.id].points, 0.0) ** 2
        for player in available
        if player.id in expected
    }
    sheets = []
    for number in range(count):
        picks: list[str] = []
        for slot in team_format.places:
            candidates = [
                player.id
                for player in available
                if player.position in slot.accepts
                and weights.get(player.id)
                and player.id not in picks
            ]
            picks += random.choices(candidates, [weights[player] for player in candidates])
        starters = len(team_format.starters)
        best = sorted(range(starters), key=lambda place: -expected[picks[place]].points)
        sheets.append(SheetRow(number, picks, best[0] + 1, best[1] + 1, 0))
    return sheets


class _Evening:
    """A gameweek while it is played: what everybody has and is expected to have."""

    def __init__(
        self, week: Week, ledger: Ledger, expected: Mapping[str, Expectation], ids: Iterable[str]
    ) -> None:
        self.week, self.ledger, self.expected = week, ledger, expected
        self.players = [ledger.season.players[player] for player in sorted(ids)]
        self.game_of = {
            club: game.id for game in week.games for club in (game.home.id, game.away.id)
        }
        self.games: dict[str, GameNow] = {game.id: GameNow() for game in week.games}
        self.lines: dict[str, Mapping[str, int]] = {}

    def take(self, moment: Moment) -> None:
        """Take in what happened."""
        snap = moment.clock
        self.games[moment.game_id] = GameNow(
            moment.status, snap.period if snap else 1, snap.clock if snap else ev.PERIOD_SECONDS
        )
        for player, stats in moment.changed.items():
            if stats:
                self.lines[player] = stats
            else:
                self.lines.pop(player, None)

    def projections(self) -> dict[str, projecting.Projection]:
        """The projection of everybody now."""
        return {player.id: self._projection(player) for player in self.players}

    def _projection(self, player: Player) -> projecting.Projection:
        stats = self.lines.get(player.id)
        game = self.games[self.game_of[player.club]]
        now = GameNow(game.status, game.period, game.clock)
        if stats:
            levels = {stat: amount for stat, amount in stats.items() if stat in LEVEL_STATS}
            now = GameNow(
                game.status,
                game.period,
                game.clock,
                self.ledger.worth(player.id, stats),
                self.ledger.worth(player.id, levels) if levels else 0,
            )
        status = "injured" if player.id in self.week.injured else "available"
        return projecting.project(
            self.expected[player.id], [now], status, has_played=stats is not None
        )


def samples_of(
    week: Week, ledger: Ledger, team_format: Format, matchups: int, random: Random
) -> list[Sample]:
    """Play matchups of random line-ups through a week; a sample of each after every drive."""
    expected = ledger.expectations(week.number)
    clubs = {club for game in week.games for club in (game.home.id, game.away.id)}
    available = [
        player
        for player in ledger.season.players.values()
        if player.club in clubs and player.id in expected
    ]
    sheets = draw_sheets(random, team_format, available, expected, 2 * matchups)
    now = _Evening(week, ledger, expected, {pick for sheet in sheets for pick in sheet.picks})
    positions = {player.id: player.position for player in now.players}

    def teams() -> tuple[list[ProjectedTeam], dict[str, projecting.Projection]]:
        projections = now.projections()
        return projected_teams(team_format, sheets, projections, positions, {}), projections

    taken: list[list[tuple[float, int, float]]] = [[] for _ in range(matchups)]
    for _ in _drives(week, now):
        projected, projections = teams()
        variances = {player: projection.variance for player, projection in projections.items()}
        left = [_left(team, projections) for team in projected]
        for number in range(matchups):
            first, second = projected[2 * number], projected[2 * number + 1]
            chance = chances.win_chance(first.side, second.side, variances)
            share = (left[2 * number] + left[2 * number + 1]) / 2
            taken[number].append((chance, first.scored - second.scored, share))
    final, _ = teams()
    samples = []
    for number, moments in enumerate(taken):
        lead = final[2 * number].points - final[2 * number + 1].points
        result = 0.5 if not lead else float(lead > 0)
        samples += [Sample(chance, lead, left, result) for chance, lead, left in moments if left]
    return samples


def _drives(week: Week, now: _Evening) -> Iterator[None]:
    """Before the first play and after each drive: whenever a game has another club on the ball."""
    yield
    possession: dict[str, str] = {}
    for moment in week.moments:
        now.take(moment)
        snap = moment.clock
        if snap is not None and possession.get(moment.game_id) != snap.possession:
            possession[moment.game_id] = snap.possession
            yield


def _left(team: ProjectedTeam, projections: Mapping[str, projecting.Projection]) -> float:
    counting = [pick for pick, times in zip(team.picks, team.multipliers, strict=True) if times]
    return sum(projections[pick].games_left for pick in counting) / len(counting)


def brier(pairs: Sequence[tuple[float, float]]) -> float:
    """The Brier score of chances and results."""
    return sum((chance - result) ** 2 for chance, result in pairs) / len(pairs)


def log_loss(pairs: Sequence[tuple[float, float]]) -> float:
    """The log loss of chances and results."""
    total = 0.0
    for chance, result in pairs:
        certain = min(max(chance, LEAST), 1 - LEAST)
        total -= result * log(certain) + (1 - result) * log(1 - certain)
    return total / len(pairs)


def by_lead(sample: Sample, scale: float) -> float:
    """The chance by the lead and the time left alone."""
    return 0.5 * (1 + erf(sample.lead / (scale * sqrt(2 * sample.left))))


def held_out(season: Season, random: Random, *, fitting: bool) -> list[tuple[Week, list[Week]]]:
    """The weeks to score, each with the weeks before it.

    Of a season of two weeks, the games of the second are divided at random: one half is for
    fitting. Of a longer one the first weeks are.
    """
    if len(season.weeks) > SHORT:
        chosen = [
            number
            for number in range(SHORT, len(season.weeks))
            if (number < FIRST_HELD_OUT) == fitting
        ]
        return [(season.weeks[number], list(season.weeks[:number])) for number in chosen]
    *before, last = season.weeks
    games = list(last.games)
    random.shuffle(games)
    half = games[: len(games) // 2] if fitting else games[len(games) // 2 :]
    ids = {game.id for game in half}
    part = Week(
        last.number, tuple(half), tuple(m for m in last.moments if m.game_id in ids), last.injured
    )
    return [(part, before)]


def all_samples(season: Season, matchups: int, seed: int, *, fitting: bool) -> list[Sample]:
    """Samples of all worlds of the fitting part or of the held-out part."""
    samples = []
    for format_name, rules in WORLDS:
        for week, before in held_out(season, _random(seed), fitting=fitting):
            ledger = Ledger(PRESETS[rules], season)
            for earlier in before:
                ledger.add(earlier)
            random = _random(f"{seed} {week.number} {format_name}")
            samples += samples_of(week, ledger, FORMATS[format_name], matchups, random)
    return samples


def points_error(season: Season, seed: int) -> float:
    """The root of the mean squared error of the points before a game, on the fitting part."""
    errors = []
    for _, rules in WORLDS:
        for week, before in held_out(season, _random(seed), fitting=True):
            ledger = Ledger(PRESETS[rules], season)
            for earlier in before:
                ledger.add(earlier)
            expected = ledger.expectations(week.number)
            after = Ledger(PRESETS[rules], season)
            after.add(week)
            for player, weeks in after.earned.items():
                if player in expected and expected[player].points > 0:
                    errors.append((weeks[week.number] - expected[player].points) ** 2)
    return sqrt(sum(errors) / len(errors)) / 1000


def show(season: Season, samples: Sequence[Sample], scale: float) -> None:
    """Print the scores of the samples, and the table of reliability."""
    pairs = [(sample.chance, sample.result) for sample in samples]
    even = [(0.5, sample.result) for sample in samples]
    lead = [(by_lead(sample, scale), sample.result) for sample in samples]
    print(f"\n{season.title}: {len(samples):,} chances of held-out games\n")
    print("| chance | Brier score | log loss |\n|---|---|---|")
    for name, scored in (
        ("ours", pairs),
        ("by lead and time left", lead),
        ("always even", even),
    ):
        print(f"| {name} | {brier(scored):.4f} | {log_loss(scored):.4f} |")
    print(
        "\n| games left | chances | Brier, ours | Brier, by lead | Brier, even |\n"
        "|---|---|---|---|---|"
    )
    for name, low, high in PHASES:
        part = [n for n, sample in enumerate(samples) if low < sample.left <= high]
        if part:
            scores = [brier([scored[n] for n in part]) for scored in (pairs, lead, even)]
            print(f"| {name} | {len(part):,} | " + " | ".join(f"{s:.4f}" for s in scores) + " |")
    print("\n| chance | how often | mean chance | won |\n|---|---|---|---|")
    for number in range(BINS):
        inside = [pair for pair in pairs if min(int(pair[0] * BINS), BINS - 1) == number]
        if inside:
            mean = sum(chance for chance, _ in inside) / len(inside)
            won = sum(result for _, result in inside) / len(inside)
            low, high = number / BINS, (number + 1) / BINS
            print(f"| {low:.0%} to {high:.0%} | {len(inside):,} | {mean:.1%} | {won:.1%} |")


def fit_constants(season: Season, seed: int) -> None:
    """Print what other constants would give on the fitting part."""
    print("\n| prior games | decay | error of points before a game |\n|---|---|---|")
    for prior in PRIORS:
        for decay in DECAYS if len(season.weeks) > SHORT else (projecting.DECAY,):
            with (
                patch.object(projecting, "PRIOR_GAMES", prior),
                patch.object(projecting, "DECAY", decay),
            ):
                print(f"| {prior} | {decay} | {points_error(season, seed):.3f} |")


def fitted_scale(season: Season, matchups: int, seed: int) -> float:
    """The constant of `by_lead` with the least log loss on the fitting part."""
    samples = all_samples(season, matchups, seed, fitting=True)
    return min(
        LEADS,
        key=lambda scale: log_loss([(by_lead(sample, scale), sample.result) for sample in samples]),
    )


def print_typical(season: Season) -> None:
    """Print the mean stat line of each position in the first week, for 100 games."""
    lines: dict[str, Mapping[str, int] | None] = {}
    for moment in season.weeks[0].moments:
        lines |= moment.changed
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    games: Counter[str] = Counter()
    for player, stats in lines.items():
        if stats and player in season.players:
            family = projecting.family_of(season.players[player].position)
            sums[family].update(stats)
            games[family] += 1
    for family, total in sorted(sums.items()):
        hundred = {
            stat: round(100 * amount / games[family]) for stat, amount in sorted(total.items())
        }
        print(family, games[family], {stat: n for stat, n in hundred.items() if n})
    for _, rules in WORLDS:
        ledger = Ledger(PRESETS[rules], season)
        ledger.add(season.weeks[0])
        for family, figures in sorted(ledger.figures().items()):
            print(
                f"{rules} {family}: mean {figures.mean / 1000:.2f}, deviation "
                f"{sqrt(figures.variance) / 1000:.2f}"
            )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=Path, help="a folder with pbp/*.csv.gz")
    parser.add_argument("--matchups", type=int, default=400, help="per week and format")
    parser.add_argument("--seed", type=int, default=1869)
    parser.add_argument("--fit", action="store_true", help="try other constants")
    parser.add_argument("--typical", action="store_true", help="print typical stat lines")
    options = parser.parse_args()
    if options.games:
        season = real_season(options.games)
    else:
        season = simulated_season(options.seed, SIMULATED_WEEKS)
    if options.typical:
        print_typical(season)
        return
    if options.fit:
        fit_constants(season, options.seed)
    scale = fitted_scale(season, options.matchups, options.seed)
    show(season, all_samples(season, options.matchups, options.seed, fitting=False), scale)


if __name__ == "__main__":
    main()
