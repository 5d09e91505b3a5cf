"""Generates the methods of the Python client: one module per tag, one method per operation.

There are packages that generate clients for Python, but all need an HTTP library and write a class
per schema. This client is a folder to copy that needs only the standard library and uses dicts, so
its methods come from this template. Sending requests and retries are written by hand (calls.py).
generate.py calls this module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import fill
from typing import Any

NOT_FOR_SERVERS = {"create_own_token"}  # authenticated by a browser's cookie
# Never retried, because a retry after a lost answer creates a second row or uses up a
# token.
ONCE = {"create_webhook", "make_rollback", "refresh_token"}
# Default values of parameters, so that a retry of the same call counts once.
MADE_UP = {
    ("submit_score", "idempotency_key"): "attempt_id",
    ("add_points", "idempotency_key"): "str(uuid.uuid4())",
    ("issue_attempt", "attempt_id"): "str(uuid.uuid4())",
}
STREAMS = {"application/x-ndjson": "_lines", "text/event-stream": "_events"}
WIDTH = 88  # of a docstring
MOST_PARAMETERS = 8  # with more of them, the optional ones are a TypedDict
KINDS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


@dataclass(frozen=True)
class Parameter:
    """A parameter: its name here and in the request, and its place there (path, query, ...)."""

    name: str
    wire: str
    place: str
    kind: str
    required: bool


def python_name(name: str) -> str:
    """Return the name of a header or a field: `X-Device-Id` becomes x_device_id."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("-", "_")


def modules(document: Mapping[str, Any]) -> dict[str, str]:
    """Return the unformatted text of each module of `pressbox_client/operations` by its name."""
    by_tag: dict[str, list[tuple[str, str, Any]]] = {}
    for path, methods in sorted(document["paths"].items()):
        for method, operation in sorted(methods.items()):
            if operation["operationId"] not in NOT_FOR_SERVERS:
                by_tag.setdefault(operation["tags"][0], []).append(
                    (method.upper(), path, operation)
                )
    texts, names = {}, []
    for tag, operations in sorted(by_tag.items()):
        module = tag.lower().replace(" ", "_")
        name = "".join(word.capitalize() for word in tag.split())
        names.append((module, name))
        texts[f"{module}.py"] = _module(tag, name, operations, document["components"]["schemas"])
    imports = "\n".join(f"from .{module} import {name}" for module, name in names)
    bases = ", ".join(name for _, name in names)
    about = (
        '"""All operations of the API. Written by `python -m clients.generate`: change nothing '
        'here."""'
    )
    texts["__init__.py"] = (
        f"{about}\n\nfrom __future__ import annotations\n\n{imports}\n\n__all__ = "
        '["Operations"]\n\n\n'
        f'class Operations({bases}):\n    """One method per operation."""\n'
    )
    return texts


def _module(
    tag: str, name: str, operations: list[tuple[str, str, Any]], schemas: Mapping[str, Any]
) -> str:
    written = [_method(method, path, operation, schemas) for method, path, operation in operations]
    body = "\n".join(options for options, _ in written if options)
    body += f'\n\nclass {name}(Calls):\n    """Operations of the tag {tag}."""\n\n' + "\n".join(
        text for _, text in written
    )
    used = [symbol for symbol in ("Calls", "Json", "known", "part") if _is_used(symbol, body)]
    imports = ["from __future__ import annotations\n"]
    imports += ["import uuid"] if "uuid." in body else []
    imports += ["from collections.abc import Iterator"] if "Iterator[" in body else []
    typed = [symbol for symbol in ("Any", "TypedDict", "Unpack") if _is_used(symbol, body)]
    imports += [f"from typing import {', '.join(typed)}"] if typed else []
    imports.append(f"\nfrom ..calls import {', '.join(used)}")
    about = f'"""{tag}. Written by `python -m clients.generate`: change nothing here."""'
    return f"{about}\n\n" + "\n".join(imports) + "\n\n" + body


def _is_used(name: str, body: str) -> bool:
    return re.search(rf"\b{name}\b", body) is not None


def _method(method: str, path: str, operation: Any, schemas: Mapping[str, Any]) -> tuple[str, str]:
    """Return the TypedDict of the optional parameters, if there are many, and the method."""
    name = operation["operationId"]
    parameters = _parameters(path, operation, schemas)
    placed = [parameter for parameter in parameters if parameter.place == "path"]
    required = [
        parameter for parameter in parameters if parameter.place != "path" and parameter.required
    ]
    optional = [
        parameter
        for parameter in parameters
        if parameter.place != "path" and not parameter.required
    ]
    many = len(parameters) > MOST_PARAMETERS
    signature = ["self", *(f"{parameter.name}: {parameter.kind}" for parameter in placed)]
    signature += ["*"] if required or (optional and not many) else []
    signature += [f"{parameter.name}: {parameter.kind}" for parameter in required]
    options = ""
    if many:
        kind = "".join(word.capitalize() for word in name.split("_")) + "Options"
        fields = "\n".join(
            f"    {parameter.name}: {parameter.kind} | None" for parameter in optional
        )
        options = (
            f"\nclass {kind}(TypedDict, total=False):\n"
            f'    """Optional parameters of `{name}`."""\n\n{fields}\n'
        )
        signature.append(f"**options: Unpack[{kind}]")
    else:
        signature += [f"{parameter.name}: {parameter.kind} | None = None" for parameter in optional]
    media_type = next(iter(next(iter(operation["responses"].values())).get("content", {"": None})))
    call = STREAMS.get(media_type, "_call")
    gives = "Iterator[Json]" if call in STREAMS.values() else "Json"
    text = f"    def {name}({', '.join(signature)}) -> {gives}:\n{_docstring(operation, name)}"
    text += f"        values = known({kind}, options)\n" if many else ""
    arguments = [f'"{method}"', _path(path, placed)]
    for place, argument in (("query", "query"), ("header", "headers"), ("body", "body")):
        values = [
            f'"{parameter.wire}": {_value(name, parameter, many)}'
            for parameter in [*required, *optional]
            if parameter.place == place
        ]
        arguments += [f"{argument}={{{', '.join(values)}}}"] if values else []
    if "requestBody" in operation and not any(
        parameter.place == "body" for parameter in parameters
    ):
        arguments.append("body={}")
    arguments += ["tries=1"] if name in ONCE else []
    return options, text + f"        return self.{call}({', '.join(arguments)})\n"


def _value(operation: str, parameter: Parameter, many: bool) -> str:
    value = f'values.get("{parameter.name}")' if many and not parameter.required else parameter.name
    made_up = MADE_UP.get((operation, parameter.name))
    return f"{value} or {made_up}" if made_up else value


def _path(path: str, placed: list[Parameter]) -> str:
    for parameter in placed:
        value = parameter.name if parameter.kind == "str" else f"str({parameter.name})"
        path = path.replace(f"{{{parameter.wire}}}", f"{{part({value})}}")
    return f'f"{path}"' if placed else f'"{path}"'


def _docstring(operation: Any, name: str) -> str:
    parts = [f"{operation['summary']}.", operation.get("description", "")]
    parts += ["Sent once only, whatever is answered."] if name in ONCE else []
    parts += [
        f"`{field}` is made up if left out." for made_for, field in MADE_UP if made_for == name
    ]
    paragraphs = (
        "\n\n".join(part for part in parts if part)
        .replace("\\", "\\\\")
        .replace('"""', "'''")
        .split("\n\n")
    )
    summary, *details = paragraphs
    lines = "\n\n".join([summary, *(fill(text, WIDTH) for text in details)]).splitlines()
    text = "\n".join(f"        {line}".rstrip() for line in lines).strip()
    return f'        """{text}"""\n' if len(lines) == 1 else f'        """{text}\n        """\n'


def _parameters(path: str, operation: Any, schemas: Mapping[str, Any]) -> list[Parameter]:
    """Return the parameters: of the path in its order, then the others in the document's."""
    parameters = [
        Parameter(
            python_name(entry["name"]),
            entry["name"],
            entry["in"],
            _kind(entry["schema"], schemas),
            entry["required"],
        )
        for entry in operation.get("parameters", ())
    ]
    order = re.findall(r"{(\w+)}", path)
    parameters.sort(
        key=lambda parameter: (
            order.index(parameter.wire) if parameter.place == "path" else len(order)
        )
    )
    if "requestBody" in operation:
        schema = schemas[
            operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition(
                "/"
            )[2]
        ]
        parameters += [
            Parameter(
                python_name(wire),
                wire,
                "body",
                _kind(property_schema, schemas),
                wire in schema.get("required", ()),
            )
            for wire, property_schema in schema["properties"].items()
        ]
    return parameters


def _kind(schema: Any, schemas: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _kind(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "anyOf" in schema:
        return " | ".join(
            dict.fromkeys(
                kind for option in schema["anyOf"] if (kind := _kind(option, schemas)) != "None"
            )
        )
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return "str" if all(isinstance(value, str) for value in values) else "Any"
    kind = schema.get("type")
    if kind == "array":
        return f"list[{_kind(schema.get('items', {}), schemas)}]"
    if kind == "object":
        return "dict[str, Any]"
    return KINDS.get(kind, "Any")
