"""A play as a spotter sees it: fields for names, the tackling club, missing names. Pure.

Credits are added to a play in rules.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.record import events as ev
from scorer_console.record.effective_events import EffectiveEvent

Other = Callable[[str], str]


@dataclass(frozen=True)
class Naming:
    """A field that names a player.

    With `of_rivals`, the player belongs to the other club than the body's, and `club_field` is set
    to that club.
    """

    kinds: tuple[type[ev.Body], ...]
    field: str
    words: str
    of_rivals: bool = False
    club_field: str | None = None


# Event types and field by role. A later entry is used if a play has no event of the former types.
NAMED: Mapping[str, tuple[Naming, ...]] = {
    "passer": (Naming((ev.Pass,), "passer", "Thrown by"), Naming((ev.Sack,), "player", "Passer")),
    "receiver": (Naming((ev.Pass,), "receiver", "Thrown to"),),
    "carrier": (Naming((ev.Run,), "player", "Carried by"),),
    "kicker": (Naming((ev.Kick,), "kicker", "Kicked by"),),
    "blocked_by": (
        Naming(
            (ev.Kick,), "blocked_by", "Blocked by", of_rivals=True, club_field="blocked_by_team"
        ),
    ),
    "intercepted_by": (Naming((ev.Interception,), "player", "Intercepted by"),),
    "fumbled_by": (Naming((ev.Fumble,), "player", "Fumbled by"),),
    "forced_by": (
        Naming((ev.Fumble,), "forced_by", "Forced by", of_rivals=True, club_field="forced_by_team"),
    ),
    "recovered_by": (Naming((ev.Recovery,), "player", "Recovered by"),),
    "sacked_by": (Naming((ev.Sack,), "by", "Sacked by", of_rivals=True, club_field="by_team"),),
}
CREDITED = {
    "tackle": "Tackle",
    "assist": "Assist",
    "pass_defended": "Breaks up the pass",
    "qb_hit": "Hits the passer",
    "tackle_for_loss": "Stops it for a loss",
}
# A run that continues a catch, an interception or a recovery is by the same player.
GOES_ON = {"receiver": "after_catch", "intercepted_by": "return", "recovered_by": "after_recovery"}
MOVES = (
    ev.Pass
    | ev.Run
    | ev.Sack
    | ev.Kick
    | ev.Fumble
    | ev.Recovery
    | ev.Interception
    | ev.Conversion
    | ev.Safety
)


@dataclass(frozen=True)
class Slot:
    """A place for a name in an event of the play.

    `club` is the player's club, and `players` are those who are named there now.
    """

    event: int
    role: str
    words: str
    club: str
    players: tuple[str, ...]
    is_missing: bool


@dataclass(frozen=True)
class GivenCredit:
    """A credit in the record that counts."""

    event: int
    role: str
    kind: str
    player: str | None


@dataclass
class Play:
    """The events of one play that count, in order.

    `under_review` means that its points are held until the ruling.
    """

    number: int
    events: list[EffectiveEvent]
    other: Other
    under_review: bool = False
    _snap: ev.Snap | None = field(init=False)

    def __post_init__(self) -> None:
        self._snap = next(
            (event.body for event in self.events if isinstance(event.body, ev.Snap)), None
        )

    @property
    def has_action(self) -> bool:
        """Whether the ball moved after the snap."""
        return any(isinstance(event.body, MOVES) for event in self.events)

    @property
    def defence(self) -> str | None:
        """The club that did not snap the ball."""
        return self.other(self._snap.possession) if self._snap else None

    @property
    def carried(self) -> tuple[str, str | None, int | None] | None:
        """The club and player who had the ball last, and where they were stopped.

        The place is measured from their own goal line.
        """
        for event in reversed(self.events):
            match event.body:
                case ev.Run() | ev.Sack():
                    return event.body.team, event.body.player, event.body.end_yard
                case ev.Pass(result="complete"):
                    return event.body.team, event.body.receiver, event.body.reception_yard
                case ev.Recovery() | ev.Interception():
                    return event.body.team, event.body.player, event.body.yard
                case ev.Kick(result="returned"):
                    return self.other(event.body.team), None, None
        return None

    @property
    def tackling(self) -> str | None:
        """The club whose tackles are credited."""
        return self.other(self.carried[0]) if self.carried else self.defence

    def slots(self) -> list[Slot]:
        """The fields for names, in order of event."""
        slots = []
        for event in self.events:
            for role, namings in NAMED.items():
                for naming in namings:
                    if isinstance(event.body, naming.kinds) and _is_asked(role, event.body):
                        slots.append(self._slot(event, role, naming))
        return slots

    def _slot(self, event: EffectiveEvent, role: str, naming: Naming) -> Slot:
        body: Any = event.body
        players = named(body, naming)
        optional = role in ("forced_by", "blocked_by") or (
            role == "receiver" and body.result != "complete"
        )
        return Slot(
            event=event.event_number,
            role=role,
            words=naming.words,
            club=self.other(body.team) if naming.of_rivals else body.team,
            players=players,
            is_missing=not players and not optional,
        )

    def credits(self) -> list[GivenCredit]:
        """Tackles and other credits, in order of event."""
        recorded = []
        for event in self.events:
            match event.body:
                case ev.Tackle(kind=kind, tackler=player):
                    role = "assist" if kind == "assist" else "tackle"
                    recorded.append(GivenCredit(event.event_number, role, kind, player))
                case ev.Credit(kind=kind, player=player):
                    recorded.append(GivenCredit(event.event_number, kind, kind, player))
        return recorded

    @property
    def lacks_a_tackle(self) -> bool:
        """Whether somebody seems to have been tackled but nobody has the credit."""
        moved = [event.body for event in self.events if isinstance(event.body, MOVES)]
        if not moved or any(getattr(body, "is_touchdown", False) for body in moved):
            return False
        last = moved[-1]
        if not isinstance(last, ev.Run | ev.Sack) and not (
            isinstance(last, ev.Pass) and last.result == "complete"
        ):
            return False
        if isinstance(last, ev.Run) and last.kind == "kneel":
            return False
        return not any(isinstance(event.body, ev.Tackle) for event in self.events)


def _is_asked(role: str, body: ev.Body) -> bool:
    if isinstance(body, ev.Pass) and role == "receiver":
        return body.result != "spike"
    if isinstance(body, ev.Kick) and role == "blocked_by":
        return body.result == "blocked"
    # A run that continues a catch, an interception or a recovery gets its name with it.
    return not (isinstance(body, ev.Run) and body.kind in ("after_catch", "after_recovery"))


def named(body: Any, naming: Naming) -> tuple[str, ...]:
    """The players whom the field names, in order."""
    value = getattr(body, naming.field)
    return tuple(
        player for player in (value if isinstance(value, tuple) else (value,)) if player is not None
    )
