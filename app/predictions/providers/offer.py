"""What a provider gives, whatever it is: the matches of a tournament as values. Pure.

Not here: fetching them (the modules beside), what becomes of them (app/predictions/mapping.py).
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Protocol

import msgspec
from msgspec import Meta

Name = Annotated[str, Meta(min_length=1, max_length=120)]
Identifier = Annotated[str, Meta(min_length=1, max_length=120, description="The provider's own id.")]
Score = Annotated[int, Meta(ge=0, le=999)]
Address = Annotated[str, Meta(max_length=2000, description="Of a picture.")]
LONGEST_FAULT = 1_000  # characters
YEARS = range(1800, 2500)  # the ends of the calendar are in no year any more after a change of time zone
Slug = Annotated[str, Meta(pattern="^[a-z0-9][a-z0-9-]{0,39}$", description="Names the round: `roundSlug`.")]


class OfferedTeam(msgspec.Struct, frozen=True, rename="camel"):
    id: Identifier
    name: Name
    image: Address | None = None


class OfferedRound(msgspec.Struct, frozen=True, rename="camel"):
    slug: Slug
    name: Name
    position: Annotated[int, Meta(ge=0, le=10_000)]


class OfferedMatch(msgspec.Struct, frozen=True, rename="camel"):
    """`status` is the provider's own word. `finished_at`: when it ended, which decides what is settled together."""

    id: Identifier
    round: Slug
    home: Identifier
    away: Identifier
    status: Annotated[str, Meta(min_length=1, max_length=60)]
    kickoff: datetime | None = None
    home_score: Score | None = None
    away_score: Score | None = None
    finished_at: datetime | None = None
    version: Annotated[str, Meta(min_length=1, max_length=200)] | None = None


class Offer(msgspec.Struct, frozen=True, rename="camel"):
    """Everything that the provider has of a tournament now. Matches name teams and rounds of it."""

    teams: Annotated[list[OfferedTeam], Meta(max_length=1_000)]
    rounds: Annotated[list[OfferedRound], Meta(max_length=1_000)]
    matches: Annotated[list[OfferedMatch], Meta(max_length=10_000)]
    image: Address | None = None


class Unchanged(msgspec.Struct, frozen=True):
    """The provider has nothing new since the last answer."""


class Seen(msgspec.Struct, frozen=True):
    """What the last whole answer said of itself, for a conditional request; and for the next one."""

    etag: str | None = None
    last_modified: str | None = None


class ProviderFault(Exception):
    """The provider gave nothing that can be used; the text says what and the next step, and of a long answer only the
    beginning."""

    def __init__(self, text: str) -> None:
        super().__init__(text if len(text) <= LONGEST_FAULT else f"{text[:LONGEST_FAULT]}...")


class Provider(Protocol):
    """Gives the offer, or Unchanged when it is as `seen` says. Raises ProviderFault."""

    def address_fault(self, address: str) -> str | None:
        """What to change about an address of this kind, or None."""

    def fetch(self, address: str, seen: Seen) -> tuple[Offer | Unchanged, Seen]: ...


def single(offer: Offer) -> tuple[Offer, list[str]]:
    """The offer with each team, round and match once; and the ids of matches whose rows contradict each other.

    Pages that overlap repeat rows. Of a team or round the first row counts; of a match no row can, if they differ.
    """
    rows: dict[str, OfferedMatch] = {}
    doubled: dict[str, None] = {}
    for match in offer.matches:
        if rows.setdefault(match.id, match) != match:
            doubled[match.id] = None
    teams = {team.id: team for team in reversed(offer.teams)}
    rounds = {one.slug: one for one in reversed(offer.rounds)}
    once = msgspec.structs.replace(
        offer,
        teams=list(teams.values())[::-1],
        rounds=list(rounds.values())[::-1],
        matches=[match for match in rows.values() if match.id not in doubled],
    )
    return once, list(doubled)


def check(offer: Offer) -> Offer:
    """The offer itself. Raises ProviderFault that names the first match that does not fit.

    Doubled rows are no fault: `single` sees to them.
    """
    teams = {team.id for team in offer.teams}
    rounds = {one.slug for one in offer.rounds}
    for match in offer.matches:
        if not {match.home, match.away} <= teams or match.home == match.away:
            raise ProviderFault(f"The match {match.id} does not name two teams of the provider's list.")
        if match.round not in rounds:
            raise ProviderFault(f"The match {match.id} is of the round {match.round}, which is not in the list.")
        for moment in (match.kickoff, match.finished_at):
            if moment is not None and moment.tzinfo is None:
                raise ProviderFault(f"A time of the match {match.id} has no time zone.")
            if moment is not None and moment.year not in YEARS:
                raise ProviderFault(
                    f"A time of the match {match.id} is of the year {moment.year}: leave it out instead."
                )
    return offer
