"""Display names of players on boards: from the board's Redis hash, else PostgreSQL (PRODUCT E5)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from app.accounts.players import names_of
from app.boards.services import Reading

KEEP_SECONDS = 600  # a rename writes the new name there (scores/standings/placing.py: show_name)
UNKNOWN = "Unknown player"


def display_names(
    reading: Reading, members: Collection[str], known: Mapping[str, str]
) -> dict[str, str]:
    """Return each member's name; `known` names came with the page and are not looked up again.

    A page whose names are cached in Redis needs no SQL; other names are cached for the next page.
    """
    names = dict(known)
    if missing := {member for member in members if member not in names}:
        names |= reading.remembered(missing)
    if missing := {member for member in members if member not in names}:
        fresh = {
            str(player): name
            for player, name in names_of([UUID(member) for member in missing]).items()
        }
        reading.remember(fresh, KEEP_SECONDS)
        names |= fresh
    return {member: names.get(member, UNKNOWN) for member in members}
