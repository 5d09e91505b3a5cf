"""The processes of production: one per role (deploy/helm/pressbox/files/processes.yaml).

On one machine several roles share a process (workers/supervisor/processes.py), so there a fault of
one role would be a fault of others too.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from workers.supervisor.processes import Command, worker

ROLES = Path(__file__).parents[1] / "deploy/helm/pressbox/files/processes.yaml"


def commands_of_roles() -> list[Command]:
    """The command of each role but the web server's, by its name; `worker-1` ingests."""
    roles = yaml.safe_load(ROLES.read_text())
    return [
        worker(1) if name == "ingest" else Command(name, [sys.executable, "-m", *role["run"]])
        for name, role in roles.items()
        if name != "web"
    ]
