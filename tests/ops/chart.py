"""Renders deploy/helm/pressbox for tests, with the sets of values in its folder `ci`."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.tools import HELM
from workers.rq_worker import PARTS

CHART = Path(__file__).parents[2] / "deploy/helm/pressbox"
SETS = sorted(path.stem for path in (CHART / "ci").glob("*.yaml"))

Document = dict[str, Any]

needs_helm = pytest.mark.needs_tools("helm")


def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What helm says; it reaches nothing but the chart's folder."""
    return subprocess.run([HELM, *arguments], capture_output=True, text=True, check=False)


def values_of(name: str) -> str:
    return str(CHART / "ci" / f"{name}.yaml")


@dataclass(frozen=True)
class Rendered:
    documents: list[Document]

    def of(self, kind: str) -> dict[str, Document]:
        """Documents of a kind by their names, without the release's."""
        matching = [document for document in self.documents if document["kind"] == kind]
        named = {
            document["metadata"]["name"].removeprefix("pressbox").removeprefix("-"): document
            for document in matching
        }
        assert len(named) == len(matching), f"two documents of {kind} have one name"
        return named

    def pods(self) -> dict[str, Document]:
        """The template of each pod, by its process; `migrate` too."""
        return {
            name: resource["spec"]["template"]
            for kind in ("Deployment", "Job")
            for name, resource in self.of(kind).items()
        }


@cache
def rendered(values: str, *more: str) -> Rendered:
    """The chart with a set of `ci` and further `key=value`."""
    done = ran(
        "template",
        "pressbox",
        str(CHART),
        "-f",
        values_of(values),
        *(f"--set={setting}" for setting in more),
    )
    assert done.returncode == 0, done.stderr
    return Rendered([document for document in yaml.safe_load_all(done.stdout) if document])


def refusal(values: str, *more: str) -> str:
    """What is said of values that are wrong."""
    done = ran(
        "template",
        "pressbox",
        str(CHART),
        "-f",
        values_of(values),
        *(f"--set={setting}" for setting in more),
    )
    assert done.returncode != 0, f"{more} was taken"
    assert not done.stdout
    return done.stderr


def container(template: Document) -> Document:
    (only_container,) = template["spec"]["containers"]
    return dict(only_container)


def environment(template: Document) -> dict[str, Document]:
    """By name, what a container is given: `value` or `valueFrom`."""
    variables = container(template)["env"]
    by_name = {variable["name"]: variable for variable in variables}
    assert len(by_name) == len(variables), "a setting is given twice"
    return by_name


def selects(selector: Document, labels: dict[str, str]) -> bool:
    """Whether a selector of Kubernetes takes what has these labels."""
    matched = all(
        labels.get(key) == value for key, value in selector.get("matchLabels", {}).items()
    )
    for requirement in selector.get("matchExpressions", []):
        assert requirement["operator"] == "In", requirement
        matched = matched and labels.get(requirement["key"]) in requirement["values"]
    return matched


def kinds_of(arguments: list[str]) -> set[str]:
    """Kinds of workers that a command names, else none."""
    for module in ("workers.rq_worker", "workers.worker_pool"):
        if module in arguments:
            return set(arguments[arguments.index(module) + 1 :]) - PARTS.keys()
    return set()


def processes() -> dict[str, Document]:
    """files/processes.yaml."""
    return dict(yaml.safe_load((CHART / "files/processes.yaml").read_text()))


def secrets() -> dict[str, str]:
    """files/secrets.yaml."""
    return dict(yaml.safe_load((CHART / "files/secrets.yaml").read_text()))


def schema() -> Document:
    return dict(json.loads((CHART / "values.schema.json").read_text()))
