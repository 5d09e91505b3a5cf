"""Generates the methods of the Python client: one module per tag, one method per operation.

There are packages that make clients for Python; all bring an HTTP library and a class per
schema. This client is a folder to copy, on the standard library alone, with dicts as the document
says, so its methods come from this template; how a request is sent, and again, is written by hand
(calls.py). Called by generate.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import fill
from typing import Any

NOT_FOR_SERVERS = {"create_own_token"}  # signed by a browser's cookie
# Sent once only, as a second try after a lost answer does harm: it makes a second one, or uses up a
# token.
ONCE = {"create_webhook", "make_rollback", "refresh_token"}
# What is made up if left out, so that a second try of the same call counts once.
MADE_UP = {
    ("submit_score", "idempotency_key"): "attempt_id",
    ("add_points", "idempotency_key"): "str(uuid.uuid4())",
    ("issue_attempt", "attempt_id"): "str(uuid.uuid4())",
}
STREAMS = {"application/x-ndjson": "_lines", "text/event-stream": "_events"}
WIDTH = 88  # of a docstring
MOST_PARAMETERS = 8  # more, and the optional ones are a TypedDict
KINDS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


@dataclass(frozen=True)
class Parameter:
    """`wire`: its name in the request; `place`: path, query, header or body."""

    name: str
    wire: str
    place: str
    kind: str
    required: bool


def python_name(name: str) -> str:
    """Of a header or of a field: `X-Device-Id` is x_device_id, `goalKeeper` is goal_keeper."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("-", "_")


def modules(document: Mapping[str, Any]) -> dict[str, str]:
    """The text of each module of `pressbox_client/operations` by its name; not formatted yet."""
    by_tag: dict[str, list[tuple[str, str, Any]]] = {}
    for path, methods in sorted(document["paths"].items()):
        for method, said in sorted(methods.items()):
            if said["operationId"] not in NOT_FOR_SERVERS:
                by_tag.setdefault(said["tags"][0], []).append((method.upper(), path, said))
    found, names = {}, []
    for tag, operations in sorted(by_tag.items()):
        module = tag.lower().replace(" ", "_")
        name = "".join(word.capitalize() for word in tag.split())
        names.append((module, name))
        found[f"{module}.py"] = _module(tag, name, operations, document["components"]["schemas"])
    imports = "\n".join(f"from .{module} import {name}" for module, name in names)
    bases = ", ".join(name for _, name in names)
    about = (
        '"""All operations of the API. Written by `python -m clients.generate`: change nothing '
        'here."""'
    )
    found["__init__.py"] = (
        f"{about}\n\nfrom __future__ import annotations\n\n{imports}\n\n__all__ = "
        '["Operations"]\n\n\n'
        f'class Operations({bases}):\n    """One method per operation."""\n'
    )
    return found


def _module(
    tag: str, name: str, operations: list[tuple[str, str, Any]], schemas: Mapping[str, Any]
) -> str:
    written = [_method(method, path, said, schemas) for method, path, said in operations]
    body = "\n".join(options for options, _ in written if options)
    body += f'\n\nclass {name}(Calls):\n    """Operations of the tag {tag}."""\n\n' + "\n".join(
        text for _, text in written
    )
    used = [one for one in ("Calls", "Json", "known", "part") if re.search(rf"\b{one}\b", body)]
    imports = ["from __future__ import annotations\n"]
    imports += ["import uuid"] if "uuid." in body else []
    imports += ["from collections.abc import Iterator"] if "Iterator[" in body else []
    typed = [one for one in ("Any", "TypedDict", "Unpack") if re.search(rf"\b{one}\b", body)]
    imports += [f"from typing import {', '.join(typed)}"] if typed else []
    imports.append(f"\nfrom ..calls import {', '.join(used)}")
    about = f'"""{tag}. Written by `python -m clients.generate`: change nothing here."""'
    return f"{about}\n\n" + "\n".join(imports) + "\n\n" + body


def _method(method: str, path: str, said: Any, schemas: Mapping[str, Any]) -> tuple[str, str]:
    """The TypedDict of its optional parameters where they are many, and the method."""
    name = said["operationId"]
    found = _parameters(path, said, schemas)
    placed = [one for one in found if one.place == "path"]
    required = [one for one in found if one.place != "path" and one.required]
    optional = [one for one in found if one.place != "path" and not one.required]
    many = len(found) > MOST_PARAMETERS
    signature = ["self", *(f"{one.name}: {one.kind}" for one in placed)]
    signature += ["*"] if required or (optional and not many) else []
    signature += [f"{one.name}: {one.kind}" for one in required]
    options = ""
    if many:
        kind = "".join(word.capitalize() for word in name.split("_")) + "Options"
        fields = "\n".join(f"    {one.name}: {one.kind} | None" for one in optional)
        options = (
            f"\nclass {kind}(TypedDict, total=False):\n"
            f'    """Optional parameters of `{name}`."""\n\n{fields}\n'
        )
        signature.append(f"**options: Unpack[{kind}]")
    else:
        signature += [f"{one.name}: {one.kind} | None = None" for one in optional]
    media_type = next(iter(next(iter(said["responses"].values())).get("content", {"": None})))
    call = STREAMS.get(media_type, "_call")
    gives = "Iterator[Json]" if call in STREAMS.values() else "Json"
    text = f"    def {name}({', '.join(signature)}) -> {gives}:\n{_docstring(said, name)}"
    text += f"        given = known({kind}, options)\n" if many else ""
    arguments = [f'"{method}"', _path(path, placed)]
    for place, argument in (("query", "query"), ("header", "headers"), ("body", "body")):
        values = [
            f'"{one.wire}": {_value(name, one, many)}'
            for one in [*required, *optional]
            if one.place == place
        ]
        arguments += [f"{argument}={{{', '.join(values)}}}"] if values else []
    if "requestBody" in said and not any(one.place == "body" for one in found):
        arguments.append("body={}")
    arguments += ["tries=1"] if name in ONCE else []
    return options, text + f"        return self.{call}({', '.join(arguments)})\n"


def _value(operation: str, one: Parameter, many: bool) -> str:
    value = f'given.get("{one.name}")' if many and not one.required else one.name
    made_up = MADE_UP.get((operation, one.name))
    return f"{value} or {made_up}" if made_up else value


def _path(path: str, placed: list[Parameter]) -> str:
    for one in placed:
        value = one.name if one.kind == "str" else f"str({one.name})"
        path = path.replace(f"{{{one.wire}}}", f"{{part({value})}}")
    return f'f"{path}"' if placed else f'"{path}"'


def _docstring(said: Any, name: str) -> str:
    parts = [f"{said['summary']}.", said.get("description", "")]
    parts += ["Sent once only, whatever is answered."] if name in ONCE else []
    parts += [
        f"`{field}` is made up if left out." for operation, field in MADE_UP if operation == name
    ]
    paragraphs = (
        "\n\n".join(part for part in parts if part)
        .replace("\\", "\\\\")
        .replace('"""', "'''")
        .split("\n\n")
    )
    lines = "\n\n".join(fill(one, WIDTH) for one in paragraphs).splitlines()
    text = "\n".join(f"        {line}".rstrip() for line in lines).strip()
    return f'        """{text}"""\n' if len(lines) == 1 else f'        """{text}\n        """\n'


def _parameters(path: str, said: Any, schemas: Mapping[str, Any]) -> list[Parameter]:
    """Those of the path in its order, then the others in the document's."""
    given = [
        Parameter(
            python_name(one["name"]),
            one["name"],
            one["in"],
            _kind(one["schema"], schemas),
            one["required"],
        )
        for one in said.get("parameters", ())
    ]
    order = re.findall(r"{(\w+)}", path)
    given.sort(key=lambda one: order.index(one.wire) if one.place == "path" else len(order))
    if "requestBody" in said:
        schema = schemas[
            said["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        ]
        given += [
            Parameter(
                python_name(wire),
                wire,
                "body",
                _kind(one, schemas),
                wire in schema.get("required", ()),
            )
            for wire, one in schema["properties"].items()
        ]
    return given


def _kind(schema: Any, schemas: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _kind(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "anyOf" in schema:
        return " | ".join(
            dict.fromkeys(
                kind for one in schema["anyOf"] if (kind := _kind(one, schemas)) != "None"
            )
        )
    if "enum" in schema or "const" in schema:
        return (
            "str"
            if all(isinstance(one, str) for one in schema.get("enum", [schema.get("const")]))
            else "Any"
        )
    kind = schema.get("type")
    if kind == "array":
        return f"list[{_kind(schema.get('items', {}), schemas)}]"
    if kind == "object":
        return "dict[str, Any]"
    return KINDS.get(kind, "Any")
