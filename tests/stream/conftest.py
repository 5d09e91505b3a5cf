from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import fsspec
import pytest
from flask import Flask

from app.core.blob_store import BlobStore
from app.embedded.stack import Stack
from app.settings import Settings
from tests.fantasy.conftest import league as league
from tests.groups import own_groups
from tests.stream.topic import new_broker
from workers.supervisor.children import Children
from workers.supervisor.processes import Command

PYTHON = sys.executable
PARTS = {
    "relay": [PYTHON, "-m", "workers.relay"],
    "bridge": [PYTHON, "-m", "workers.bridge"],
    "worker": [PYTHON, "-m", "workers.rq_worker", "ingest"],
    "refresh": [PYTHON, "-m", "workers.rq_worker", "refresh"],
    "settlement": [PYTHON, "-m", "workers.rq_worker", "settlement"],
    "upkeep": [PYTHON, "-m", "workers.rq_worker", "upkeep", "operations", "providers", "webhooks"],
    "schedule": [PYTHON, "-m", "workers.schedule"],
    "scores": [PYTHON, "-m", "workers.scores"],
}


@pytest.fixture
def start(app: Flask, stack: Stack) -> Iterator[Callable[..., Children]]:
    """Starts our processes, by name or command, and ends them afterwards."""
    started: list[Children] = []

    def run(*names: str | Command) -> Children:
        children = Children(
            stack,
            [
                name if isinstance(name, Command) else Command(f"{name}-{i}", PARTS[name])
                for i, name in enumerate(names)
            ],
        )
        children.start()
        started.append(children)
        return children

    with own_groups(stack):
        yield run
        for children in started:
            children.stop()


@pytest.fixture(scope="module")
def own_broker(
    stack: Stack, broker: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    """The session's stores with a broker for this module alone."""
    with new_broker(
        stack.settings, tmp_path_factory.mktemp("broker"), real_kafka=bool(broker)
    ) as started:
        yield started.settings


@pytest.fixture
def game() -> str:
    """The id of a game that no other test has put on the topic."""
    return f"g-{uuid4().hex[:8]}"


@pytest.fixture(scope="session")
def s3() -> Iterator[dict[str, str]]:
    """An S3 server on this machine: address and keys, as BlobStore takes them."""
    # slow to import, and most tests of the stream need none
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield {
        "endpoint": f"http://{host}:{port}",
        "key_id": "test",
        "secret": "test",
        "region": "eu-central-1",
    }
    server.stop()


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    """An empty blob store in a folder."""
    return BlobStore(str(tmp_path / "blobs"))


@pytest.fixture(params=["folder", "s3"])
def each_store(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    """An empty blob store of either kind.

    For what a blob store does, and one story of each who uses it.
    """
    if request.param == "folder":
        return BlobStore(str(tmp_path / "blobs"))
    return bucket(request.getfixturevalue("s3"))


def bucket(s3: dict[str, str]) -> BlobStore:
    name = f"pressbox-{uuid4().hex[:8]}"
    client = {"endpoint_url": s3["endpoint"], "region_name": s3["region"]}
    files = fsspec.filesystem("s3", key=s3["key_id"], secret=s3["secret"], client_kwargs=client)
    files.mkdir(name)
    return BlobStore(f"s3://{name}/archive", **s3)
