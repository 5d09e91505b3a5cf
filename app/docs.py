"""Documents made from the code, so that they cannot disagree with it; a test holds them current."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import jinja2
import msgspec

from app.api.document import document, unindented
from app.core import input_limits
from app.predictions.points import PointRule
from app.predictions.providers.offer import Offer
from app.record.events import GameEvent, catalogue
from app.scores.events import ScoreEvent
from app.settings import Settings
from app.stream.topics import TOPICS
from scorer_console.keys.foul_codes import FOUL_CODES
from scorer_console.keys.rules import ACTIONS, STANDARD

TEMPLATES = Path(__file__).parent.parent / "templates"


def generated() -> dict[str, str]:
    """Path below docs/ and text of every generated document."""
    return {
        "console-fouls.json": json.dumps(dict(FOUL_CODES), indent=2) + "\n",
        "console-keys.json": json.dumps(dict(STANDARD), indent=2) + "\n",
        "input-limits.md": input_limits_table(),
        "openapi.json": json.dumps(document(), indent=2) + "\n",
        "schema/event-types.json": json.dumps(catalogue(), indent=2) + "\n",
        "schema/game-events.v1.json": schema("game-events.v1", GameEvent),
        "schema/point-rule.json": schema("point-rule", PointRule),
        "schema/provider.json": schema("provider", Offer),
        "schema/score-events.v1.json": schema("score-events.v1", ScoreEvent),
        "scorer.html": scorer_manual(),
        "settings.md": settings_table(),
        "topics.md": topics_table(),
    }


def schema(title: str, message: type[msgspec.Struct]) -> str:
    """JSON Schema (2020-12) of a message of the topic `title`, or of a file."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return json.dumps(head | unindented(msgspec.json.schema(message)), indent=2) + "\n"


def scorer_manual() -> str:
    """The scorer's manual with the usual keys, as one page to print."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, keep_trailing_newline=True
    )
    manual = templates.get_template("console/manual.html")
    return manual.render(
        actions=ACTIONS,
        keys=STANDARD,
        fouls=[(code, names[0]) for code, names in FOUL_CODES.items()],
        css="../static/css/manual.css",
    )


def settings_table() -> str:
    """The table of all settings, as Markdown."""
    lines = [
        "# Settings",
        "",
        "Read from the environment at start. All mistakes are reported at once. Made by `pressbox "
        "docs`.",
        "",
        "| variable | default | meaning | example |",
        "|---|---|---|---|",
    ]
    for f in fields(Settings):
        default = f.default if f.default != "" else "(empty)"
        lines.append(
            f"| `{f.metadata['env']}` | {default} | {f.metadata['meaning']} | "
            f"`{f.metadata['example']}` |"
        )
    return "\n".join(lines) + "\n"


def input_limits_table() -> str:
    """The table of what may come in over HTTP, as Markdown."""
    lines = [
        "# Limits of input",
        "",
        "How much may come in over HTTP, and the answer to more. Made by `pressbox docs` from",
        "`app/core/input_limits.py`. Other inputs: [security.md](security.md#limits-of-input).",
        "",
        "| input | at most | answer to more |",
        "|---|---|---|",
    ]
    lines += [f"| {limit.what} | {limit.most} | {limit.answer} |" for limit in input_limits.TABLE]
    return "\n".join(lines) + "\n"


def topics_table() -> str:
    """The table of all topics, as Markdown."""
    lines = ["# Topics", "", "The catalogue of the stream. Made by `pressbox docs`."]
    for topic in TOPICS:
        lines += [
            "",
            f"## {topic.name}",
            "",
            f"- key: {topic.key}",
            f"- order: {topic.order}",
            f"- written by: {topic.producers}",
            f"- read by: {topic.consumers}",
            f"- kept for: {topic.retention_ms // (24 * 3600 * 1000)} days",
            f"- schema: [schema/{topic.name}.json](schema/{topic.name}.json)",
        ]
    return "\n".join(lines) + "\n"
