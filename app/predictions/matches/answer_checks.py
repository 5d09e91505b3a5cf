"""Finds problems in one answer of a provider that operators should look at. Pure.

They are stored in findings.py. Rows are matched with stored matches in identity.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.core import plurals
from app.predictions.counted_score import CountedScore, counted
from app.predictions.matches import identity
from app.predictions.matches.findings import Finding, Kind
from app.predictions.models import Match
from app.predictions.providers.offer import Offer, OfferedMatch, RowFault
from app.predictions.statuses import ENDED, NOT_DEFINED, is_known, is_over, normalised

MOST_ROWS = 100  # bad rows of one answer that are listed one by one


@dataclass(frozen=True)
class Unusable:
    """The part of an answer that cannot be used.

    `doubled` are the ids of matches whose rows contradict each other.
    """

    doubled: Collection[str]
    faults: Sequence[RowFault]

    @property
    def ids(self) -> list[str]:
        """Ids of matches that the answer lists in rows that cannot be used."""
        return [
            *self.doubled,
            *(fault.subject for fault in self.faults if fault.is_match and fault.subject),
        ]

    def hides_matches(self, stored: Iterable[Match]) -> bool:
        """Whether a bad row names no stored match.

        Such a row may be any match, so it is uncertain whether a missing match has really left.
        """
        known = {match.external_id for match in stored}
        return any(fault.is_match and fault.subject not in known for fault in self.faults)


def findings_of(
    stored: Sequence[Match], offer: Offer, unusable: Unusable, declared: CountedScore
) -> Iterator[Finding]:
    """Yield all findings about the rows of the answer; mapping.py adds those about stored matches.

    `declared` is the score that the tournament counts.
    """
    if not unusable.hides_matches(stored):
        for match in identity.left(stored, [*(match.id for match in offer.matches), *unusable.ids]):
            yield Finding(
                Kind.LEFT,
                match.external_id,
                f"The match {match.external_id} is missing from the provider's answer and has no "
                "result, so its round can't end. Ask the provider, or void it, merge it into the "
                "match that replaced it, or give it a new kickoff.",
            )
    for external_id in unusable.doubled:
        yield Finding(
            Kind.DOUBLED,
            external_id,
            f"The provider lists the match {external_id} twice with different values. Nothing "
            "was changed. Ask the provider to fix it.",
        )
    yield from _of_bad_rows(unusable.faults)
    yield from _without_score(offer.matches, declared)
    yield from _without_counted_score(offer.matches, declared)
    yield from _of_unknown_words(offer.matches)


def _of_bad_rows(faults: Sequence[RowFault]) -> Iterator[Finding]:
    for fault in faults[:MOST_ROWS]:
        what = f"the match {fault.subject}" if fault.is_match and fault.subject else fault.subject
        stays = "Its data stays as it was. All other rows were used. Ask the provider to fix it"
        yield Finding(
            Kind.BAD_ROW,
            fault.subject if fault.is_match and fault.subject else fault.row,
            f"A row of the answer cannot be used{f' ({what})' if what else ''}. {fault} {stays} "
            "(docs/providers.md).",
        )
    if len(faults) > MOST_ROWS:
        yield Finding(
            Kind.BAD_ROW,
            "more rows",
            f"{plurals.counted(len(faults) - MOST_ROWS, 'more row')} of the answer cannot be used.",
        )


def _without_score(matches: Iterable[OfferedMatch], declared: CountedScore) -> Iterator[Finding]:
    for match in matches:
        if counted(declared, match.parts(), match.status).score is not None:
            continue
        missing = [
            field
            for field, score in (("homeScore", match.home_score), ("awayScore", match.away_score))
            if score is None
        ]
        is_ended = normalised(match.status)[0] == ENDED
        if (
            missing
            and is_ended
            and normalised(match.status, has_score=False) == (NOT_DEFINED, None)
        ):
            yield Finding(
                Kind.BAD_ROW,
                match.id,
                f"The match {match.id} is {match.status!r}, but its row has no "
                f"{' and no '.join(missing)}. It is settled once the row has both scores. Ask "
                "the provider to fix it.",
            )


def _without_counted_score(
    matches: Iterable[OfferedMatch], declared: CountedScore
) -> Iterator[Finding]:
    for match in matches:
        fault = counted(declared, match.parts(), match.status).fault
        if fault and is_over(match.status):
            text = (
                f"The match {match.id} is waiting because it is unclear which score counts. {fault}"
            )
            yield Finding(Kind.UNKNOWN_SCORE, match.id, text)


def _of_unknown_words(matches: Iterable[OfferedMatch]) -> Iterator[Finding]:
    words: dict[str, OfferedMatch] = {}
    for match in matches:
        if not is_known(match.status):
            words.setdefault(match.status, match)
    for word, match in words.items():
        yield Finding(
            Kind.UNKNOWN_STATUS,
            word,
            f"The status {word!r} (of the match {match.id}) is unknown, so the match is not "
            "settled. The provider should send a status listed in docs/providers.md.",
        )
