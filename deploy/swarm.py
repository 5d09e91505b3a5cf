"""Prints docker-compose.yml in the form that a Swarm takes.

    python deploy/swarm.py | docker stack deploy -c - pressbox

A Swarm has no conditions of `depends_on`, no builds and no defaults for variables: those are filled
in from the environment. Everything else stays as it is. The order of start does not matter: each
process waits for its stores, and `migrate` is tried again until it succeeds.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import yaml

COMPOSE = Path(__file__).parent.parent / "docker-compose.yml"
VARIABLE = re.compile(r"\$\{(\w+)(?::(-|\?)([^}]*))?\}")
LEFT_OUT = ("depends_on", "build", "restart", "security_opt")  # a stack refuses them


def filled(text: str, environ: dict[str, str]) -> str:
    """Fill in the variables. Exits with what to set if a required one is missing."""

    def value(match: re.Match[str]) -> str:
        name, kind, default_or_error = match.groups()
        if environ.get(name):
            return environ[name]
        if kind == "?":
            sys.exit(f"{name}: {default_or_error}")
        return default_or_error or ""

    return VARIABLE.sub(value, text)


def stack(environ: dict[str, str]) -> dict[str, Any]:
    """The stack file: the services without what a Swarm refuses, secrets and configs as files."""
    compose: dict[str, Any] = yaml.safe_load(filled(COMPOSE.read_text(), environ))
    services = {
        name: {key: value for key, value in service.items() if key not in LEFT_OUT}
        for name, service in compose["services"].items()
    }
    document = {name: value for name, value in compose.items() if not name.startswith("x-")}
    folder = COMPOSE.parent
    for kind in ("secrets", "configs"):
        document[kind] = {
            name: {"file": str(folder / entry["file"])} for name, entry in compose[kind].items()
        }
    return {"version": "3.8", **document, "services": services}


if __name__ == "__main__":
    yaml.safe_dump(stack(dict(os.environ)), sys.stdout, sort_keys=False)
