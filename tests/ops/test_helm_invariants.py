"""What the Helm chart promises.

Every process once, secrets from Secrets, closed networks, pods without rights.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest
import yaml
from flask import Flask

from app.core.jobs import WORKER_KINDS
from app.ops.health import PROCESSES
from app.setting_reading import settings_from_env
from app.settings import Settings
from tests.conftest import AnotherApp
from tests.ops.chart import (
    CHART,
    SETS,
    Document,
    container,
    environment,
    kinds_of,
    needs_helm,
    processes,
    rendered,
    secrets,
    selects,
)
from workers.rq_worker import PARTS
from workers.supervisor.processes import commands

ROOT = CHART.parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
# They get by with one: what they do waits meanwhile, and a budget for a single pod would hold up
# every drain.
WITHOUT_BUDGET = {"verifier", "scheduler"}
# What stands in the Secrets that the sets of values name.
SOMEBODYS = {
    "DATABASE_URL": "postgresql://pressbox_app:word@postgres/pressbox",
    "DATABASE_OWNER_URL": "postgresql://pressbox:word@postgres/pressbox",
    "REDIS_URL": "rediss://:word@redis:6379/0",
    "KAFKA_PASSWORD": "word",
    "SECRET_KEY": "0123456789abcdef" * 4,
    "AUDIT_KEY": "0123456789abcdef" * 4,
}
SECRET = re.compile(
    r"PASSWORD|SECRET|TOKEN|_KEYS?$|_KEY_|DATABASE_(OWNER_|DIRECT_)?URL|REDIS_URL|SMTP_URL"
)

all_sets = pytest.mark.parametrize("values", SETS)
pytestmark = needs_helm


def modules_of(commands: list[list[str]]) -> set[str]:
    return {
        argument for command in commands for argument in command if argument.startswith("workers.")
    }


@all_sets
def test_every_process_has_its_deployment_and_every_kind_of_worker_one(values: str) -> None:
    arguments = {
        name: container(template)["args"] for name, template in rendered(values).pods().items()
    }
    assert arguments.pop("migrate") == ["pressbox", "migrate"]
    assert arguments.keys() == processes().keys()
    known = [command.arguments for command in commands(Settings(), web=True, demo=False)]
    # In production the parts that share a process on one machine are apart; the pools of workers
    # count for themselves.
    alone = PARTS.keys() - {"watch", "autoscale"}
    apart = modules_of(known) | {PARTS[name].__module__ for name in alone}
    apart |= {"workers.worker_pool"}  # here the supervisor is not one process for all
    assert modules_of(list(arguments.values())) == apart
    assert apart >= set(PROCESSES.values())
    counted = Counter(kind for command in arguments.values() for kind in kinds_of(command))
    assert counted == dict.fromkeys(WORKER_KINDS, 1)
    assert counted.keys() == {kind for command in known for kind in kinds_of(command)}


def test_deployments_run_what_docker_compose_runs() -> None:
    composed = {
        tuple(shlex.split(service["command"])): service["deploy"].get("replicas", 1)
        for service in COMPOSE["services"].values()
        if "pressbox" in service["image"]
    }
    chart = rendered("least")
    pods = chart.pods()
    names = {tuple(container(template)["args"]): name for name, template in pods.items()}
    assert names.keys() == composed.keys()
    for command, name in names.items():
        if name != "migrate":
            assert chart.of("Deployment")[name]["spec"]["replicas"] == composed[command], name
    single = {command for command, replicas in composed.items() if replicas == 1} - {
        ("pressbox", "migrate")
    }
    assert single == {
        tuple(container(pods[name])["args"])
        for name, process in processes().items()
        if process.get("single")
    }


@all_sets
def test_what_must_be_single_is_and_ends_before_the_next_begins(values: str) -> None:
    for name, deployment in rendered(values).of("Deployment").items():
        is_single = bool(processes()[name].get("single"))
        assert is_single is (name in WITHOUT_BUDGET)
        if is_single:
            assert deployment["spec"]["replicas"] == 1
            assert deployment["spec"]["strategy"] == {"type": "Recreate"}
        elif "replicas" in deployment["spec"]:
            assert deployment["spec"]["replicas"] >= 2, (
                f"{name} has no other one while its machine is drained"
            )


@all_sets
def test_every_deployment_has_one_budget_but_those_named(values: str) -> None:
    chart = rendered(values)
    budgets = chart.of("PodDisruptionBudget").values()
    for name, deployment in chart.of("Deployment").items():
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        count = sum(selects(budget["spec"]["selector"], labels) for budget in budgets)
        assert count == (0 if name in WITHOUT_BUDGET else 1), name
    assert all(budget["spec"]["maxUnavailable"] == 1 for budget in budgets)


@all_sets
def test_each_deployment_selects_its_own_pods_alone(values: str) -> None:
    pods = {
        name: template["metadata"]["labels"] for name, template in rendered(values).pods().items()
    }
    for name, deployment in rendered(values).of("Deployment").items():
        selector = deployment["spec"]["selector"]
        assert [other for other, labels in pods.items() if selects(selector, labels)] == [name]
    (service,) = rendered(values).of("Service").values()
    matched = [
        name
        for name, labels in pods.items()
        if selects({"matchLabels": service["spec"]["selector"]}, labels)
    ]
    assert matched == ["web"]


@all_sets
def test_every_setting_is_one_and_every_secret_comes_from_a_secret(values: str) -> None:
    known = {f.metadata["env"] for f in fields(Settings)}
    for name, template in rendered(values).pods().items():
        variables = environment(template)
        assert variables.keys() <= known, name
        needed = {secret for secret, need in secrets().items() if need == "required"}
        assert needed <= variables.keys(), name
        for setting, variable in variables.items():
            from_secret = "secretKeyRef" in variable.get("valueFrom", {})
            is_file = setting in ("KAFKA_CA_FILE", "REFUSED_NAMES_FILE")
            assert from_secret is (setting in {*secrets(), "DATABASE_OWNER_URL"}), (
                f"{name}: {setting}"
            )
            assert from_secret or is_file or not SECRET.search(setting), (
                f"{name}: {setting} is in clear"
            )
            if from_secret and setting in needed:
                assert not variable["valueFrom"]["secretKeyRef"].get("optional"), (
                    f"{name} starts without {setting}"
                )


@all_sets
def test_pressbox_starts_with_the_settings_that_each_pod_is_given(
    values: str, tmp_path: Path
) -> None:
    chart = rendered(values)
    file = tmp_path / "file"
    file.write_text("")
    for name, template in chart.pods().items():
        environ: dict[str, str] = {}
        for setting, variable in environment(template).items():
            if "value" in variable:
                environ[setting] = str(file) if setting.endswith("_FILE") else variable["value"]
                continue
            secret = variable["valueFrom"]["secretKeyRef"]
            chart_secrets = {
                each["metadata"]["name"]: each["stringData"] for each in chart.of("Secret").values()
            }
            values_of_secret = chart_secrets.get(secret["name"], SOMEBODYS)
            assert secret.get("optional") or secret["key"] in values_of_secret, (
                f"{name} lacks {setting}"
            )
            environ |= (
                {setting: values_of_secret[secret["key"]]}
                if secret["key"] in values_of_secret
                else {}
            )
        settings = settings_from_env(environ)
        assert settings.production, name
        assert settings.secure_cookies, name
        assert (settings.host, settings.var) == ("0.0.0.0", Path("/pressbox/var"))  # noqa: S104
        assert settings.blobs == (
            "/srv/blobs" if values == "made-secrets" else "s3://pressbox/archive"
        )
        assert (settings.owner_url == settings.psycopg_url) is (
            name != "migrate" or values == "queues-by-length"
        ), name


@all_sets
def test_the_owner_of_the_tables_is_known_to_the_migration_alone(values: str) -> None:
    chart = rendered(values)
    with_owner = {
        name
        for name, template in chart.pods().items()
        if "DATABASE_OWNER_URL" in environment(template)
    }
    assert with_owner == (set() if values == "queues-by-length" else {"migrate"})
    chart_secrets = chart.of("Secret")
    if chart_secrets:
        assert "DATABASE_OWNER_URL" not in chart_secrets[""]["stringData"]
        assert "DATABASE_OWNER_URL" in chart_secrets["migrate"]["stringData"]
        delete_policy = chart_secrets["migrate"]["metadata"]["annotations"][
            "helm.sh/hook-delete-policy"
        ]
        assert "hook-succeeded" in delete_policy
    owner = environment(chart.pods()["migrate"]).get("DATABASE_OWNER_URL")
    if owner and not chart_secrets:
        assert owner["valueFrom"]["secretKeyRef"]["name"] == "pressbox-owner"


def test_secrets_that_the_chart_makes_are_written_in_secrets_alone() -> None:
    chart = rendered("made-secrets")
    values = yaml.safe_load((CHART / "ci/made-secrets.yaml").read_text())["secrets"]["values"]
    assert not chart.of("ConfigMap")
    elsewhere = yaml.safe_dump(
        [document for document in chart.documents if document["kind"] != "Secret"]
    )
    for name, value in values.items():
        assert value not in elsewhere, name
        assert chart.of("Secret")["migrate"]["stringData"][name] == value
    referred = {
        variable["valueFrom"]["secretKeyRef"]["name"]
        for name, template in chart.pods().items()
        if name != "migrate"
        for variable in environment(template).values()
        if "valueFrom" in variable
    }
    assert referred == {"pressbox"}


def test_the_migration_runs_before_everything_and_needs_nothing_that_comes_later() -> None:
    for values in SETS:
        chart = rendered(values)
        (job,) = chart.of("Job").values()
        assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
        assert "serviceAccountName" not in job["spec"]["template"]["spec"]
        later = {
            secret["metadata"]["name"]
            for secret in chart.of("Secret").values()
            if "annotations" not in secret["metadata"]
        }
        used = {
            variable["valueFrom"]["secretKeyRef"]["name"]
            for variable in environment(job["spec"]["template"]).values()
            if "valueFrom" in variable
        }
        assert not used & later


@all_sets
def test_no_pod_has_rights_that_it_does_not_need(values: str) -> None:
    for name, template in rendered(values).pods().items():
        spec, only_container = template["spec"], container(template)
        assert spec["automountServiceAccountToken"] is False, name
        assert spec["enableServiceLinks"] is False, name
        assert spec["securityContext"]["runAsNonRoot"] is True, name
        assert f"USER {spec['securityContext']['runAsUser']}\n" in (ROOT / "Dockerfile").read_text()
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert only_container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        writable = {
            mount["mountPath"]
            for mount in only_container["volumeMounts"]
            if not mount.get("readOnly")
        }
        assert writable - {"/srv/blobs"} == set(COMPOSE["services"]["web"]["tmpfs"])
        assert {mount["name"] for mount in only_container["volumeMounts"]} == {
            volume["name"] for volume in spec["volumes"]
        }
        assert (
            only_container["resources"]["requests"].keys()
            == only_container["resources"]["limits"].keys()
            == {"cpu", "memory"}
        )


@all_sets
def test_pods_are_spread_and_have_the_time_to_end(values: str) -> None:
    for deployment in rendered(values).of("Deployment").values():
        spec = deployment["spec"]["template"]["spec"]
        keys = [constraint["topologyKey"] for constraint in spec["topologySpreadConstraints"]]
        assert keys == ["topology.kubernetes.io/zone", "kubernetes.io/hostname"]
        for constraint in spec["topologySpreadConstraints"]:
            assert selects(
                constraint["labelSelector"], deployment["spec"]["template"]["metadata"]["labels"]
            )
        # stop_grace_period, and the pause of the web pods
        assert spec["terminationGracePeriodSeconds"] >= 25


def policies(values: str, labels: dict[str, str]) -> dict[str, Document]:
    network_policies = rendered(values).of("NetworkPolicy")
    return {
        name: policy["spec"]
        for name, policy in network_policies.items()
        if selects(policy["spec"]["podSelector"], labels)
    }


@pytest.mark.parametrize("values", [name for name in SETS if name != "made-secrets"])
def test_nothing_comes_in_or_goes_out_but_what_a_policy_says(values: str) -> None:
    for name, template in rendered(values).pods().items():
        matching = policies(values, template["metadata"]["labels"])
        deny = matching.pop("default-deny")
        assert set(deny["policyTypes"]) == {"Ingress", "Egress"}
        assert not deny.keys() & {"ingress", "egress"}
        coming_in = [rule for policy in matching.values() for rule in policy.get("ingress", [])]
        assert bool(coming_in) is (name == "web" and values != "queues-by-length"), name
        for rule in coming_in:
            assert rule["from"], "anybody"
            assert rule["ports"] == [{"protocol": "TCP", "port": "http"}]
        expected = {"stores"}
        expected |= {"web"} if name == "web" else set()
        expected |= {"outside"} if processes().get(name, {}).get("outside") else set()
        expected |= (
            {"mail"} if processes().get(name, {}).get("mail") and values == "scaled" else set()
        )
        assert matching.keys() == expected, name
        assert all(
            rule["ports"] for policy in matching.values() for rule in policy.get("egress", [])
        )


def test_those_that_talk_to_strangers_reach_nothing_inside() -> None:
    outside = {name for name, process in processes().items() if process.get("outside")}
    assert outside == {
        name
        for name, process in processes().items()
        if kinds_of(process["run"]) & {"webhooks", "providers"}
    }
    rules = rendered("least").of("NetworkPolicy")["outside"]["spec"]["egress"]
    blocks = {
        peer["ipBlock"]["cidr"]: set(peer["ipBlock"]["except"])
        for rule in rules
        for peer in rule["to"]
    }
    assert blocks["0.0.0.0/0"] >= {
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "169.254.0.0/16",
    }
    assert blocks["::/0"] >= {"fc00::/7", "fe80::/10"}
    # Mail is sent by the queues of upkeep and of notices.
    mail = {name for name, process in processes().items() if process.get("mail")}
    assert mail == {
        name
        for name, process in processes().items()
        if {"upkeep", "notices"} & set(process.get("queues", ()))
    }


def test_the_policies_can_be_left_out() -> None:
    assert not rendered("made-secrets").of("NetworkPolicy")


def test_the_ingress_is_for_the_host_that_browsers_use() -> None:
    assert not rendered("least").of("Ingress")
    (ingress,) = rendered("scaled").of("Ingress").values()
    (rule,) = ingress["spec"]["rules"]
    (tls,) = ingress["spec"]["tls"]
    assert rule["host"] == tls["hosts"][0] == "pressbox.example.com"
    backend = rule["http"]["paths"][0]["backend"]["service"]
    assert backend == {"name": "pressbox", "port": {"name": "http"}}


def test_probes_are_answered_while_every_store_is_away(app: Flask, another_app: AnotherApp) -> None:
    """Else a store that is away would end or hide every web pod at once."""
    settings: Settings = app.config["PRESSBOX"]
    away = Settings(
        var=settings.var,
        secret_key=settings.secret_key or "0123456789abcdef" * 4,
        database_url="postgresql://nobody@127.0.0.1:1/nothing",
        redis_url="redis://127.0.0.1:1/0",
        kafka="127.0.0.1:1",
    )
    web = container(rendered("least").pods()["web"])
    (port,) = web["ports"]
    assert environment(rendered("least").pods()["web"])["PORT"]["value"] == str(
        port["containerPort"]
    )
    client = another_app(away).test_client()
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        asked = web[probe]["httpGet"]
        assert asked["port"] == port["name"]
        assert client.get(asked["path"]).status_code == 200, probe
    others = [
        container(template) for name, template in rendered("least").pods().items() if name != "web"
    ]
    assert not any(key.endswith("Probe") for container_spec in others for key in container_spec)
