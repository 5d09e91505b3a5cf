"""The chapters of the rulebooks: the shipped rulebooks.toml and an installation's own file.

Reads and checks them. What a season makes of a chapter is in rulebook.py.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from app.core.atomic_files import read_file
from app.core.errors import UserError

MOST_BYTES = 1024 * 1024
SHIPPED = "rulebooks.toml"
# Whose foul it is: of the club with the ball at the snap, of the other one, or of either.
Side = Literal["offence", "defence", "either"]
# From where it is walked off when the play stands: where the ball was snapped, where the foul was
# (the end of the run when nobody has said), where the play ended. A dead-ball foul comes after the
# play, whose down counts.
Basis = Literal["previous", "foul", "end", "dead"]


class FoulRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A foul of one side as a chapter has it."""

    side: Side
    yards: Annotated[int, msgspec.Meta(ge=0, le=50)]
    basis: Basis
    first_down: bool = False
    loss_of_down: bool = False
    before_snap: bool = False
    on_passer: bool = False
    stops_at: Annotated[int, msgspec.Meta(ge=0, le=50)] = 0


class Chapter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chapter of rules.

    `names`: patterns of the competitions that play by it, besides its own name. `like` and
    `season`: it equals that season of another chapter; else `changes` say what is new from a season
    on, and `fouls` are listed by name.
    """

    title: str
    names: list[str] = []
    like: str | None = None
    season: int | None = None
    changes: list[dict[str, Any]] = []
    fouls: dict[str, list[FoulRow]] = {}


def shipped() -> dict[str, Chapter]:
    """The chapters that come with Pressbox."""
    return read(resources.files(__package__).joinpath(SHIPPED).read_text(), SHIPPED)


def own(path: Path) -> dict[str, Chapter]:
    """The chapters of an installation's own file.

    Raises UserError if it cannot be read or understood.
    """
    try:
        text = read_file(path, MOST_BYTES).decode()
    except (UserError, UnicodeDecodeError) as error:
        raise UserError(f"RULEBOOKS_FILE={path}: cannot be read ({error})") from None
    return read(text, f"RULEBOOKS_FILE={path}")


def read(text: str, where: str) -> dict[str, Chapter]:
    """Chapters by name.

    Raises UserError with `where`, the chapter, and what is wrong there.
    """
    try:
        tables = tomllib.loads(text)
    except ValueError as error:  # that it is no TOML, or that a number has too many digits
        raise UserError(f"{where}: cannot be read as TOML ({error})") from None
    chapters = {}
    for name, table in tables.items():
        try:
            chapter = msgspec.convert(table, Chapter)
        except msgspec.ValidationError as error:
            raise UserError(f"{where}: chapter {name}: {error}") from None
        if (chapter.like is None) == (not chapter.changes) or (chapter.like is None) != (
            chapter.season is None
        ):
            raise UserError(
                f"{where}: chapter {name}: needs either `changes`, or `like` and `season`"
            )
        for change in chapter.changes:
            if not isinstance(change.get("from"), int):
                raise UserError(
                    f"{where}: chapter {name}: each of `changes` needs `from`, a season such as "
                    "2024"
                )
        chapters[name] = chapter
    return chapters


def chapter_of(competition: str, chapters: Mapping[str, Chapter]) -> str | None:
    """The chapter that a competition plays by, or None.

    A chapter of its own comes first, then the first one whose `names` match.
    """
    if competition in chapters:
        return competition
    return next(
        (
            name
            for name, chapter in chapters.items()
            if any(fnmatchcase(competition, pattern) for pattern in chapter.names)
        ),
        None,
    )
