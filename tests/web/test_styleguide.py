"""The style guide is for those who build the pages, not for a league's members."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient


def test_the_style_guide_shows_every_state_of_a_play(client: FlaskClient) -> None:
    page = client.get("/styleguide").text
    for words in (
        "Touchdown!",
        "<del>",
        "After review: ",
        'class="chip review"',
        "Score unconfirmed",
    ):
        assert words in page, words


def test_there_is_none_in_production(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(app.config["PRESSBOX"], production=True)
    monkeypatch.setitem(app.config, "PRESSBOX", settings)
    assert client.get("/styleguide").status_code == 404
