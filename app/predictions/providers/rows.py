"""Reads the rows of a provider's answer one by one, so that a bad row affects no others. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

import msgspec

from app.core import json_decoding
from app.predictions.providers.offer import LONGEST_FAULT, RowFault

Row = TypeVar("Row")
LONGEST_ID = 120  # characters of an id that a fault names


class Rows(Generic[Row]):
    """The rows of one list: good ones with their positions, and faults of the others."""

    def __init__(self) -> None:
        self.good: list[Row] = []
        self.places: list[str] = []
        self.faults: list[RowFault] = []

    def read(self, place: str, raw: Any, convert: Callable[[Any], Row]) -> None:
        """Read one row. If it cannot be converted, its subject is taken from `raw`."""
        try:
            row = convert(raw)
        except (msgspec.ValidationError, ValueError, OverflowError) as error:
            message = (
                json_decoding.explain(error)
                if isinstance(error, msgspec.MsgspecError)
                else str(error)
            )
            field, colon, text = message.partition(": ")
            if not colon:
                field, text = "", message
            self.faults.append(RowFault(place, _subject(raw), field, f"{text[:LONGEST_FAULT]}."))
        else:
            self.good.append(row)
            self.places.append(place)


def read_json(
    name: str, raws: Iterable[msgspec.Raw], decoder: msgspec.json.Decoder[Row]
) -> Rows[Row]:
    """Read the rows of the list `name`.

    Raises msgspec.DecodeError and UnicodeDecodeError if it is not JSON at all.
    """
    rows: Rows[Row] = Rows()
    for number, raw in enumerate(raws):

        def convert(raw: msgspec.Raw) -> Row:
            if (field := json_decoding.field_with_nul(bytes(raw))) is not None:
                raise ValueError(f"{field}: a zero character (\\u0000) cannot be stored")
            return decoder.decode(raw)

        rows.read(f"{name}[{number}]", raw, convert)
    return rows


def _subject(raw: Any) -> str:
    """Return the id in a bad row, if there is one."""
    row = msgspec.json.decode(raw) if isinstance(raw, msgspec.Raw) else raw
    if not isinstance(row, dict):
        return ""
    identifier = row.get("id", row.get("slug", ""))
    return (
        str(identifier).replace("\x00", "")[:LONGEST_ID]
        if isinstance(identifier, str | int)
        else ""
    )
