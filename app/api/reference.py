"""The document as rows for the reference page: operations by tag, each with its fields in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any

from app.api.document import document

WHO = {"apiKey": "API key", "playerToken": "player's token", "session": "signed-in member"}
BOUNDS = {
    "minimum": "from {}",
    "maximum": "to {}",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "default": "{} if left out",
}


@dataclass(frozen=True)
class Field:
    name: str
    kind: str
    required: bool
    text: str


@dataclass(frozen=True)
class Answer:
    status: int
    phrase: str
    text: str
    fields: Sequence[Field]


@dataclass(frozen=True)
class Entry:
    id: str
    method: str
    path: str
    summary: str
    description: Sequence[str]  # paragraphs
    who: str
    parameters: Sequence[Field]
    body: Sequence[Field]
    answers: Sequence[Answer]
    problems: Sequence[Answer]


@dataclass(frozen=True)
class Section:
    name: str
    text: str
    entries: Sequence[Entry]


@cache
def reference() -> list[Section]:
    """Sections in the order of the document's tags, entries in the order of its paths."""
    whole = document()
    entries = [
        (said["tags"][0], _entry(method, path, said))
        for path, methods in whole["paths"].items()
        for method, said in methods.items()
    ]
    sections = [
        Section(tag["name"], tag["description"], [entry for name, entry in entries if name == tag["name"]])
        for tag in whole["tags"]
    ]
    return [section for section in sections if section.entries]


def _entry(method: str, path: str, said: Mapping[str, Any]) -> Entry:
    answers = [_answer(int(status), answer) for status, answer in said["responses"].items()]
    return Entry(
        id=said["operationId"],
        method=method.upper(),
        path=path,
        summary=said["summary"],
        description=[text for text in said.get("description", "").replace("`", "").split("\n\n") if text],
        who=_who(said["security"]),
        parameters=[_parameter(one) for one in said.get("parameters", ())],
        body=list(_fields(_schema(said["requestBody"]))) if "requestBody" in said else [],
        answers=[answer for answer in answers if answer.status < 400],
        problems=[answer for answer in answers if answer.status >= 400],
    )


def _parameter(one: Mapping[str, Any]) -> Field:
    text = _text(one.get("description", ""), one["schema"])
    return Field(one["name"], f"{_kind(one['schema'])} ({one['in']})", one["required"], text)


def _who(security: Sequence[Mapping[str, Sequence[str]]]) -> str:
    ways = [
        WHO[name] + (f" with the scope {', '.join(scopes)}" if scopes else "")
        for way in security
        for name, scopes in way.items()
    ]
    signed = " or ".join(ways)
    if {} in security:
        return f"everybody; signed with {signed}, more may be shown"
    return signed or "everybody"


def _answer(status: int, answer: Mapping[str, Any]) -> Answer:
    fields = list(_fields(_schema(answer))) if status < 400 and "content" in answer else []
    return Answer(status, HTTPStatus(status).phrase, answer["description"].replace("`", ""), fields)


def _schema(holder: Mapping[str, Any]) -> Mapping[str, Any]:
    (content,) = holder["content"].values()
    return _resolved(content["schema"])


def _resolved(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" in schema:
        found: Mapping[str, Any] = document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return found
    return schema


def _fields(schema: Mapping[str, Any], before: str = "") -> Iterator[Field]:
    """The fields of an object, those of objects in it after it, as `entries[].rank`."""
    for name, kind in schema.get("properties", {}).items():
        text = _text(kind.get("description", ""), kind)
        yield Field(before + name, _kind(kind), name in schema.get("required", ()), text)
        inner = _resolved(kind.get("items", kind))
        if inner.get("properties"):
            yield from _fields(inner, f"{before}{name}{'[]' if 'items' in kind else ''}.")


def _kind(schema: Mapping[str, Any]) -> str:
    schema = _resolved(schema)
    if "anyOf" in schema:
        return " or ".join(_kind(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(str(one) for one in schema["enum"])
    if "items" in schema:
        return f"list of {_kind(schema['items'])}"
    return str(schema.get("format") or schema.get("type", "anything"))


def _text(text: str, schema: Mapping[str, Any]) -> str:
    """The description, and the bounds in words."""
    bounds = [words.format(schema[name]) for name, words in BOUNDS.items() if schema.get(name) not in (None, {})]
    return " ".join([text.replace("`", ""), f"({', '.join(bounds)})" if bounds else ""]).strip()
