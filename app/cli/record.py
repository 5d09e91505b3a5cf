"""Commands that read the record: named queries with their plans, and exports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.shared import application, print_table
from app.core.errors import UserError

if TYPE_CHECKING:
    from flask import Flask

    from app.record.pages.reading import Reading

QUERIES = ("rushing-yards", "passing-yards", "solo-tackles", "touchdowns")


def _require_game(game_id: str) -> None:
    from app.record.queries import game

    if game(game_id) is None:
        raise UserError(_no_game(game_id))


def _no_game(game_id: str) -> str:
    return f"There is no game {game_id}. See /games for all games, or import it first."


@click.command()
@click.argument("name", type=click.Choice(QUERIES))
@click.argument("game_id")
@click.argument("player_id", required=False)
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated output, for programs.")
def query(name: str, game_id: str, player_id: str | None, as_csv: bool) -> None:
    """Ask a named query about GAME_ID: of PLAYER_ID, or of everybody without one."""
    from app.record import named_queries as ask
    from app.record.queries import names

    with application():
        _require_game(game_id)
        if name == "touchdowns":
            if player_id is not None:
                raise click.UsageError("touchdowns covers a whole game. Leave PLAYER_ID out.")
            print_table(*_touchdown_table(game_id), as_csv)
            return
        if name == "solo-tackles":
            tackles_by_player = ask.solo_tackles_by_player(game_id, player_id)
            rows = {
                player: [str(tackles.official), str(tackles.alone)]
                for player, tackles in tackles_by_player.items()
            }
            columns, none = ["solo_tackles", "alone"], ["0", "0"]
        else:
            by_player = (
                ask.rushing_yards_by_player
                if name == "rushing-yards"
                else ask.passing_yards_by_player
            )
            rows = {player: [str(yards)] for player, yards in by_player(game_id, player_id).items()}
            columns, none = [name.replace("-", "_")], ["0"]
        if player_id is not None:
            rows = {player_id: rows.get(player_id, none)}
        player_names = names(rows)
        print_table(
            ["game_id", "player_id", "player_name", *columns],
            [
                [game_id, player, player_names.get(player, player), *cells]
                for player, cells in rows.items()
            ],
            as_csv,
        )


def _touchdown_table(game_id: str) -> tuple[list[str], list[list[str]]]:
    from datetime import UTC, datetime

    from app.record.named_queries import touchdowns
    from app.record.queries import names
    from app.record.words import clock_words, period_words

    scores = touchdowns(game_id)
    player_names = names(
        {player for score in scores for player in (score.scorer_id, score.passer_id) if player}
    )
    rows = []
    for score in scores:
        start = clock = ""
        if score.start_timestamp is not None:
            moment = datetime.fromtimestamp(score.start_timestamp / 1000, UTC)
            start = moment.isoformat(timespec="milliseconds")
        if score.period is not None and score.clock is not None:
            clock = f"{period_words(score.period)} {clock_words(score.clock)}"
        row = [start, clock, str(score.play_number), score.team, score.kind]
        for player in (score.scorer_id or "", score.passer_id or ""):
            row += [player, player_names.get(player, player)]
        rows.append(row)
    columns = [
        "start",
        "clock",
        "play",
        "team",
        "kind",
        "scorer_id",
        "scorer_name",
        "passer_id",
        "passer_name",
    ]
    return columns, rows


@click.command("query-plans")
@click.option(
    "--to",
    "folder",
    default="docs",
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
)
def query_plans(folder: Path) -> None:
    """Write queries.md and fantasy-queries.md: statements with PostgreSQL's chosen indexes."""
    from app.plans import fantasy, record

    with application():
        for name, document in (
            ("queries.md", record.document()),
            ("fantasy-queries.md", fantasy.document()),
        ):
            (folder / name).write_text(document)
            click.echo(folder / name)


@click.command()
@click.argument("game_id")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["csv", "zip", "json", "xml", "book"]),
    default="csv",
    show_default=True,
    help="csv: nflverse-style play-by-play; zip: box score as CSV files; json: everything; "
    "xml: for college software; book: a game book to print (HTML).",
)
@click.option(
    "--at",
    default="",
    help="Show the game as of an event number, a game clock (Q2-12:31) or a time.",
)
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path),
    help="Output file (default: standard output).",
)
def export(game_id: str, kind: str, at: str, target: Path | None) -> None:
    """Write GAME_ID out as CSV, a ZIP of CSV files, JSON, XML or a game book."""
    from app.core import clock
    from app.record.pages.exports import downloads as make
    from app.record.pages.exports.college_xml import college_xml
    from app.record.pages.reading import read
    from app.record.queries import game, jerseys
    from app.stream.signing import StreamKeys

    with application(pages=kind == "book") as app:
        row = game(game_id)
        if row is None:
            raise UserError(_no_game(game_id))
        reading = read(row, at)
        text: str | bytes
        if kind == "csv":
            text = make.game_csv(reading)
        elif kind == "zip":
            text = make.game_zip(reading)
        elif kind == "xml":
            text = college_xml(reading, jerseys(reading.names), clock.now())
        else:
            seal = make.sealed(reading, StreamKeys.of(app.config["PRESSBOX"]))
            text = (
                make.game_json_text(reading, seal) if kind == "json" else _book(app, reading, seal)
            )
    if target is None:
        click.echo(text, nl=False)
    else:
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        click.echo(target, err=True)


def _book(app: Flask, reading: Reading, seal: str) -> str:
    """Render the game book as one self-contained file."""
    from flask import render_template

    from app.record.pages.exports.downloads import game_book

    css = (Path(app.static_folder or "static") / "css" / "paper.css").read_text()
    with app.test_request_context():
        return render_template("games/book.html", book=game_book(reading, seal), styles=css)
