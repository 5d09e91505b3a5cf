"""The common format of all providers: the matches of a tournament as values. Pure.

Offers are fetched by the other modules of this package, read row by row in rows.py, and applied in
app/predictions/matches/mapping.py.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Annotated, Protocol

import msgspec
from msgspec import Meta

from app.accounts.names import cleaned
from app.predictions.counted_score import Duration, Parts, furthest
from app.predictions.counted_score import Score as Pair
from app.predictions.statuses import duration, is_over

Name = Annotated[str, Meta(min_length=1, max_length=120)]
Identifier = Annotated[
    str, Meta(min_length=1, max_length=120, description="The provider's own ID.")
]
Score = Annotated[int, Meta(ge=0, le=999)]
Address = Annotated[str, Meta(max_length=2000, description="The URL of a picture.")]
LONGEST_FAULT = 1_000  # characters
MOST_POSITION = 10_000  # of a round
MOST_TEAMS, MOST_ROUNDS, MOST_MATCHES = 1_000, 1_000, 10_000  # of one answer
# the ends of the calendar are in no year any more after a change of time zone
YEARS = range(1800, 2500)
Slug = Annotated[
    str, Meta(pattern="^[a-z0-9][a-z0-9-]{0,39}$", description="The round's slug (`roundSlug`).")
]


class OfferedTeam(msgspec.Struct, frozen=True, rename="camel"):
    """A team in a provider's answer."""

    id: Identifier
    name: Name
    image: Address | None = None


class OfferedRound(msgspec.Struct, frozen=True, rename="camel"):
    """A round in a provider's answer."""

    slug: Slug
    name: Name
    position: Annotated[int, Meta(ge=0, le=MOST_POSITION)]


class OfferedScore(msgspec.Struct, frozen=True):
    """A part of a result; incomplete parts count as missing."""

    home: Score | None = None
    away: Score | None = None

    def pair(self) -> Pair | None:
        """Both numbers, or None."""
        return None if self.home is None or self.away is None else Pair(self.home, self.away)


class OfferedMatch(msgspec.Struct, frozen=True, rename="camel"):
    """`status` is the provider's own word.

    `finished_at`: when it ended, which decides what is settled together.

    `home_score`, `away_score`: as it stands, and at the end the provider's final score. A match
    that goes further than regulation may have its parts: `regulation` after 90 minutes,
    `after_extra_time` the whole match without a shoot-out, `shootout` its kicks alone. `duration`:
    how far it went, if neither status nor parts say so.
    """

    id: Identifier
    round: Slug
    home: Identifier
    away: Identifier
    status: Annotated[str, Meta(min_length=1, max_length=60)]
    kickoff: datetime | None = None
    home_score: Score | None = None
    away_score: Score | None = None
    regulation: OfferedScore | None = None
    after_extra_time: OfferedScore | None = None
    shootout: OfferedScore | None = None
    duration: Duration | None = None
    finished_at: datetime | None = None
    version: Annotated[str, Meta(min_length=1, max_length=200)] | None = None

    def parts(self) -> Parts:
        """The scores, and how far the match went.

        A shoot-out of 0:0 counts as none, because some providers always fill it in.
        """
        regulation, extra_time, shootout = (
            None if part is None else part.pair()
            for part in (self.regulation, self.after_extra_time, self.shootout)
        )
        if shootout == (0, 0):
            shootout = None
        by_parts = None
        if shootout:
            by_parts = "shootout"
        elif extra_time:
            by_parts = "extra_time"
        went_to = furthest(self.duration, duration(self.status), by_parts)
        final = OfferedScore(self.home_score, self.away_score).pair()
        if extra_time is None and went_to == Duration.EXTRA_TIME and is_over(self.status):
            extra_time = final
        return Parts(final, went_to, regulation, extra_time, shootout)


class Offer(msgspec.Struct, frozen=True, rename="camel"):
    """Everything that the provider has of a tournament now. Matches name teams and rounds of it."""

    teams: Annotated[list[OfferedTeam], Meta(max_length=MOST_TEAMS)]
    rounds: Annotated[list[OfferedRound], Meta(max_length=MOST_ROUNDS)]
    matches: Annotated[list[OfferedMatch], Meta(max_length=MOST_MATCHES)]
    image: Address | None = None


class RowFault(msgspec.Struct, frozen=True):
    """A row of an answer that cannot be used; the other rows still are.

    `row` is its position, for example `matches[3]` or `Line 12 of the file`. `subject` is the
    provider's id of the row's subject, or empty if it cannot be read. `field` is empty if the whole
    row is wrong.
    """

    row: str
    subject: str
    field: str
    text: str

    @property
    def is_match(self) -> bool:
        """Whether the row is about a match."""
        return not self.row.startswith(("teams", "rounds"))

    def __str__(self) -> str:
        if not self.field:
            return f"{self.row}: {self.text}"
        return f"{self.row}{', ' if ' ' in self.row else '.'}{self.field}: {self.text}"


class ReadOffer(Offer, frozen=True):
    """An offer without the rows that cannot be used, which are its `faults`."""

    faults: tuple[RowFault, ...] = ()


class Unchanged(msgspec.Struct, frozen=True):
    """The provider has nothing new since the last answer."""


class Seen(msgspec.Struct, frozen=True):
    """The validators of the last complete answer, for the next conditional request."""

    etag: str | None = None
    last_modified: str | None = None


class ProviderError(Exception):
    """The provider gave nothing usable.

    The text says what is wrong and what to do. It quotes only the beginning of a long answer.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text if len(text) <= LONGEST_FAULT else f"{text[:LONGEST_FAULT]}...")


class Provider(Protocol):
    """A source of offers; `fetch` raises ProviderError."""

    def address_fault(self, address: str) -> str | None:
        """Return what is wrong with an address of this kind, or None."""

    def fetch(self, address: str, validators: Seen) -> tuple[Offer | Unchanged, Seen]:
        """Fetch the offer (or Unchanged) and the validators for the next request."""


def faults_of(offer: Offer) -> Sequence[RowFault]:
    """Return the faults of the rows that could not be used."""
    return offer.faults if isinstance(offer, ReadOffer) else ()


def single(offer: Offer) -> tuple[Offer, list[str]]:
    """Return the offer with each team, round and match once, and the ids of contradictory matches.

    Overlapping pages repeat rows. For a team or round, the first row counts. For a match, no row
    counts if they differ or if one of them cannot be used. Names are cleaned for display.
    """
    unusable = {fault.subject for fault in faults_of(offer) if fault.is_match}
    rows: dict[str, OfferedMatch] = {}
    doubled: dict[str, None] = {}
    for match in offer.matches:
        if rows.setdefault(match.id, match) != match:
            doubled[match.id] = None
    teams = {
        team.id: msgspec.structs.replace(team, name=cleaned(team.name) or team.id)
        for team in reversed(offer.teams)
    }
    rounds = {
        round_.slug: msgspec.structs.replace(round_, name=cleaned(round_.name) or round_.slug)
        for round_ in reversed(offer.rounds)
    }
    once = msgspec.structs.replace(
        offer,
        teams=list(teams.values())[::-1],
        rounds=list(rounds.values())[::-1],
        matches=[
            match for match in rows.values() if match.id not in doubled and match.id not in unusable
        ],
    )
    return once, list(doubled)


def check(offer: Offer, places: Sequence[str] = (), faults: Sequence[RowFault] = ()) -> ReadOffer:
    """Return the offer without invalid matches, which become faults.

    Repeated rows are not faults: `single` handles them.

    Args:
        offer: The offer to check.
        places: The position of each match in the answer; by default its position in the list.
        faults: The faults of rows that could not be read.

    Raises:
        ProviderError: There are rows of teams, rounds or matches, and none of them can be used.
    """
    teams = {team.id for team in offer.teams}
    rounds = {round_.slug for round_ in offer.rounds}
    matches, all_faults = [], list(faults)
    for number, match in enumerate(offer.matches):
        field, text = _match_fault(match, teams, rounds)
        if text:
            all_faults.append(
                RowFault(places[number] if places else f"matches[{number}]", match.id, field, text)
            )
        else:
            matches.append(match)
    _refuse_if_nothing_is_left(offer, matches, all_faults)
    return ReadOffer(offer.teams, offer.rounds, matches, offer.image, tuple(all_faults))


def _refuse_if_nothing_is_left(
    offer: Offer, matches: Sequence[OfferedMatch], faults: Sequence[RowFault]
) -> None:
    kinds = (
        (offer.teams, [fault for fault in faults if fault.row.startswith("teams")]),
        (offer.rounds, [fault for fault in faults if fault.row.startswith("rounds")]),
        (matches, [fault for fault in faults if fault.is_match]),
    )
    for good, bad in kinds:
        if bad and not good:
            raise ProviderError(f"No row of the provider's answer can be used. {bad[0]}")


def _match_fault(
    match: OfferedMatch, teams: Collection[str], rounds: Collection[str]
) -> tuple[str, str]:
    """Return the field and a sentence on what is wrong; both are empty for a valid match."""
    for field, team in (("home", match.home), ("away", match.away)):
        if team not in teams:
            return (
                field,
                f"The match {match.id} does not name two teams of the provider's list: {team} is "
                "not in it.",
            )
    if match.home == match.away:
        return "away", f"The match {match.id} names the same team twice."
    if match.round not in rounds:
        return (
            "round",
            f"The match {match.id} is in the round {match.round}, which is not in the list.",
        )
    for field, moment in (("kickoff", match.kickoff), ("finishedAt", match.finished_at)):
        if moment is not None and moment.tzinfo is None:
            return field, f"A time of the match {match.id} has no time zone."
        if moment is not None and moment.year not in YEARS:
            return (
                field,
                f"A time of the match {match.id} is in the year {moment.year}: leave it out "
                "instead.",
            )
    return "", ""
