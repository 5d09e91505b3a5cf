"""Records what Pressbox answers, or compares two recordings.

    python -m tests.golden record var/golden/before
    python -m tests.golden compare var/golden/before var/golden/after

A recording is a folder of texts. The clock stands still while it is made, so two recordings of the
same behaviour are equal. See README.md beside this file.
"""

from __future__ import annotations

import shutil
import sys
from difflib import unified_diff
from pathlib import Path

import click

from tests.golden import cli_output, games, site, tables, typed_game
from tests.golden.world import frozen_clock, repeatable_ids, stores

PARTS = {
    "site": site.record,
    "tables": tables.record,
    "games": games.record,
    "cli": cli_output.record,
}
TYPED_GAME = "typed_game"  # needs a browser and processes of its own, whose clock goes on
CONTEXT_LINES = 3


@click.group()
def golden() -> None:
    """Golden files: what Pressbox answers, before and after a change that must not change it."""


@golden.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--part", "parts", multiple=True, type=click.Choice([*PARTS, TYPED_GAME]), help="Default: all."
)
def record(folder: Path, parts: tuple[str, ...]) -> None:
    """Write a recording into FOLDER. Parts that are recorded again replace the old ones."""
    chosen = parts or (*PARTS, TYPED_GAME)
    with frozen_clock(), stores() as app:
        for name, record_part in PARTS.items():
            if name in chosen:
                with repeatable_ids():
                    record_part(app, _empty_folder(folder / name))
                click.echo(f"{name} is recorded")
    if TYPED_GAME in chosen:
        typed_game.record(_empty_folder(folder / TYPED_GAME))
        click.echo(f"{TYPED_GAME} is recorded")


def _empty_folder(folder: Path) -> Path:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder


@golden.command()
@click.argument("old", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("new", type=click.Path(exists=True, file_okay=False, path_type=Path))
def compare(old: Path, new: Path) -> None:
    """Print the differences between two recordings; exit with 1 if there are any."""
    names = sorted({path.relative_to(root) for root in (old, new) for path in root.rglob("*.txt")})
    differing = 0
    for name in names:
        before, after = (_lines(root / name) for root in (old, new))
        if before == after:
            continue
        differing += 1
        sys.stdout.writelines(
            unified_diff(before, after, f"old/{name}", f"new/{name}", n=CONTEXT_LINES)
        )
    click.echo(f"{len(names)} files, {differing} differ")
    if differing or not names:
        sys.exit(1)


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines(keepends=True) if path.exists() else []


if __name__ == "__main__":
    golden()
