"""Reads settings as forms send them, field by field, with a sentence for each that is wrong. Pure.

Which values a field takes is declared with the settings (settings.py), so a limit is written once.
What makes values impossible together is in setting_faults.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec import inspect

from app.core.numbers import typed_whole
from app.core.refusals import Refusal

Part = TypeVar("Part", bound=msgspec.Struct)
Raw = str | Sequence[str] | bool | None


def read_part(current: Part, values: Mapping[str, Raw], path: str = "") -> Part | list[Refusal]:
    """This part of the settings with these values of its fields, or everything wrong with them.

    Args:
        current: The part as it is; fields without a value stay.
        values: By the field's name: text for numbers and choices ('' for None), whether a box is
            ticked, a list for fields that hold several.
        path: The part's place in the settings, for the refusals' fields.
    """
    declared = inspect.type_info(type(current))
    assert isinstance(declared, inspect.StructType)
    read: dict[str, object] = {}
    refused: list[Refusal] = []
    for field in declared.fields:
        if field.name not in values:
            continue
        value = _value(values[field.name], field.type)
        if isinstance(value, _Wrong):
            name = f"{path}.{field.name}" if path else field.name
            refused.append(Refusal(field.name, name, value.text))
        else:
            read[field.name] = value
    if refused:
        return refused
    return msgspec.structs.replace(current, **read)


class _Wrong(msgspec.Struct, frozen=True):
    """A value that does not fit, with the sentence for whoever typed it."""

    text: str


def _value(raw: Raw, declared: inspect.Type) -> object:
    if isinstance(declared, inspect.UnionType):
        if not raw:
            return None
        declared = next(each for each in declared.types if not isinstance(each, inspect.NoneType))
    if isinstance(declared, inspect.Metadata):
        declared = declared.type
    if isinstance(declared, inspect.BoolType):
        return bool(raw)
    if isinstance(declared, inspect.VarTupleType):
        return _several(raw, declared.item_type)
    text = raw.strip() if isinstance(raw, str) else ""
    if isinstance(declared, inspect.IntType):
        return _number(text, declared)
    if isinstance(declared, inspect.LiteralType):
        return text if text in declared.values else _Wrong("Choose one from the list.")
    if isinstance(declared, inspect.StrType):
        return _text(text, declared)
    raise TypeError(f"no form sends a {declared}")


def _several(raw: Raw, item: inspect.Type) -> object:
    texts = [raw] if isinstance(raw, str) else raw
    values = [_value(text, item) for text in texts] if isinstance(texts, Sequence) else []
    wrong = next((value for value in values if isinstance(value, _Wrong)), None)
    return wrong if wrong is not None else tuple(values)


def _number(text: str, declared: inspect.IntType) -> object:
    number = typed_whole(text)
    least, most = declared.ge, declared.le
    if number is None or (least is not None and number < least) or (most and number > most):
        return _Wrong(f"Enter a whole number from {least} to {most:,}.")
    return number


def _text(text: str, declared: inspect.StrType) -> object:
    if declared.pattern and not re.fullmatch(declared.pattern.strip("^$"), text):
        return _Wrong("Enter a time like 09:30.")
    return text
