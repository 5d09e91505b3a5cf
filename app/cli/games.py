"""Commands that import games, play them into the record, and print their results."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from app.cli.shared import application, print_table, progress, until_ingested
from app.core.plurals import counted
from app.record.script import GameScript, Variant


@click.group("import")
def import_group() -> None:
    """Bring in games from public formats."""


@import_group.command("pbp")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--play-stats",
    type=click.Path(path_type=Path),
    help=(
        "Official play_stats file (default: play_stats/GAME.csv.gz beside the pbp folder, if "
        "there)."
    ),
)
def import_pbp(files: tuple[Path, ...], play_stats: Path | None) -> None:
    """Import nflscrapR or nflverse play-by-play FILES (csv or csv.gz).

    Then use `pressbox replay GAME_ID`.

    A corrections.csv beside them (or beside their folder) says how plays were first called: `replay
    --as-called`.
    """
    from app.record.club_ids import stored_club_id
    from app.record.play_by_play import read_games
    from app.record.services import store_script

    with application(audited=True):
        for script in read_games(files, play_stats, club_id=stored_club_id):
            store_script(script)
            click.echo(
                f"{script.game_id}  {script.away.id} at {script.home.id}  "
                f"{counted(len(script.events), 'event')}, "
                f"{counted(len(script.footballers), 'player')}" + _first_called(script)
            )
            for line in script.left_out:
                click.echo(f"  not replayed as first called: {line}", err=True)


_competition = click.option(
    "--competition", default="nfl", show_default=True, help="The competition of these seasons."
)
_before = click.option(
    "--deadline-before",
    type=click.IntRange(0, 7 * 24 * 60),
    default=0,
    show_default=True,
    help="Minutes from a gameweek's deadline to its first kickoff.",
)


@import_group.command("rosters")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--season",
    type=click.IntRange(1869, 2200),
    required=True,
    help="The season whose rosters to import.",
)
@_competition
def import_rosters(file: Path, season: int, competition: str) -> None:
    """Put the footballers of a roster FILE on the season's market.

    FILE is nflverse's roster_YYYY.csv or players.csv. A newer file brings clubs, positions and
    status up to date. Prices stay; who is new starts by position and the points of last season.
    """
    from app.fantasy.season_setup.importing import import_roster
    from app.fantasy.season_setup.rosters import read_roster

    roster = read_roster(file, season)
    with application(audited=True):
        done = import_roster(roster, competition)
    click.echo(
        f"{counted(done.footballers, 'player')} of {counted(len(roster.clubs), 'club')}; "
        f"{done.on_market} available to pick in {season}, {done.new} of them new"
        + (f"; {done.left} have left" if done.left else "")
    )
    if roster.nameless:
        click.echo(f"Rows without an ID left out: {roster.nameless}.", err=True)
    _tell(done.unjoined.lines)


@import_group.command("injuries")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--season",
    type=click.IntRange(1869, 2200),
    required=True,
    help="The season of the injury reports.",
)
@_competition
def import_injuries(file: Path, season: int, competition: str) -> None:
    """Bring in the league's injury reports from FILE.

    FILE is nflverse's injuries_YYYY.csv. Players are questionable, doubtful or out by the newest
    report of their club. Import the season's rosters first.
    """
    from app.fantasy.season_setup.injuries import read_injuries
    from app.fantasy.season_setup.storing_injuries import import_injuries as store

    reports = read_injuries(file, season)
    with application(audited=True):
        imported = store(reports, competition)
    click.echo(
        f"{imported.rows} rows of injury reports, {imported.new} of them new or changed; "
        f"{imported.statuses} players changed status"
    )
    for status in reports.unknown_statuses:
        click.echo(f"  The report status {status!r} is unknown and changes nothing.", err=True)
    _tell(imported.unjoined)


@import_group.command("player-weeks")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@_competition
def import_player_weeks(files: tuple[Path, ...], competition: str) -> None:
    """Bring in weekly statistics of earlier seasons from FILES, for rankings and projections.

    FILES are nflverse's stats_player_week_YYYY.csv (until 2024 player_stats_YYYY.csv), of the last
    three seasons if you can. A season is replaced by what the files have of it. docs/rankings.md
    says what follows from them.
    """
    from app.fantasy.season_setup.player_weeks import read_player_weeks
    from app.fantasy.season_setup.player_weeks_importing import import_player_weeks as store

    seasons = read_player_weeks(files)
    with application(audited=True):
        for done in store(seasons, competition):
            click.echo(
                f"{done.season}: {counted(done.lines, 'line')} of {done.players} players and "
                f"defenses, {done.unknown} of whom are on no roster here"
            )
            if done.nameless:
                click.echo(f"Rows without an ID left out: {done.nameless}.", err=True)


@import_group.command("schedule")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--season",
    "seasons",
    type=click.IntRange(1869, 2200),
    multiple=True,
    help="Only this season; can be repeated (default: all in the file).",
)
@_competition
@_before
def import_schedule(
    file: Path, seasons: tuple[int, ...], competition: str, deadline_before: int
) -> None:
    """Make seasons, gameweeks and games from a schedule FILE.

    FILE is nflverse's games.csv, whose times are Eastern. A newer file brings gameweeks, kickoffs
    and deadlines up to date, except of gameweeks that have locked. Games that are no longer in it
    stay, and are listed. A column `status` says which games are postponed, suspended, cancelled or
    forfeited; that goes into their record.
    """
    from app.core import clock
    from app.fantasy.season_setup.importing import import_schedule as store
    from app.fantasy.season_setup.schedule import read_schedule
    from app.fantasy.season_setup.storing import left_lines
    from scorer_console.games.declaring import declare

    schedule = read_schedule(file, seasons)
    declares = any(
        game.status
        for season in schedule.seasons
        for week in season.weeks
        for game in week.fixtures
    )
    with application(processes=declares, audited=True):
        for done in store(schedule, competition, timedelta(minutes=deadline_before)):
            click.echo(
                f"{done.name}: {counted(done.gameweeks, 'week')}, {counted(done.games, 'game')}, "
                f"{done.new} of them new"
            )
            if done.unchanged:
                click.echo(f"  left where an operator moved them: {', '.join(done.unchanged)}")
            for moved in done.rescheduled:
                click.echo(f"  {moved.game_id}: from week {moved.week_before} to week {moved.week}")
            _tell([*left_lines(done.left), *done.unjoined.lines])
            for game_id, status in done.declared:
                number = declare(game_id, status, "Changed by the schedule", clock.now())
                until_ingested(game_id, number)
                click.echo(f"  {game_id}: {status}")


@import_group.command("soccer")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--competition", required=True, help="Competition, e.g. premier-league.")
@click.option("--season", type=click.IntRange(1869, 2200), required=True)
@click.option(
    "--time-zone",
    default="Europe/London",
    show_default=True,
    help="Time zone of the season, and of kickoffs that have none.",
)
@click.option(
    "--format",
    type=click.Choice(["soccer", "soccer-five"]),
    default="soccer",
    show_default=True,
    help="Roster format of the league that everyone is in, for a new season.",
)
@_before
def import_soccer(files: tuple[Path, ...], deadline_before: int, **season: Any) -> None:
    """Bring in soccer from FILES (csv or json): footballers, fixtures and stat lines.

    Points follow at once. docs/soccer.md has the columns. The same files again change nothing;
    newer ones bring everything up to date.
    """
    from app.core import clock
    from app.fantasy.gameweeks import live
    from app.fantasy.market.deadlines import BadDeadlineError, zone
    from app.fantasy.season_setup.soccer import read_soccer
    from app.fantasy.season_setup.soccer_importing import SoccerSeason
    from app.fantasy.season_setup.soccer_importing import import_soccer as store
    from app.fantasy.season_setup.storing import left_lines

    try:
        contents = read_soccer(files, zone(season["time_zone"]))
    except BadDeadlineError as error:
        raise click.BadParameter(str(error), param_hint="--time-zone") from error
    before = timedelta(minutes=deadline_before)
    with application(audited=True):
        soccer_season = SoccerSeason(
            season["competition"], season["season"], season["time_zone"], season["format"], before
        )
        done = store(contents, soccer_season, clock.now())
        for game_id in done.games:
            live.refresh_game(game_id, clock.now())
    click.echo(
        f"{done.name}: {counted(done.footballers, 'player')}, {counted(done.fixtures, 'fixture')}, "
        f"{counted(done.lines, 'stat line')}; games changed: {len(done.games)}"
    )
    _tell([*left_lines(done.stored.left), *done.unjoined.lines])


def _first_called(script: GameScript) -> str:
    if script.as_called is None:
        return ""
    return f", {len(script.as_called)} events as first called"


def _tell(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(f"  {line}", err=True)


@click.command()
@click.argument("game_id")
@click.option(
    "--speed",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="Speed, as a multiple of real time.",
)
@click.option("--fast", is_flag=True, help="Play it as fast as possible.")
@click.option(
    "--as-called", is_flag=True, help="Enter each play as first called, then its correction."
)
@click.option(
    "--from-archive",
    is_flag=True,
    help="Use the archived messages with their numbers, if the database was lost.",
)
def replay(game_id: str, speed: float, fast: bool, as_called: bool, from_archive: bool) -> None:
    """Play an imported or simulated game into the record, like a scorer would.

    Twice changes nothing.
    """
    with application(processes=True, audited=True):
        if from_archive:
            _play_archive(game_id)
        else:
            _play(game_id, None if fast else speed, "as_called" if as_called else "final")


def _play_archive(game_id: str) -> None:
    from app.core import clock
    from app.core.blob_store import blob_store
    from app.record.recovery import recover

    progress(f"{game_id}: reading the archive")
    total = recover(blob_store(), game_id, clock.now())
    progress(f"{game_id}: {total} events are in the outbox again", end=True)
    until_ingested(game_id, total)


@click.command()
@click.option(
    "--seed", type=int, default=1, show_default=True, help="The same seed gives the same game."
)
@click.option(
    "--speed",
    type=click.FloatRange(min=0, min_open=True),
    help="Speed, as a multiple of real time (default: all at once).",
)
def simulate(seed: int, speed: float | None) -> None:
    """Make up a whole game of two demo clubs and play it into the record."""
    from app.core import clock
    from app.demo.seed import simulated_game
    from app.record.services import store_script

    script = simulated_game(seed, clock.now())
    with application(processes=True, audited=True):
        store_script(script)
        click.echo(f"Game {script.game_id}: {script.away.name} at {script.home.name}", err=True)
        _play(script.game_id, speed)


def _play(game_id: str, speed: float | None, variant: Variant = "final") -> None:
    from scorer_console.record.replay import replay as steps

    total = 0
    for entered in steps(game_id, variant, speed=speed):
        total = entered.total
        progress(f"{game_id}: {entered.done} of {total} events accepted")
    until_ingested(game_id, total)


@click.command()
@click.argument("game_id")
@click.option("--rules", default="standard", show_default=True, help="standard, half_ppr, ppr, ...")
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated output, for programs.")
def points(game_id: str, rules: str, as_csv: bool) -> None:
    """Fantasy points of every player with a stat line in GAME_ID."""
    from app.fantasy.scoring.export import POINTS_COLUMNS, points_rows
    from app.fantasy.scoring.rules import PRESETS

    if rules not in PRESETS:
        raise click.ClickException(
            f"There are no rules {rules!r}. Choose one of {', '.join(sorted(PRESETS))}."
        )
    with application():
        print_table(POINTS_COLUMNS, points_rows(game_id, rules), as_csv)


@click.command()
@click.argument("game_id")
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated output, for programs.")
def stats(game_id: str, as_csv: bool) -> None:
    """Stat lines of every player in GAME_ID."""
    from app.fantasy.scoring.export import STATS_COLUMNS, stats_rows

    with application():
        print_table(STATS_COLUMNS, stats_rows(game_id), as_csv)
