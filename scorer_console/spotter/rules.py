"""Adds a spotter's credits to a play: who did what the scorer entered. Pure.

The spotter says who, never what or where. A name is entered as a new ruling on the event, based on
the ruling that counts now, so that no correction of the scorer is lost (decision 47). The fields
for names are in plays.py; services.py numbers the bodies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from app.core.errors import UserError
from app.record import events as ev
from scorer_console.spotter.plays import CREDITED, GOES_ON, MOVES, NAMED, Naming, Play, named


class RefusedCreditError(UserError):
    """The credit does not fit its play; the text says what to do."""


class PlayNotEnteredError(UserError):
    """The scorer has not entered the play yet, so the credit must wait in its browser."""


@dataclass(frozen=True)
class Credit:
    """A credit by the spotter. `role` is one of NAMED or CREDITED; `player` None means nobody.

    `event` is the event that gets the name, or whose credit is taken back. `was` is the name that
    the spotter saw there.
    """

    role: str
    player: str | None = None
    event: int | None = None
    was: str | None = None
    take_back: bool = False


def attach(
    play: Play, new_credits: Sequence[Credit], clubs: Mapping[str, str], names: Mapping[str, str]
) -> list[ev.Body]:
    """Return the bodies that add these credits. `clubs` and `names` of the players are by id.

    Worked example: event 7 is a run, and event 8 a solo tackle by A. Adding an assist by B records
    B's assist, and A's tackle becomes the primary one. Raises RefusedCreditError, or
    PlayNotEnteredError if only the snap has been entered.
    """
    if not play.has_action:
        raise PlayNotEnteredError(
            f"Play {play.number} only has its snap so far. This is sent once the scorer has "
            "entered what happened."
        )
    work = _Attached(play, clubs, names)
    for credit in new_credits:
        work.take(credit)
    return work.bodies()


class _Attached:
    """Collects credits. Tackles share the credit, so their kinds are decided at the end."""

    def __init__(self, play: Play, clubs: Mapping[str, str], names: Mapping[str, str]) -> None:
        self.play, self.clubs, self.names = play, clubs, names
        self.rulings: dict[int, ev.Body] = {event.event_number: event.body for event in play.events}
        self.changed: set[int] = set()
        self.gone: list[int] = []
        self.new: list[ev.Body] = []
        # Existing tackles of the last carrier: event number, body, and whether it is an assist.
        self.tackles = [
            (event.event_number, event.body, event.body.kind == "assist")
            for event in play.events
            if isinstance(event.body, ev.Tackle) and event.body.team == play.tackling
        ]
        self.more: list[tuple[str | None, bool]] = []

    def take(self, credit: Credit) -> None:
        if credit.take_back:
            self._take_back(credit)
        elif credit.role in NAMED:
            self._name(credit)
        elif credit.role in ("tackle", "assist"):
            self._is_of(credit.player, self.play.tackling)
            taken = {body.tackler for _, body, _ in self.tackles} | {
                player for player, _ in self.more
            }
            if credit.player in taken:
                raise RefusedCreditError(
                    f"{self._name_of(credit.player)} already has a tackle on play "
                    f"{self.play.number}."
                )
            self.more.append((credit.player, credit.role == "assist"))
        elif credit.role in CREDITED:
            self._credit(credit)
        else:
            raise RefusedCreditError(
                f"role: {credit.role!r} is not one of {', '.join([*NAMED, *CREDITED])}."
            )

    def bodies(self) -> list[ev.Body]:
        self._share()
        rulings = [
            ev.StatCorrection(event=number, ruling=self.rulings[number])  # type: ignore[arg-type]
            for number in sorted(self.changed)
        ]
        taken = (
            [ev.Nullify(events=tuple(self.gone), reason="removed by the spotter")]
            if self.gone
            else []
        )
        return [*rulings, *taken, *self.new]

    def _share(self) -> None:
        """Decide the kinds of tackles: a single one is solo. Of several, one is primary or none."""
        if not self.more and not self.gone:
            return
        helped = [is_help for _, _, is_help in self.tackles] + [is_help for _, is_help in self.more]
        makers = helped.count(False)

        def kind(is_help: bool) -> str:
            if len(helped) == 1:
                return "solo"
            return "primary" if makers == 1 and not is_help else "assist"

        for number, body, is_help in self.tackles:
            if body.kind != kind(is_help):
                self._rule(number, kind=kind(is_help))
        tackled, yard = self.play.carried[1:] if self.play.carried else (None, None)
        for player, is_help in self.more:
            self.new.append(
                ev.Tackle(
                    team=self.play.tackling or "",
                    tackler=player,
                    tackled=tackled,
                    kind=kind(is_help),  # type: ignore[arg-type]
                    yard=yard,
                )
            )

    def _credit(self, credit: Credit) -> None:
        club = self.play.defence
        if credit.role == "tackle_for_loss":
            club = self.play.tackling
        self._is_of(credit.player, club)
        same = [
            earlier
            for earlier in self.play.credits()
            if (earlier.role, earlier.player) == (credit.role, credit.player)
        ]
        body = ev.Credit(team=club or "", player=credit.player, kind=credit.role)  # type: ignore[arg-type]
        if same or body in self.new:
            raise RefusedCreditError(
                f"{self._name_of(credit.player)} already has this credit on play "
                f"{self.play.number}."
            )
        self.new.append(body)

    def _name(self, credit: Credit) -> None:
        number = credit.event or 0
        body: Any = self.rulings.get(number)
        naming = next(
            (
                candidate
                for candidate in NAMED[credit.role]
                if body is not None and isinstance(body, candidate.kinds)
            ),
            None,
        )
        if naming is None:
            raise RefusedCreditError(
                f"#{number} of play {self.play.number} was removed or has changed. Check again."
            )
        players = named(body, naming)
        if credit.player in players and credit.player is not None:
            return
        if number not in self.changed and (credit.was or None) != (
            players[-1] if players else None
        ):
            now = self._name_of(players[-1]) if players else "nobody"
            raise RefusedCreditError(
                f"{naming.words}: the record now names {now}. Check again and re-enter it."
            )
        club = self.play.other(body.team) if naming.of_rivals else body.team
        self._is_of(credit.player, club)
        self._rule(number, **_with(body, naming, credit.player, club))
        for follows in self._going_on(credit.role, number):
            self._rule(follows, player=credit.player)

    def _going_on(self, role: str, number: int) -> list[int]:
        """Return the runs that continue the named movement, up to the next one."""
        numbers = []
        for event in self.play.events:
            if event.event_number <= number or not isinstance(event.body, MOVES):
                continue
            if not isinstance(event.body, ev.Run) or event.body.kind != GOES_ON.get(role):
                break
            numbers.append(event.event_number)
        return numbers

    def _take_back(self, credit: Credit) -> None:
        body = self.rulings.get(credit.event or 0)
        if self.play.under_review:
            raise RefusedCreditError(
                f"Play {self.play.number} is under review. Remove credits after the ruling."
            )
        if credit.event in self.gone or not isinstance(body, ev.Tackle | ev.Credit):
            raise RefusedCreditError(
                f"#{credit.event} is no longer a credit of play {self.play.number}. Check again."
            )
        self.gone.append(credit.event or 0)
        self.changed.discard(credit.event or 0)
        self.tackles = [tackle for tackle in self.tackles if tackle[0] != credit.event]

    def _rule(self, number: int, **fields: Any) -> None:
        self.rulings[number] = msgspec.structs.replace(self.rulings[number], **fields)
        self.changed.add(number)

    def _is_of(self, player: str | None, club: str | None) -> None:
        if club is None:
            raise RefusedCreditError(
                f"Play {self.play.number} has no snap that shows who defends. Ask the scorer to "
                "enter it."
            )
        if player is not None and self.clubs.get(player) != club:
            raise RefusedCreditError(
                f"{self._name_of(player)} does not play for {club}. Credits here are for {club}."
            )

    def _name_of(self, player: str | None) -> str:
        return "Nobody" if player is None else self.names.get(player, player)


def _with(body: Any, naming: Naming, player: str | None, club: str) -> dict[str, Any]:
    """Return the fields of a body that name this player.

    A second sacker shares the sack, and a third replaces the second.
    """
    value: Any = player
    if isinstance(getattr(body, naming.field), tuple):
        value = (*named(body, naming)[:1], player) if player is not None else ()
    fields = {naming.field: value}
    if naming.club_field:
        fields[naming.club_field] = club if player is not None else None
    return fields
