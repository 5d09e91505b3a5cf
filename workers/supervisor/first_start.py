"""What an installation starts with: the demo, a real season, or an empty site.

`start.json` in the data folder remembers it, so that the next `pressbox up` goes on with the same.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace

from app.core.atomic_files import write_whole
from app.embedded.stack import StackError, prepare_folder
from app.settings import Settings

DEMO, SEASON, EMPTY = "demo", "season", "empty"
KINDS = (DEMO, SEASON, EMPTY)


@dataclass(frozen=True)
class FirstStart:
    """What an installation starts with.

    Attributes:
        kind: One of KINDS.
        season: The year of a real season.
        folder: Where its files are read; empty for the internet.
        is_prepared: Whether its feeds have been added. They are not added again, because an
            operator may have removed one.
        is_remembered: Whether later starts go on with it.
    """

    kind: str
    season: int = 0
    folder: str = ""
    is_prepared: bool = False
    is_remembered: bool = False

    @property
    def is_demo(self) -> bool:
        """Whether the demo season is seeded and played."""
        return self.kind == DEMO

    def prepare_arguments(self) -> list[str]:
        """Return what `pressbox prepare` has to do for it."""
        if self.is_demo:
            return ["--demo"]
        if self.kind == SEASON and not self.is_prepared:
            return ["--follow", str(self.season), *(["--from", self.folder] if self.folder else [])]
        return []


def is_new(settings: Settings) -> bool:
    """Whether nothing has been started with these settings before.

    A database of one's own is never new, because only its server knows what it holds.
    """
    return not settings.database_url and not (settings.var / "postgres").exists()


def remembered(settings: Settings) -> FirstStart | None:
    """Return what this data folder was started with, or None.

    Raises:
        StackError: The file cannot be read.
    """
    path = settings.var / "start.json"
    try:
        start = FirstStart(**json.loads(path.read_text()), is_remembered=True)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise StackError(
            f"{path} cannot be read ({error}): delete it, then choose what to start with: "
            "`pressbox up --start demo`, `season` or `empty`."
        ) from error
    return start


def remember(settings: Settings, start: FirstStart) -> None:
    """Write what later starts go on with, if this one is to be remembered.

    Raises:
        StackError: The data folder cannot be written.
    """
    if not start.is_remembered:
        return
    prepare_folder(settings.var.resolve())
    values = {name: value for name, value in asdict(start).items() if name != "is_remembered"}
    write_whole(settings.var / "start.json", json.dumps(values))


def prepared(start: FirstStart) -> FirstStart:
    """Return the start after its preparation has ended."""
    return replace(start, is_prepared=True)
