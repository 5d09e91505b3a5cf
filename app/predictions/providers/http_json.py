"""A provider that answers with the JSON of an Offer (docs/providers.md, docs/schema/provider.json)."""

from __future__ import annotations

import msgspec

from app.core.json_reading import field_with_nul
from app.predictions.providers.fetching import address_fault, fetch
from app.predictions.providers.offer import Offer, ProviderFault, Seen, Unchanged, check

_offer = msgspec.json.Decoder(Offer)


class HttpJson:
    def address_fault(self, address: str) -> str | None:
        return address_fault(address)

    def fetch(self, address: str, seen: Seen) -> tuple[Offer | Unchanged, Seen]:
        body, seen_now = fetch(address, seen, "application/json")
        return (body if isinstance(body, Unchanged) else decode(body)), seen_now


def decode(body: bytes) -> Offer:
    """Raises ProviderFault that names the field which does not fit."""
    try:
        offer = _offer.decode(body)
    except msgspec.ValidationError as error:
        raise ProviderFault(f"The provider's JSON is not as docs/providers.md describes it: {error}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProviderFault(f"The provider's answer is not JSON: {error}.") from error
    except RecursionError as error:
        raise ProviderFault("The provider's JSON is nested too deep.") from error
    if field_with_nul(body) is not None:
        raise ProviderFault("The provider's JSON has a zero character (\\u0000) in a text, which cannot be stored.")
    return check(offer)
