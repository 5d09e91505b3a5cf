"""The entries that were recorded while another scorer had the game (decision 8).

An older entry is not sent automatically (leases.require): its scorer must compare it with these
entries first. It waits in that scorer's browser (static/js/console/queue/handover.js).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from app.record import events as ev
from app.record.words import sentence
from scorer_console.lease import leases
from scorer_console.record.accepted import accepted_events, is_spotters

LISTED_ENTRIES = 60


@dataclass(frozen=True)
class EntrySince:
    """One entry. `stands` says whether any part still counts, and `by` who entered it."""

    numbers: list[int]
    play_number: int
    words: str
    by: str
    stands: bool
    bodies: list[dict[str, Any]]


@dataclass(frozen=True)
class Since:
    """The last LISTED_ENTRIES entries, in order of event number.

    `earlier` is the number of entries before those.
    """

    entries: list[EntrySince]
    earlier: int


def since(game_id: str, epoch: int, names: Mapping[str, str]) -> Since:
    """Load the entries that were accepted under a later epoch than this.

    `names` are those of the players, by id.
    """
    accepted = accepted_events(game_id)
    by_epoch = leases.holders(game_id)
    later = [
        (entry, event)
        for entry, event in zip(accepted.entries, accepted.fold.entered, strict=True)
        if event.epoch > epoch
    ]
    groups = [
        (name, [event for _, event in group])
        for name, group in groupby(later, key=lambda pair: pair[0])
    ]
    latest = groups[-LISTED_ENTRIES:]
    return Since(
        entries=[
            EntrySince(
                numbers=[event.event_number for event in group],
                play_number=group[0].play_number,
                words=" ".join(sentence(event.body, names) for event in group),
                by="the spotter"
                if is_spotters(name)
                else by_epoch.get(group[0].epoch, "another scorer"),
                stands=any(
                    isinstance(event.body, ev.Correction)
                    or accepted.fold.body(event.event_number) is not None
                    for event in group
                ),
                bodies=[ev.body_to(event.body) for event in group],
            )
            for name, group in latest
        ],
        earlier=len(groups) - len(latest),
    )
