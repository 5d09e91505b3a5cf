"""A provider that answers with an Offer as JSON (docs/providers.md, docs/schema/provider.json)."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from app.predictions.providers import rows
from app.predictions.providers.fetching import address_fault, fetch
from app.predictions.providers.offer import (
    MOST_MATCHES,
    MOST_ROUNDS,
    MOST_TEAMS,
    Address,
    Offer,
    OfferedMatch,
    OfferedRound,
    OfferedTeam,
    ProviderError,
    ReadOffer,
    Seen,
    Unchanged,
    check,
)


class _Answer(msgspec.Struct, frozen=True):
    """An Offer whose rows have not been decoded yet."""

    teams: Annotated[list[msgspec.Raw], Meta(max_length=MOST_TEAMS)]
    rounds: Annotated[list[msgspec.Raw], Meta(max_length=MOST_ROUNDS)]
    matches: Annotated[list[msgspec.Raw], Meta(max_length=MOST_MATCHES)]
    image: Address | None = None


_answer = msgspec.json.Decoder(_Answer)
_team = msgspec.json.Decoder(OfferedTeam)
_round = msgspec.json.Decoder(OfferedRound)
_match = msgspec.json.Decoder(OfferedMatch)


class HttpJson:
    """A provider behind a web address."""

    def address_fault(self, address: str) -> str | None:
        """Return what is wrong with the address, or None."""
        return address_fault(address)

    def fetch(self, address: str, validators: Seen) -> tuple[Offer | Unchanged, Seen]:
        """Fetch the offer, or Unchanged if the server says so."""
        body, seen_now = fetch(address, validators, "application/json")
        return (body if isinstance(body, Unchanged) else decode(body)), seen_now


def decode(body: bytes) -> ReadOffer:
    """Decode the offer. Rows that cannot be used become its faults.

    Raises ProviderError if the whole answer cannot be used.
    """
    try:
        answer = _answer.decode(body)
        teams = rows.read_json("teams", answer.teams, _team)
        rounds = rows.read_json("rounds", answer.rounds, _round)
        matches = rows.read_json("matches", answer.matches, _match)
    except msgspec.ValidationError as error:
        raise ProviderError(
            f"The provider's JSON does not match docs/providers.md: {error}."
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProviderError(f"The provider's answer is not JSON: {error}.") from error
    except RecursionError as error:
        raise ProviderError("The provider's JSON is nested too deep.") from error
    image = None if answer.image is not None and "\x00" in answer.image else answer.image
    faults = (*teams.faults, *rounds.faults, *matches.faults)
    return check(Offer(teams.good, rounds.good, matches.good, image), matches.places, faults)
