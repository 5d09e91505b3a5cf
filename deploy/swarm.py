"""Prints docker-compose.yml as a Swarm takes it: `python deploy/swarm.py | docker stack deploy -c -
pressbox`.

A Swarm knows no conditions of `depends_on`, no builds and no names of its own for variables that
are not set: those are filled in from the environment. Everything else stays as it is. The order of
start is no matter: each process waits for its stores, and `migrate` is tried again until it is
through.
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
LEFT_OUT = ("depends_on", "build", "restart", "security_opt")  # of these a stack takes none


def filled(text: str, environ: dict[str, str]) -> str:
    """With the values of variables; exits with what to set where one that is needed is missing."""

    def value(found: re.Match[str]) -> str:
        name, kind, said = found.groups()
        if environ.get(name):
            return environ[name]
        if kind == "?":
            sys.exit(f"{name}: {said}")
        return said or ""

    return VARIABLE.sub(value, text)


def stack(environ: dict[str, str]) -> dict[str, Any]:
    compose: dict[str, Any] = yaml.safe_load(filled(COMPOSE.read_text(), environ))
    services = {
        name: {key: value for key, value in service.items() if key not in LEFT_OUT}
        for name, service in compose["services"].items()
    }
    found = {name: value for name, value in compose.items() if not name.startswith("x-")}
    folder = COMPOSE.parent
    for kind in ("secrets", "configs"):
        found[kind] = {
            name: {"file": str(folder / one["file"])} for name, one in compose[kind].items()
        }
    return {"version": "3.8", **found, "services": services}


if __name__ == "__main__":
    yaml.safe_dump(stack(dict(os.environ)), sys.stdout, sort_keys=False)
