"""A member switches pushes on for a device, and a push is shown.

Chromium's own push service is not reached from a test, and without a screen it grants no
notifications: permission and subscription are stand-ins of the page, what the service would bring
is handed to the worker by the browser's debugger, and what the worker would show is noted.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from app.accounts import push_devices
from app.accounts.models import Member
from app.core.db import db
from app.fantasy.notices import choices
from tests.e2e.looking import PHONE, looks_right
from tests.fantasy.notices.push_service import PushService
from tests.waiting import until

pytestmark = pytest.mark.e2e

# A browser that asks for permission at a tap, and whose push service hands out this subscription
# and keeps it.
STAND_IN = """(given) => {
  const [allowed, kept] = ["permission of a test", "a push service of a test"];
  const unsubscribe = async () => localStorage.removeItem(kept);
  const held = () => localStorage.getItem(kept) && { toJSON: () => given, unsubscribe };
  Object.defineProperty(Notification, "permission", {
    get: () => localStorage.getItem(allowed) ?? "default",
  });
  Notification.requestPermission = async () => {
    if (!navigator.userActivation.isActive) throw new Error("asked without a tap");
    localStorage.setItem(allowed, "granted");
    return "granted";
  };
  PushManager.prototype.getSubscription = async () => held();
  PushManager.prototype.subscribe = async function ({ userVisibleOnly, applicationServerKey }) {
    if (!userVisibleOnly || applicationServerKey.length !== 65) {
      throw new TypeError("not as browsers ask for it");
    }
    localStorage.setItem(kept, "1");
    return held();
  };
}"""
DENIED = """
  Notification.requestPermission = () => { throw new Error("asked without a tap"); };
  Object.defineProperty(Notification, "permission", { get: () => "denied" });
"""
NOTE_WHAT_IS_SHOWN = """() => {
  self.shown = [];
  self.registration.showNotification = async (title, { body, tag, data }) => {
    self.shown.push([title, body, tag, data.path]);
  };
}"""
CLICK = """(path) => new Promise((resolve) => {
  self.clients.openWindow = async (url) => resolve(url);
  const notification = { close() {}, data: { path } };
  self.dispatchEvent(Object.assign(new ExtendableEvent("notificationclick"), { notification }));
})"""


@pytest.fixture
def ann(member: Callable[..., Member]) -> Member:
    return member("ann")


def pushes_of(ann: Member) -> frozenset[str]:
    db.session.rollback()
    return choices.of(ann.id).push


def stand_in(page: Page) -> None:
    service = PushService(address="http://127.0.0.1:9")
    subscription = service.subscribe("phone").subscription
    body = {
        "endpoint": subscription.endpoint,
        "expirationTime": None,
        "keys": {"p256dh": subscription.p256dh, "auth": subscription.auth},
    }
    page.add_init_script(f"({STAND_IN})({json.dumps(body)})")


def test_a_member_switches_push_on_for_a_device(
    open_page: Callable[..., Page], ann: Member
) -> None:
    page = open_page(
        "ann", viewport=PHONE, service_workers="allow", expect_errors=("ERR_INTERNET_DISCONNECTED",)
    )
    stand_in(page)
    page.goto("/notices")
    page.get_by_role("link", name="Notification settings").click()
    message = page.locator("#push-said")
    expect(message).to_have_text("Push notifications are off on this device.")
    expect(page.get_by_role("checkbox")).to_have_count(5)
    page.get_by_label("Push: Deadline").check()
    page.get_by_label("Push: Correction").check()
    until(lambda: pushes_of(ann) == {"deadline", "correction"}, "both are saved")
    page.reload()
    expect(page.get_by_label("Push: Deadline")).to_be_checked()
    expect(page.get_by_label("Push: Result")).not_to_be_checked()
    page.context.set_offline(True)
    page.get_by_role("button", name="Turn on for this device").click()
    expect(message).to_have_text("No connection to Pressbox. Try again when you are back online.")
    page.context.set_offline(False)
    page.get_by_role("button", name="Turn on for this device").click()
    expect(message).to_have_text("Push notifications are on for this device.")
    expect(page.get_by_role("button", name="Turn on for this device")).to_be_hidden()
    expect(page.get_by_text("This device", exact=True)).to_be_visible()
    assert len(push_devices.of(ann.id)) == 1
    looks_right(page, "push-on")
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No devices yet.")).to_be_visible()
    expect(message).to_have_text("Push notifications are off on this device.")


def test_a_browser_that_blocks_or_cannot_says_so_and_never_asks(
    open_page: Callable[..., Page], ann: Member
) -> None:
    page = open_page("ann", viewport=PHONE)
    status = page.locator("#push-said")
    page.add_init_script(DENIED)
    page.goto("/notices/choices")
    expect(status).to_contain_text("Your browser is blocking notifications from Pressbox.")
    expect(page.locator("#push-on")).to_be_hidden()
    looks_right(page, "push-denied")
    page.add_init_script("delete window.PushManager;")
    page.reload()
    expect(status).to_have_text("This browser does not support push notifications.")
    page.add_init_script("Object.defineProperty(navigator, 'userAgent', { get: () => 'iPhone' });")
    page.reload()
    expect(status).to_contain_text("Add to Home Screen")


@pytest.mark.everyday("only a service worker shows it")
def test_a_push_is_shown_and_a_tap_on_it_opens_its_page(
    open_page: Callable[..., Page], site: str, ann: Member
) -> None:
    page = open_page("ann", viewport=PHONE, service_workers="allow")
    page.goto("/notices/choices")
    versions: list[dict[str, Any]] = []
    debugger = page.context.new_cdp_session(page)
    debugger.on(
        "ServiceWorker.workerVersionUpdated", lambda event: versions.extend(event["versions"])
    )
    debugger.send("ServiceWorker.enable")
    page.evaluate("navigator.serviceWorker.register('/sw.js').then(() => null)")

    def activated() -> list[str]:
        page.evaluate("null")  # lets the browser say what is new
        return [
            version["registrationId"] for version in versions if version["status"] == "activated"
        ]

    until(lambda: bool(activated()), "the worker is there")
    until(
        lambda: bool(activated() and page.context.service_workers),
        "the browser's driver knows it too",
    )
    worker = page.context.service_workers[0]
    worker.evaluate(NOTE_WHAT_IS_SHOWN)
    content = {
        "title": "Week 1 locks at 18:00",
        "body": "Pick your team.",
        "tag": "notice-7",
        "path": "/team/1",
    }
    pushed = {"origin": site, "registrationId": activated()[0], "data": json.dumps(content)}
    debugger.send("ServiceWorker.deliverPushMessage", pushed)
    until(lambda: worker.evaluate("self.shown") == [list(content.values())], "it is shown")
    assert worker.evaluate(CLICK, "/team/1") == f"{site}/team/1"


def test_without_a_script_the_switches_work_and_a_mails_link_ends_its_kind(
    open_page: Callable[..., Page], app: Flask, ann: Member
) -> None:
    page = open_page("ann", viewport=PHONE, java_script_enabled=False)
    page.goto("/notices/choices")
    page.get_by_label("Push: Result").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_label("Push: Result")).to_be_checked()
    stranger = open_page(viewport=PHONE)
    stranger.goto(f"/notices/stop/{choices.stop_token(ann.id, 'result')}")
    stranger.get_by_role("button", name="Stop these emails").click()
    expect(stranger.get_by_role("heading", name="No more emails about results")).to_be_visible()
    looks_right(stranger, "stop-done")
