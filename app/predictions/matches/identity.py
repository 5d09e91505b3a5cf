"""Matches the rows of a provider's answer with the stored matches. Pure.

Matches are identified by the provider's id. If ids change, they are identified by teams and round:
a match that left the answer and a new one are the same if no other pair of them is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from app.predictions.models import Match
from app.predictions.providers.offer import OfferedMatch
from app.predictions.statuses import ENDED, VOID

Id = TypeVar("Id")
Key = tuple[Any, ...]  # round, home and away team, or some of them

# From the most certain likeness to the least: the same sides in the same round; sides swapped, as
# on neutral ground; moved to another round.
_LIKENESSES: tuple[Callable[[int, UUID, UUID], Key], ...] = (
    lambda round_id, home, away: (round_id, home, away),
    lambda round_id, home, away: (round_id, frozenset((home, away))),
    lambda _, home, away: (home, away),
)


def is_waiting(match: Match) -> bool:
    """Whether the match still needs a result, so that it should be in the answers."""
    return match.status != ENDED and match.fate != VOID


def left(stored: Iterable[Match], offered_ids: Iterable[str]) -> list[Match]:
    """Return matches that still need a result but are no longer in the provider's answer."""
    listed_ids = set(offered_ids)
    return [match for match in stored if match.external_id not in listed_ids and is_waiting(match)]


def renamed(
    stored: Sequence[Match],
    offered: Sequence[OfferedMatch],
    teams: Mapping[str, UUID],
    rounds: Mapping[str, int],
    doubled: Iterable[str] = (),
) -> dict[str, Match]:
    """Return matches that have a new id in the answer, by that id.

    A match is renamed only if exactly one old and one new match fit each other. `doubled` are ids
    that the answer also lists, in rows that cannot be used.
    """
    known = {match.external_id for match in stored}
    listed_ids = [*(match.id for match in offered), *doubled]
    missing = {match.id: match for match in left(stored, listed_ids) if match.terms is None}
    new = {match.id: match for match in offered if match.id not in known}
    matches_by_new_id: dict[str, Match] = {}
    for likeness in _LIKENESSES:
        olds = _unique(
            {id_: likeness(old.round_id, old.home_id, old.away_id) for id_, old in missing.items()}
        )
        news = _unique(
            {id_: likeness(rounds[m.round], teams[m.home], teams[m.away]) for id_, m in new.items()}
        )
        for key in olds.keys() & news.keys():
            matches_by_new_id[news[key]] = missing.pop(olds[key])
            del new[news[key]]
    return matches_by_new_id


def under_standing_ids(
    stored: Sequence[Match],
    offered: Sequence[OfferedMatch],
    teams: Mapping[str, UUID],
    unusable: Iterable[str] = (),
) -> list[OfferedMatch]:
    """Replace the ids of merged matches by the id of the match that took their place.

    A row under an old id is left out if the answer lists the other match too.
    """
    by_id = {match.external_id: match for match in stored}
    by_key = {match.id: match for match in stored}
    listed = {*(row.id for row in offered), *unusable}
    rows = []
    for row in offered:
        match = by_id.get(row.id)
        is_same = match is not None and {match.home_id, match.away_id} == {
            teams[row.home],
            teams[row.away],
        }
        if match is None or match.merged_into_id is None or not is_same:
            rows.append(row)
            continue
        while match.merged_into_id is not None:
            match = by_key[match.merged_into_id]
        if match.external_id not in listed:
            listed.add(match.external_id)
            rows.append(msgspec.structs.replace(row, id=match.external_id))
    return rows


def _unique(keys: Mapping[Id, Key]) -> dict[Key, Id]:
    """Return ids by key, for keys that exactly one id has."""
    counts: dict[Key, int] = {}
    for key in keys.values():
        counts[key] = counts.get(key, 0) + 1
    return {key: id_ for id_, key in keys.items() if counts[key] == 1}
