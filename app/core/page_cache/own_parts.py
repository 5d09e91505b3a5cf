"""Own parts: what differs between the viewers of a shared page, filled in for each of them.

A page that shows everybody something of their own (their team first in a list) is rendered once
too: the own parts are placeholders. The data of everybody is kept with the page; the data of each
member who has some is a field of a hash in Redis. A function, registered by name, fills the
placeholders with both. It runs in the event loop as well, so it must neither wait nor need a
request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from flask import Flask

if TYPE_CHECKING:
    from app.core.page_cache.tags import OwnData

EVERYBODY = "all"  # the field of the hash with the data of everybody
OWN_PARTS = "own_parts"  # key in app.extensions

Fillings = Mapping[str, Callable[[], str]]
"""What fills the placeholders, by name."""

MakeFillings = Callable[[str, "bytes | None", str], Fillings]
"""Takes the shared data, the viewer's own data if there is some, and the viewer's id."""


class OwnParts(NamedTuple):
    """The own parts of a page.

    Data from the hash belongs to the page only if the hash has the same shared data: another
    process may have computed both anew.

    Attributes:
        name: of the function that fills the placeholders.
        key: of the hash in Redis, see EVERYBODY.
        shared: the data of everybody, as one line.
        data_of: the data of each member who has some, by id; None if it is only in the hash.
    """

    name: str
    key: str
    shared: str
    data_of: Mapping[str, bytes] | None = None


def fill_own_parts(
    makers: Mapping[str, MakeFillings], parts: OwnParts, own_data: OwnData | None, member_id: str
) -> Fillings | None:
    """Return what fills the viewer's own parts; None if `own_data` does not belong to the page.

    Args:
        makers: the registered functions.
        parts: of the page.
        own_data: from the hash, if `parts` has no data of members.
        member_id: the viewer's.
    """
    if parts.data_of is not None:
        data = parts.data_of.get(member_id)
    elif own_data is None or own_data.shared != parts.shared.encode():
        return None
    else:
        data = own_data.data
    return makers[parts.name](parts.shared, data, member_id)


def add_own_parts(app: Flask, name: str, make_fillings: MakeFillings) -> None:
    """Register the function that fills own parts with this name."""
    app.extensions.setdefault(OWN_PARTS, {})[name] = make_fillings
