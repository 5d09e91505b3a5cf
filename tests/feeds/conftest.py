"""Feeds of a publisher on the loopback address, or of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask import Flask

from app.feeds import presets
from app.feeds.presets import PRESETS
from tests.feeds.publisher import Publisher, publishing


@pytest.fixture
def private(app: Flask) -> Iterator[Flask]:
    """The application, which may ask private addresses and by http."""
    before = app.config["PRESSBOX"]
    app.config["PRESSBOX"] = replace(before, providers_private=True)
    yield app
    app.config["PRESSBOX"] = before


@pytest.fixture
def publisher(private: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    """nflverse, moved to the loopback address: `games.csv`, `roster_2026.csv`, ... at its root."""
    with publishing() as served:
        files = tuple(
            replace(
                file,
                address=served.address(file.address.rpartition("/")[2]),
                timestamp=served.address(f"{file.kind}.json") if file.timestamp else "",
            )
            for file in PRESETS["nflverse"].files
        )
        moved = replace(PRESETS["nflverse"], files=files)
        monkeypatch.setitem(presets.PRESETS, "nflverse", moved)
        yield served
