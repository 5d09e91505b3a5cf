"""What every event type declares: wire fields, play table, sentence, part in a play.

Everything else follows from the declaration: the play tables and their rows
(app/record/play_tables.py), the players and clubs that an event names, the types that the console
offers, and what its JavaScript knows of them. How to add a type: docs/architecture.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Literal, NewType, get_args, get_origin, get_type_hints

import msgspec

from app.record.events.fields import Place
from app.record.words import Who

# since 1970, UTC: the moment when the server accepted the event
Milliseconds = NewType("Milliseconds", int)
Part = Literal["action", "credit", "aside", "procedure", "correction"]
Situation = Literal["scrimmage", "kickoff", "free_kick", "try"]
SITUATIONS: tuple[Situation, ...] = get_args(Situation)
# a play that begins at the line of scrimmage, and one after whose kick both clubs play for the ball
SCRIMMAGE: tuple[Situation, ...] = ("scrimmage",)
OPEN_FIELD: tuple[Situation, ...] = ("scrimmage", "kickoff", "free_kick")


@dataclass(frozen=True)
class PlayTable:
    """A table of plays.

    Its columns are the fields of the bodies, players with `_id` at the end. `player`: the column
    that is indexed with the game. `without`: fields that have no column. `renamed`: field by
    column. `computed`: type by column of the body's property of that name; a column of Milliseconds
    holds the moment of acceptance. Several event types can share a table.
    """

    name: str
    player: str | None = None
    without: tuple[str, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)
    computed: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Column:
    """A column. `source`: the body's attribute. `type`: str, int, bool or Milliseconds."""

    name: str
    source: str
    type: Any
    nullable: bool

    @property
    def missing(self) -> bool | None:
        """The value for an event type that shares the table and lacks the field."""
        return False if self.type is bool else None


class EventBody(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    """The content of an event. The tag `type` names the kind of event.

    `place`: where the event is among those of its play, in event numbers; None: at its own number
    (rules/order.py). For a correction it has no meaning.
    """

    # None: rows of this type live in `events` alone.
    table: ClassVar[PlayTable | None] = None
    # action: moves the ball; credit: goes with an action; aside: stands beside it and stays when it
    # is overturned.
    part: ClassVar[Part] = "procedure"
    # The situations of a snap in whose play it can be: those of its kind where kinds differ.
    situations: ClassVar[tuple[Situation, ...] | dict[str, tuple[Situation, ...]]] = SITUATIONS

    place: Place | None = None

    def words(self, who: Who) -> str:
        """What happened, as a sentence without its full stop.

        `who` gives the name to show for a player id.
        """
        raise NotImplementedError(f"{type(self).__name__} has no words: give it a method `words`")


def situations_of(body: EventBody) -> tuple[Situation, ...]:
    """The situations of a snap in whose play the event can be."""
    declared = type(body).situations
    return declared if isinstance(declared, tuple) else declared[str(getattr(body, "kind", ""))]


def type_of(body: EventBody | type[EventBody]) -> str:
    """The name of an event's type on the wire."""
    return str(body.__struct_config__.tag)


def players_of(body: EventBody) -> set[str]:
    """Ids of all footballers whom an event names, those of a new ruling among them."""
    return _named(body, ("player", "opponent"))


def clubs_of(body: EventBody) -> dict[str, str]:
    """The clubs that an event names, by field; fields of a new ruling start with `ruling.`."""
    clubs: dict[str, str] = {}
    for name in _fields_naming(type(body), ("club",)):
        value = getattr(body, name)
        if value is not None:
            clubs[name] = value
    if isinstance(ruling := getattr(body, "ruling", None), EventBody):
        clubs |= {f"ruling.{name}": club for name, club in clubs_of(ruling).items()}
    return clubs


@dataclass(frozen=True)
class Named:
    """A footballer whom an event names, and the club they must play for; None: not said."""

    field: str
    player: str
    club: str | None


def named_in(body: EventBody, home: str, away: str) -> list[Named]:
    """Everybody whom an event names, in the order of its fields.

    Fields of a new ruling start with `ruling.`.
    """
    mentions = []
    team = getattr(body, "team", None)
    other = {home: away, away: home}.get(team or "")
    for name in _fields_naming(type(body), ("player", "opponent")):
        is_opponent = name in _fields_naming(type(body), ("opponent",))
        club = (getattr(body, f"{name}_team", None) or other) if is_opponent else team
        value = getattr(body, name)
        players = value if isinstance(value, tuple) else (value,)
        mentions += [Named(name, player, club) for player in players if player is not None]
    if isinstance(ruling := getattr(body, "ruling", None), EventBody):
        mentions += [
            Named(f"ruling.{mention.field}", mention.player, mention.club)
            for mention in named_in(ruling, home, away)
        ]
    return mentions


def player_fields(kind: type[EventBody]) -> dict[str, list[str]]:
    """The fields that name players: `own` of the body's `team`, `opponents` of the other club."""
    return {
        "own": list(_fields_naming(kind, ("player",))),
        "opponents": list(_fields_naming(kind, ("opponent",))),
    }


def columns_of(kind: type[EventBody], table: PlayTable) -> tuple[Column, ...]:
    """The type's own columns in its play table, in the order of its fields."""
    hints = get_type_hints(kind, include_extras=True)
    names = {source: column for column, source in table.renamed.items()}
    players = _fields_naming(kind, ("player", "opponent"))
    columns = []
    for name in kind.__struct_fields__:
        if name not in (*table.without, "place"):  # a column of all play tables
            column = names.get(name, f"{name}_id" if name in players else name)
            columns.append(_column(column, name, hints[name]))
    return (*columns, *(_column(name, name, hint) for name, hint in table.computed.items()))


def _column(name: str, source: str, hint: Any) -> Column:
    kinds = set(_plain(hint))
    plain = kinds - {type(None)}
    if len(plain) != 1:
        raise TypeError(f"{source}: {hint} fits no column; compute one, or leave it out")
    return Column(name, source, plain.pop(), nullable=type(None) in kinds)


def _plain(hint: Any) -> Iterator[Any]:
    """The plain types that a type hint allows."""
    if get_origin(hint) is Literal:
        yield from (type(value) for value in get_args(hint))
    elif hasattr(hint, "__metadata__"):
        yield from _plain(get_args(hint)[0])
    elif get_args(hint):
        for argument in get_args(hint):
            yield from _plain(argument)
    else:
        yield hint


def _named(body: EventBody, what: tuple[str, ...]) -> set[str]:
    players: set[str] = set()
    for name in _fields_naming(type(body), what):
        value = getattr(body, name)
        players.update(
            player
            for player in (value if isinstance(value, tuple) else (value,))
            if player is not None
        )
    if isinstance(ruling := getattr(body, "ruling", None), EventBody):
        players |= _named(ruling, what)
    return players


@cache
def _fields_naming(kind: type[EventBody], what: tuple[str, ...]) -> tuple[str, ...]:
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        name
        for name in kind.__struct_fields__
        if any(_mentions(hints[name], kind_named) for kind_named in what)
    )


def _mentions(hint: Any, what: str) -> bool:
    metas = getattr(hint, "__metadata__", ())
    if any(
        (meta.extra or {}).get("names") == what for meta in metas if isinstance(meta, msgspec.Meta)
    ):
        return True
    return any(
        _mentions(argument, what) for argument in get_args(hint) if not isinstance(argument, str)
    )
