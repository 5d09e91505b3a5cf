"""A studio's page: its name, its webhooks' secrets, its players and their stored data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.callers import make_callers

pytestmark = pytest.mark.e2e


@pytest.mark.everyday("the integrator's story")
def test_a_studio_renames_itself_and_changes_a_webhooks_secret(
    app: Flask, member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    """The guide's receiver on one's own machine is refused with the setting that allows it."""
    studio = make_callers(app, member("ann")).integrator
    ann = open_page("ann", viewport=PHONE, expect_errors=["422"])
    ann.goto(f"/integrators/{studio.id}")
    ann.get_by_role("link", name="Manage").click()
    name = ann.get_by_label("Name", exact=True)
    name.fill("Dice \u202e House")
    ann.get_by_role("button", name="Rename").click()
    expect(name).to_have_accessible_description(re.compile("text-reversing"))
    name.fill("Dice Palace")
    ann.get_by_role("button", name="Rename").click()
    expect(ann.get_by_role("heading", name="Dice Palace")).to_be_visible()

    ann.get_by_role("link", name="Webhooks").click()
    address, secret = ann.get_by_label("Address"), ann.locator(".secret")
    address.fill("http://127.0.0.1:9999/pressbox")
    ann.get_by_role("button", name="Add webhook").click()
    expect(address).to_have_accessible_description(
        re.compile("operator can set WEBHOOKS_PRIVATE=1")
    )
    expect(address).to_have_value("http://127.0.0.1:9999/pressbox")
    address.fill("https://8.8.8.8/pressbox")
    ann.get_by_role("button", name="Add webhook").click()
    expect(secret).to_contain_text("whsec_")
    first = secret.inner_text()
    looks_right(ann, "webhooks")
    ann.get_by_role("button", name="Create a new secret").click()
    expect(ann.get_by_text("UTC the old one also works")).to_be_visible()
    assert secret.inner_text() != first
    ann.goto(f"/integrators/{studio.id}/webhooks")
    expect(ann.get_by_role("listitem").locator("strong")).to_have_text("https://8.8.8.8/pressbox")
    expect(secret).to_have_count(0)


def test_a_studio_finds_downloads_and_erases_a_player_who_asks_for_it(
    app: Flask, member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    callers = make_callers(app, member("ann"))
    callers.register("u-4711", "Zed")
    ann = open_page("ann", viewport=PHONE, expect_errors=["422"])
    ann.goto(f"/integrators/{callers.integrator.id}")
    ann.get_by_role("link", name="Players", exact=True).click()
    expect(ann.get_by_role("listitem").filter(has_text="p-1")).to_contain_text("Nova")
    looks_right(ann, "own-players")
    ann.get_by_label("Your player ID").fill("u-4711")
    ann.get_by_role("button", name="Find").click()
    expect(ann.get_by_role("link", name="p-1")).to_have_count(0)
    ann.get_by_role("link", name="u-4711").click()
    with ann.expect_download() as download:
        ann.get_by_role("button", name="Download as JSON").click()
    stored = json.loads(Path(download.value.path()).read_text())
    assert [row["external_id"] for row in stored["players"]] == ["u-4711"]
    looks_right(ann, "own-player")

    confirm = ann.get_by_label("Type the player's ID, u-4711")
    confirm.fill("p-1")
    ann.get_by_role("button", name="Erase permanently").click()
    expect(confirm).to_have_accessible_description("Type the player's ID to confirm.")
    confirm.fill("u-4711")
    ann.get_by_role("button", name="Erase permanently").click()
    expect(ann.get_by_role("status").filter(has_text="Player erased.")).to_be_visible()
    expect(ann.get_by_role("link", name="p-1")).to_be_visible()
    expect(ann.get_by_role("link", name="u-4711")).to_have_count(0)
