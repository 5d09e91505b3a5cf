"""The shape of the project: audiences, job names, documents, vendored files, compose settings."""

from __future__ import annotations

import hashlib
import re
from dataclasses import fields
from pathlib import Path

import yaml
from flask import Flask
from rq.utils import import_attribute

from app.accounts.rules import ROLES
from app.core.http.access import MEMBER, PUBLIC, audience_of
from app.docs import generated
from app.settings import Settings
from app.subjects import job_types
from tests.private_attributes import uses_of_dependencies
from workers.rq_worker import PARTS

ROOT = Path(__file__).parent.parent


def test_every_route_declares_its_audience(app: Flask) -> None:
    known = {PUBLIC, MEMBER, *ROLES}
    for rule in app.url_map.iter_rules():
        audience = audience_of(app, rule.endpoint)
        assert audience, f"{rule} declares no audience"
        assert audience <= known, f"{rule} names an unknown role"


def test_no_get_route_is_also_an_unsafe_one(app: Flask) -> None:
    for rule in app.url_map.iter_rules():
        methods = (rule.methods or set()) - {"HEAD", "OPTIONS"}
        assert len(methods) == 1, f"{rule} answers {methods}: give each its own view"


def test_every_job_name_is_importable() -> None:
    names = [job_type.name for job_type in job_types()]
    assert len(names) == len(set(names)) > 0
    for name in names:
        assert callable(import_attribute(name)), name


def test_every_advisory_lock_has_its_number_in_one_list() -> None:
    for folder in ("app", "workers", "scorer_console"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text()
            assert (
                "advisory_" not in text
                or "from app.core.postgres.advisory_locks import Lock" in text
            ), f"{path} locks by a number"


# kafka-python's `poll` stops for ever at a record that it cannot parse, and no public interface
# helps.
PRIVATE_STILL = {"app/stream/tolerant_consumer.py"}


def test_no_private_attribute_of_a_dependency_is_used() -> None:
    uses = [use for use in uses_of_dependencies(ROOT) if use.split(":")[0] not in PRIVATE_STILL]
    assert uses == []


def test_no_line_of_a_template_is_longer_than_a_screen() -> None:
    """Formatters wrap attributes, but neither text nor expressions."""
    longest = 160
    assert [
        f"{path.relative_to(ROOT)}:{number} has {len(line)} columns"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > longest
    ] == []


def test_generated_documents_are_current() -> None:
    for path, text in generated().items():
        assert (ROOT / "docs" / path).read_text() == text, f"docs/{path} is old: run `make docs`"


def test_vendored_files_are_what_they_were() -> None:
    lines = (ROOT / "static/vendor/SHA256SUMS").read_text().splitlines()
    assert lines
    for line in lines:
        digest, name = line.split()
        assert hashlib.sha256((ROOT / "static/vendor" / name).read_bytes()).hexdigest() == digest, (
            name
        )


def test_compose_uses_only_settings_that_exist() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    known = {f.metadata["env"] for f in fields(Settings)}
    modules = [
        service for service in compose["services"].values() if "pressbox" in service["image"]
    ]
    assert len(modules) == 12
    for service in modules:
        assert {
            name if name in known else name.removesuffix("_FILE") for name in service["environment"]
        } <= known


def test_production_has_limits_and_secrets_by_file_and_no_port_but_the_proxys() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    for name, service in compose["services"].items():
        limits = service["deploy"]["resources"]["limits"]
        assert limits.keys() == {"cpus", "memory"}, name
        assert ("ports" in service) is (name == "proxy"), name
        assert re.search(r":\S*\d", service["image"]), f"{name}: {service['image']} is not pinned"
        for secret in service.get("secrets", []):
            assert secret in compose["secrets"], name
        for setting, value in service.get("environment", {}).items():
            if re.search(
                r"PASSWORD|SECRET|TOKEN|_KEY$|DATABASE_(OWNER_)?URL|REDIS_URL",
                setting.removesuffix("_FILE"),
            ):
                by_file = (
                    setting.endswith("_FILE")
                    and value.removeprefix("/run/secrets/") in service["secrets"]
                )
                assert by_file or value.startswith("${"), f"{name}: {setting} is no secret by file"
    for service in [
        service for service in compose["services"].values() if "pressbox" in service["image"]
    ]:
        assert service["stop_grace_period"] == "25s"
        assert service["cap_drop"] == ["ALL"]
    assert {
        name for service in compose["services"].values() for name in service.get("secrets", [])
    } == set(compose["secrets"])


def test_the_owner_of_the_tables_is_known_to_migrations_alone() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    for name, service in compose["services"].items():
        knows = "DATABASE_OWNER_URL_FILE" in service.get(
            "environment", {}
        ) or "database_owner_url" in service.get("secrets", [])
        assert knows is (name == "migrate"), name


def test_the_image_is_pinned_and_does_not_run_as_root() -> None:
    words = (ROOT / "Dockerfile").read_text()
    assert re.search(r"^ARG BASE=python:3\.11\.\d+-slim-\w+$", words, re.MULTILINE)
    assert words.count("FROM ${BASE}") == 2
    assert "--require-hashes" in words
    assert re.search(r"^USER \d+$", words, re.MULTILINE)


def test_compose_starts_every_process_that_make_run_starts() -> None:
    compose = (ROOT / "docker-compose.yml").read_text()
    processes = (ROOT / "workers/supervisor/processes.py").read_text()
    started = set(re.findall(r'"(workers\.\w+)"', processes)) - {"workers.demo"}
    assert started == {"workers.scores", "workers.rq_worker", "workers.web"}
    # The verifier has a thread for the watch, and each pool of workers counts for itself.
    apart = {PARTS[name].__module__ for name in PARTS.keys() - {"watch", "autoscale"}}
    for module in started | apart:
        assert f"python -m {module}" in compose


def test_headers_of_htmx_are_read_and_written_by_its_extension() -> None:
    """`request.htmx` and `htmx_response`, which spell them once (app/core/http/htmx.py)."""
    by_hand = [
        f"{file.relative_to(ROOT)}: {line.strip()}"
        for folder in ("app", "scorer_console")
        for file in sorted((ROOT / folder).rglob("*.py"))
        for line in file.read_text().splitlines()
        if '"HX-' in line
    ]
    assert by_hand == ['app/core/http/responses.py: response.vary.add("HX-Request")']
