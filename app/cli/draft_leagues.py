"""`pressbox draft-league`: play the whole season of a draft league."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from app.cli.shared import application, progress


@click.group("draft-league")
def draft_league() -> None:
    """Draft leagues."""


@draft_league.command("play-season")
@click.option(
    "--seed",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="The same seed gives the same season.",
)
@click.option(
    "--type",
    "preset",
    type=click.Choice(["redraft", "dynasty", "two-quarterback", "idp", "best-ball"]),
    default="redraft",
    show_default=True,
)
@click.option("--teams", type=click.IntRange(2, 32), help="Default: the usual number for the type.")
@click.option(
    "--draft",
    type=click.Choice(["snake", "third_round_reversal", "linear", "auction", "offline"]),
)
@click.option(
    "--waivers", type=click.Choice(["rolling", "reverse_standings", "blind_bids", "free"])
)
@click.option(
    "--review", type=click.Choice(["none", "commissioner", "vote"]), help="Who can stop a trade."
)
@click.option("--divisions", type=click.IntRange(0, 8), default=0, show_default=True)
@click.option("--median-game", is_flag=True, help="Every team also plays the league median.")
@click.option("--regular-weeks", type=click.IntRange(1, 30), default=14, show_default=True)
@click.option(
    "--schedule",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Use this real schedule (nflverse's games.csv) instead of the demo clubs'.",
)
@click.option(
    "--games",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of real games: players.csv, pbp/GAME.csv.gz and play_stats/GAME.csv.gz.",
)
def play_season(seed: int, schedule: Path | None, games: Path | None, **league: Any) -> None:
    """Play a season of a draft league from its founding to the champion, and print the results.

    Members draft, claim, trade and line up; the league's commissioner reviews. With --schedule and
    --games, games of the folder are played as they were and the others are simulated with the real
    clubs. The season has its own competition and its own clock. It is refused while worker
    processes run, which would process the league's waivers by the real clock.
    """
    from app.demo.draft_season import games as season_games
    from app.demo.draft_season.options import LeagueOptions
    from app.demo.draft_season.results import result_lines
    from app.demo.draft_season.run import SeasonPlan, play, weeks_of
    from app.ops.health import is_running

    if (schedule is None) != (games is None):
        raise click.UsageError("--schedule and --games go together: give both, or none.")
    began = time.monotonic()
    settings = LeagueOptions(**league).settings()
    if schedule is not None and games is not None:
        files = season_games.RealFiles(
            schedule, games / "players.csv", tuple(sorted((games / "pbp").glob("*.csv*")))
        )
        of_season = season_games.real_games(seed, files)
    else:
        of_season = season_games.simulated_games(seed, weeks_of(settings))
    with application():
        if is_running("scheduler"):
            raise click.ClickException(
                "Worker processes are running and would process the league's waivers by the real "
                "clock: stop them, or play in another data folder (PRESSBOX_VAR)."
            )
        done = play(SeasonPlan(seed, settings, of_season), lambda text: progress(text, end=True))
        click.echo("\n".join(result_lines(done.league_id)))
    acts = ", ".join(f"{count} {kind}" for kind, count in sorted(done.done.items()))
    refused = ", ".join(f"{count} {kind}" for kind, count in sorted(done.refused.items()))
    progress(f"Counted: {acts}", end=True)
    progress(f"Refused: {refused or 'nothing'}", end=True)
    progress(
        f"{done.real_games} real and {done.games - done.real_games} simulated games in "
        f"{time.monotonic() - began:.0f} s",
        end=True,
    )
