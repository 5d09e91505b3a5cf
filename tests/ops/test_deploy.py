"""The files in deploy/ name metrics that there are, and every alert has its page in the runbook."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.ops.metrics import METRICS

ROOT = Path(__file__).parents[2]
RULES = yaml.safe_load((ROOT / "deploy/alerts.yml").read_text())["groups"]
ALERTS = [rule for group in RULES for rule in group["rules"]]
DASHBOARD = json.loads((ROOT / "deploy/grafana-dashboard.json").read_text())
RUNBOOK = (ROOT / "docs/runbook.md").read_text()
DURATION = re.compile(r"\d+(?:ms|[smhdwy])(?:\d+(?:ms|[smhdwy]))*")
# The words of PromQL that our expressions use.
FUNCTIONS = {"absent", "increase", "rate", "sum", "max"}
WORDS = {"by", "or", "and", "on"}


def names_in(expression: str) -> set[str]:
    """Metrics that a PromQL expression names."""
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\bby\s*\([^)]*\)|\"[^\"]*\"", " ", expression)
    return set(re.findall(r"[a-zA-Z_:][\w:]*", bare)) - FUNCTIONS - WORDS


def labels_in(expression: str) -> set[tuple[str, str]]:
    """(metric, label) pairs of its selectors."""
    selectors = re.findall(r"(\w+)\{([^}]*)\}", expression)
    return {
        (metric, label)
        for metric, inside in selectors
        for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", inside)
    }


def check_expression(expression: str) -> None:
    assert expression.count("(") == expression.count(")"), expression
    names = names_in(expression)
    assert names, expression
    assert names <= METRICS.keys(), f"{names - METRICS.keys()} in {expression}"
    for metric, label in labels_in(expression):
        assert label in METRICS[metric][1], f"{metric} has no label {label}"
    for counter in re.findall(r"(?:rate|increase)\((\w+)", expression):
        assert counter.endswith("_total"), f"rate() of {counter}, which is no counter"
    for duration in re.findall(r"\[([^\]]*)\]", expression):
        assert DURATION.fullmatch(duration), duration


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_a_rule_is_whole_and_names_what_there_is(rule: dict[str, Any]) -> None:
    assert rule.keys() <= {"alert", "expr", "for", "labels", "annotations", "keep_firing_for"}
    assert re.fullmatch(r"Pressbox[A-Za-z]+", rule["alert"])
    check_expression(rule["expr"])
    assert DURATION.fullmatch(rule.get("for", "0s"))
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert rule["annotations"]["summary"]
    assert rule["annotations"]["runbook"] == f"docs/runbook.md#{rule['alert'].lower()}"
    used_labels = set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"]))
    known = {label for name in names_in(rule["expr"]) for label in METRICS[name][1]}
    assert used_labels <= known


def test_the_signals_of_the_platform_design_have_alerts() -> None:
    """Section 10: board writes that drop or spike, consumer lag, replica lag, fraud."""
    assert {
        "PressboxBoardWritesStopped",
        "PressboxBoardWritesSurge",
        "PressboxConsumerBehind",
        "PressboxReplicaBehind",
        "PressboxRedisReplicaBehind",
        "PressboxFraudRises",
    } <= {rule["alert"] for rule in ALERTS}


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_every_alert_has_a_section_that_says_what_it_means_and_what_to_do(
    rule: dict[str, Any],
) -> None:
    section = re.search(
        rf"^## {rule['alert']}\n(.*?)(?=^## |\Z)", RUNBOOK, re.MULTILINE | re.DOTALL
    )
    assert section is not None, f"docs/runbook.md has no section {rule['alert']}"
    assert "**Means:**" in section[1]
    assert "**Do:**" in section[1]


def test_names_of_alerts_are_their_own_and_the_runbook_has_no_others() -> None:
    names = [rule["alert"] for rule in ALERTS]
    assert len(set(names)) == len(names)
    assert set(re.findall(r"^## (Pressbox\w+)$", RUNBOOK, re.MULTILINE)) == set(names)


def test_commands_of_the_runbook_are_there() -> None:
    from app.cli import COMMANDS

    named = set(re.findall(r"`pressbox ([a-z-]+)", RUNBOOK))
    assert named
    assert named <= COMMANDS.keys()


def test_the_dashboard_shows_every_metric_and_no_other() -> None:
    expressions = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    for expression in expressions:
        check_expression(expression)
    used_names = {name for expression in expressions for name in names_in(expression)}
    assert METRICS.keys() - used_names == {"pressbox_slo_target_ratio"}
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def test_a_rule_with_a_fault_is_found() -> None:
    for expression in (
        "pressbox_nothing > 1",
        'pressbox_up{queue="x"} == 0',
        "rate(pressbox_up[5m])",
        "sum(pressbox_up",
    ):
        with pytest.raises(AssertionError):
            check_expression(expression)


def test_prometheus_reads_the_rules_and_asks_with_the_token() -> None:
    config = yaml.safe_load((ROOT / "deploy/prometheus.yml").read_text())
    assert config["rule_files"] == ["alerts.yml"]
    (job,) = config["scrape_configs"]
    assert (job["metrics_path"], job["authorization"]["type"]) == ("/metrics", "Bearer")


def test_the_stack_for_a_swarm_is_the_same_without_what_a_swarm_does_not_take() -> None:
    command = [sys.executable, str(ROOT / "deploy/swarm.py")]
    missing = subprocess.run(command, env={}, capture_output=True, text=True, check=False)
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "SITE_ADDRESS: set SITE_ADDRESS" in missing.stderr
    done = subprocess.run(
        command, env={"SITE_ADDRESS": "a.example"}, capture_output=True, text=True, check=True
    )
    stack, compose = (
        yaml.safe_load(done.stdout),
        yaml.safe_load((ROOT / "docker-compose.yml").read_text()),
    )
    assert stack["services"].keys() == compose["services"].keys()
    assert "${" not in done.stdout
    assert stack["services"]["proxy"]["environment"]["SITE_ADDRESS"] == "a.example"
    for name, service in stack["services"].items():
        assert not service.keys() & {"depends_on", "build", "restart"}, name
        assert service["deploy"] == compose["services"][name]["deploy"], name
    assert all(Path(secret["file"]).is_absolute() for secret in stack["secrets"].values())
