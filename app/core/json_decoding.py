"""Decode untrusted JSON into declared types; an error is one sentence that names the field.

Checks size, depth and unstorable text. The declarations say what a field may be.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from app.core.errors import UserError

Value = TypeVar("Value")

_ESCAPED_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
LONGEST_QUOTE = 200  # characters of the input that an error repeats
_AT = re.compile(r"^(?P<what>.*?)(?: - at `(?:key in )?\$(?P<path>[^`]*)`)?$", re.DOTALL)


class InvalidJsonError(UserError):
    """The data is refused; the text names the field, if there is one, and says what it must be."""


def decode(decoder: msgspec.json.Decoder[Value], data: bytes, *, most_bytes: int) -> Value:
    """Decode JSON into the declared value.

    Raises:
        InvalidJsonError: The data is invalid. Data that is too long is not read.
    """
    if len(data) > most_bytes:
        raise InvalidJsonError(f"it has {len(data):,} bytes, of at most {most_bytes:,}")
    if (field := field_with_nul(data)) is not None:
        where = f"{_short(field)}: " if field else ""
        raise InvalidJsonError(f"{where}holds the character U+0000, which cannot be stored")
    if (name := repeated_name(data)) is not None:
        raise InvalidJsonError(f"{name}: appears twice in one object; send it once")
    return parse(decoder, data)


def _finite(text: str) -> float:
    """To JSON Schema and to arithmetic, 1e999 is no number."""
    if math.isinf(number := float(text)):
        raise msgspec.ValidationError("Number out of range")
    return number


_plain: msgspec.json.Decoder[object] = msgspec.json.Decoder(object, float_hook=_finite)


def count_values(data: bytes) -> int:
    """The most values that the JSON can hold, without reading it."""
    return data.count(b",") + data.count(b"[") + data.count(b"{")


def plain_json(data: bytes) -> object:
    """Decode JSON of which nothing is declared. Raises InvalidJsonError."""
    return parse(_plain, data)


def parse(decoder: msgspec.json.Decoder[Value], data: bytes) -> Value:
    """Decode JSON without the checks of `decode`, whatever it is. Raises InvalidJsonError."""
    try:
        return decoder.decode(data)
    except msgspec.MsgspecError as error:
        raise InvalidJsonError(explain(error)) from error
    except UnicodeDecodeError as error:
        raise InvalidJsonError(f"a text is not UTF-8 ({error.reason})") from error
    except RecursionError as error:
        raise InvalidJsonError("it is nested too deep") from error


def explain(error: msgspec.MsgspecError) -> str:
    """Rewrite an error of msgspec as a sentence that begins with the field.

    >>> try:
    ...     msgspec.json.decode(b'{"period":"1"}', type=msgspec.defstruct("P", [("period", int)]))
    ... except msgspec.ValidationError as error:
    ...     explain(error)
    'period: expected `int`, got `str`'
    """
    match = _AT.match(str(error))
    assert match is not None  # every part of the pattern is optional
    what = _short(match["what"].strip())
    path = _short((match["path"] or "").lstrip("."))
    what = what.removeprefix("Object ")
    if (missing := re.match(r"missing required field `(\w+)`$", what)) is not None:
        where = f"{path}." if path else ""
        return f"{where}{missing[1]}: this field is missing"
    if not what.startswith("JSON"):
        what = what[:1].lower() + what[1:]
    return f"{path}: {what}" if path else what


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}..."


def field_with_nul(data: bytes) -> str | None:
    """The path of the JSON field that holds the character U+0000, such as `client_meta.build`.

    None if there is none, and empty for JSON that cannot be read.
    """
    # the regular expression takes ten times as long as looking for the text
    is_escaped = b"\\u0000" in data and _ESCAPED_NUL.search(data) is not None
    if b"\x00" not in data and not is_escaped:
        return None
    try:
        return _find_nul(msgspec.json.decode(data), ())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""


def repeated_name(data: bytes) -> str | None:
    """A name that occurs twice in one object, which readers interpret differently (RFC 8259, 4).

    None if there is none, or the data is not JSON.
    """
    repeated: list[str] = []

    def note(pairs: list[tuple[str, object]]) -> None:
        if not repeated and len(dict(pairs)) < len(pairs):
            name = first_repeated(name for name, _ in pairs)
            assert name is not None
            repeated.append(name)

    try:
        # msgspec writes our own messages again as they are; without a name that was given twice
        if msgspec.json.encode(msgspec.json.decode(data)) == data:
            return None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    try:
        json.loads(data, object_pairs_hook=note)
    except (ValueError, RecursionError):
        return None
    return _short(repeated[0]) if repeated else None


def first_repeated(names: Iterable[str]) -> str | None:
    """The first name that has occurred before.

    Linear in the number of names, because strangers send objects with many.
    """
    earlier: set[str] = set()
    for name in names:
        if name in earlier:
            return name
        earlier.add(name)
    return None


def _find_nul(value: object, path: tuple[str, ...]) -> str:
    if isinstance(value, str):
        return ".".join(path) if "\x00" in value else ""
    items: Iterable[tuple[object, object]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for name, item in items:
        if "\x00" in str(name):
            return ".".join((*path, repr(name)))
        if nul_path := _find_nul(item, (*path, str(name))):
            return nul_path
    return ""
