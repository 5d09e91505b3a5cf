"""Reads single values of Sleeper's documents, and says in words what is wrong with one. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from app.core.numbers import typed_whole


class UnreadableDocumentError(ValueError):
    """A document is not as Sleeper publishes it. The text says where, and what to do."""


@dataclass(frozen=True)
class Values:
    """The values of an object of a document.

    Attributes:
        about: What the object describes, such as "roster 3".
        values: As the JSON has them.
        names_read: The values that were asked for, so that the others can be told.
    """

    about: str
    values: Mapping[str, object]
    names_read: set[str] = field(default_factory=set)

    def whole(self, name: str, absent: int | None = None, *, least: int = 0, most: int) -> int:
        """A whole number; `absent` if the document has none, and an error without `absent`."""
        value = self._value(name)
        if value is None and absent is not None:
            return absent
        number = typed_whole(value) if isinstance(value, str) else value
        if isinstance(number, float) and number.is_integer():
            number = int(number)
        if not isinstance(number, int) or not least <= number <= most:
            raise self._error(name, value, f"a whole number from {least} to {most:,}")
        return int(number)

    def thousandths(self, name: str, most: int) -> int | None:
        """A number times 1000, rounded; None if the document has none. `most`: in thousandths."""
        value = self._value(name)
        if value is None:
            return None
        is_number = isinstance(value, (int, float)) and math.isfinite(value)
        if not is_number or abs(value) * 1000 > most:  # type: ignore[arg-type]
            raise self._error(name, value, f"a number up to {most // 1000:,}")
        return round(value * 1000)  # type: ignore[operator]

    def text(self, name: str) -> str:
        """A text; '' if the document has none."""
        value = self._value(name)
        if value is None:
            return ""
        if not isinstance(value, (str, int)):
            raise self._error(name, value, "a text")
        return str(value).strip()

    def ids(self, name: str) -> list[str]:
        """A list of ids; empty if the document has none."""
        value = self._value(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(each, (str, int)) for each in value):
            raise self._error(name, value, "a list of ids")
        return [str(each) for each in value]

    def inner(self, name: str, about: str) -> Values:
        """An object inside this one; an empty one if the document has none."""
        value = self._value(name)
        if value is None:
            return Values(about, {})
        if not isinstance(value, dict):
            raise self._error(name, value, "an object")
        return Values(about, value)

    def unread(self) -> Iterator[str]:
        """The names of values that nobody asked for and that are neither empty nor 0."""
        return (
            name for name, value in self.values.items() if value and name not in self.names_read
        )

    def _value(self, name: str) -> object:
        self.names_read.add(name)
        return self.values.get(name)

    def _error(self, name: str, value: object, expected: str) -> UnreadableDocumentError:
        quoted = "nothing" if value is None else f"“{str(value)[:20]}”"
        return UnreadableDocumentError(
            f"{self.about[0].upper()}{self.about[1:]} gives {quoted} for {name} instead of "
            f"{expected}. Save that Sleeper page again."
        )
