"""A store that is too old is named in one sentence: at the start, and by doctor."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from app.core.redis.clients import jobs_redis
from app.ops import versions
from app.ops.health import check_all
from app.ops.versions import TooOldError, check_versions, postgres_version, redis_version


class Server:
    """A server that says these versions."""

    def __init__(self, info: dict[str, Any]) -> None:
        self._info = info

    def info(self, section: str) -> dict[str, Any]:
        assert section == "server"
        return self._info


@pytest.mark.parametrize(
    ("info", "words"),
    [
        ({"redis_version": "7.0.0"}, "Redis 7.0.0"),
        ({"redis_version": "8.2.1"}, "Redis 8.2.1"),
        ({"redis_version": "7.2.4", "valkey_version": "9.1.2"}, "Valkey 9.1.2"),
        ({"a:1": {"redis_version": "7.4.0"}, "b:1": {"redis_version": "7.0.5"}}, "Redis 7.0.5"),
    ],
)
def test_redis_7_and_valkey_will_do(info: dict[str, Any], words: str) -> None:
    assert redis_version(Server(info), "REDIS_URL") == words  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "info",
    [
        {"redis_version": "6.2.14"},
        {"a:1": {"redis_version": "7.4.0"}, "b:1": {"redis_version": "6.2.14"}},
    ],
)
def test_an_older_redis_is_named_with_what_is_needed(info: dict[str, Any]) -> None:
    with pytest.raises(
        TooOldError,
        match=r"Redis 6\.2\.14 was found; Pressbox needs Redis 7\.0 or newer.*BOARDS_REDIS_URL",
    ):
        redis_version(Server(info), "BOARDS_REDIS_URL")  # type: ignore[arg-type]


def test_a_postgresql_newer_than_what_is_tested_is_taken_and_named(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "POSTGRES_NEWEST", 17)
    check_versions()
    (postgres,) = [part for part in check_all(app.config["PRESSBOX"]) if part.name == "postgres"]
    assert postgres.up
    assert "(tested are 14 to 17)" in postgres.detail


def test_the_stores_of_the_tests_are_new_enough(app: Flask) -> None:
    check_versions()
    assert int(postgres_version().split(".")[0]) >= versions.POSTGRES
    assert redis_version(jobs_redis(), "REDIS_URL").split()[0] in ("Redis", "Valkey")


def test_an_older_postgresql_is_refused_at_the_start_and_named_by_doctor(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "POSTGRES", 99)
    with pytest.raises(
        TooOldError, match=r"PostgreSQL [\d.]+ was found; Pressbox needs 99 or newer.*DATABASE_URL"
    ):
        check_versions()
    (part,) = (part for part in check_all(app.config["PRESSBOX"]) if part.name == "postgres")
    assert (part.up, part.detail) == (False, "too old")
    assert "DATABASE_URL" in part.remedy
