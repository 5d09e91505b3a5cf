"""Own parts: what differs between the viewers of a shared page, filled in for each of them.

A page that shows everybody something of their own (their team first in a list) is rendered once
too: the own parts are placeholders. The data of everybody is kept with the page; the data of each
member who has some is a field of a hash in Redis. A function, registered by name, fills the
placeholders with both. It runs in the event loop as well, so it must neither wait nor need a
request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from flask import Flask

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


def add_own_parts(app: Flask, name: str, make_fillings: MakeFillings) -> None:
    """Register the function that fills own parts with this name."""
    app.extensions.setdefault(OWN_PARTS, {})[name] = make_fillings
