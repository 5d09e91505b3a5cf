"""A scorer's browser at a game, what it keeps on disk, and what of it has reached the record."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Locator, Page, expect
from sqlalchemy import select

from app.core.db import db
from app.record import events as ev
from app.record.models import RecordedEvent
from app.stream.models import OutboxMessage
from tests.e2e.keyboard import keys
from tests.e2e.road import record_has
from tests.e2e.signing_in import sign_in_by_form
from tests.waiting import until

KICK_OFF = 4  # the events that are recorded before the scorer sits down
# What a browser notes on its console while the line is down, or an entry is refused; all else is a
# fault of ours.
EXPECTED = re.compile(
    r"Failed to load resource: (net::ERR_\w+|the server responded with a status of (4\d\d|5\d\d))"
    r"|htmx:(afterRequest|sendError|timeout)|Response Status Error Code [45]\d\d from "
    r"/console/\w+/log"
)
# True once this tab has the right to send, or stands in line for it: it has read what is kept,
# then.
STANDS_IN_LINE = """async () => {
  const own = `who:${Math.random()}`;
  const all = await navigator.locks.request(own, () => navigator.locks.query());
  const me = all.held.find((one) => one.name === own).clientId;
  return [...all.held, ...all.pending]
    .some((one) => one.clientId === me && one.name.startsWith("console-sends:"));
}"""


class Desk:
    """One browser of a scorer at a game, and what of it has reached the record."""

    def __init__(self, context: BrowserContext, game: str) -> None:
        self.context = context
        self.game = game
        self.errors: list[str] = []
        context.on(
            "console", lambda message: self.note(message.text) if message.type == "error" else None
        )
        context.on("weberror", lambda error: self.note(str(error.error)))

    def note(self, text: str) -> None:
        if not EXPECTED.match(text):
            self.errors.append(text)

    def sign_in(self, name: str) -> Page:
        page = self.context.new_page()
        sign_in_by_form(page, name)
        return page

    def console(self, page: Page | None = None) -> Page:
        """The console, ready for keys: in the given tab or in a new one."""
        page = page or self.context.new_page()
        page.goto(f"/console/{self.game}")
        expect(page.locator("#cmd")).to_be_focused()
        until(lambda: page.evaluate(STANDS_IN_LINE), "the page has read what this browser keeps")
        return page

    def cut(self) -> None:
        self.context.set_offline(True)

    def reconnect(self) -> None:
        self.context.set_offline(False)

    def outbox(self) -> list[OutboxMessage]:
        db.session.rollback()
        rows = (
            select(OutboxMessage)
            .where(OutboxMessage.game_id == self.game)
            .order_by(OutboxMessage.event_number)
        )
        return list(db.session.scalars(rows))

    def sent(self) -> list[str]:
        """The keys of the scorer's entries in order.

        One that was there twice with others between stands twice.
        """
        keys_sent = [row.idempotency_key.rpartition(":")[0] for row in self.outbox()[KICK_OFF:]]
        return [
            key for before, key in zip(["", *keys_sent], keys_sent, strict=False) if key != before
        ]

    def arrived(self, entries: list[str]) -> list[str]:
        """Bring the entries into the record once they are sent, and check it to the last row.

        Returns the types of their events.
        """
        until(
            lambda: self.sent() == entries,
            f"{len(entries)} entries in the outbox, in order, each once",
        )
        rows = self.outbox()
        numbers = [row.event_number for row in rows]
        assert numbers == list(range(1, len(rows) + 1)), "numbers without a gap"
        record_has(self.game, len(rows))
        originals = select(RecordedEvent).where(
            RecordedEvent.game_id == self.game, RecordedEvent.revision == 0
        )
        recorded = db.session.scalars(originals.order_by(RecordedEvent.event_number)).all()
        events = [ev.decode(row.payload) for row in rows]
        assert [event.event_number for event in recorded] == numbers
        assert [event.play_number for event in recorded] == [row.play_number for row in rows]
        assert [ev.body_from(event.body) for event in recorded] == [event.body for event in events]
        return [event.type for event in recorded[KICK_OFF:]]


KEPT_KEYS = """() => new Promise((resolve) => {
  indexedDB.open("pressbox-console").onsuccess = ({ target: { result: db } }) => {
    const request = db.transaction("entries").objectStore("entries").getAll();
    request.onsuccess = ({ target: { result: rows } }) => {
      db.close();
      resolve(rows.map((row) => row.key));
    };
  };
})"""
KEPT_DRAFTS = """() => new Promise((resolve) => {
  indexedDB.open("pressbox-console").onsuccess = ({ target: { result: db } }) => {
    const request = db.transaction("drafts").objectStore("drafts").getAll();
    request.onsuccess = ({ target: { result: rows } }) => {
      db.close();
      resolve(rows.map((row) => row.draft?.text));
    };
  };
})"""
KEPT_PAGES = (
    "caches.keys().then((names) => names.filter((name) => name.startsWith('console-page:')))"
)


def line(page: Page) -> Locator:
    return page.get_by_role("status", name="Line")


def said(page: Page) -> Locator:
    return page.get_by_role("status", name="Result")


def unsent(page: Page) -> Locator:
    return page.get_by_role("list", name="Not accepted yet").get_by_role("listitem")


def keeps_the_page(page: Page) -> None:
    """Until the page and its files would survive a reload without a network."""
    until(
        lambda: page.evaluate("caches.match(location.pathname).then(Boolean)"), "the page is kept"
    )


def kept_keys(page: Page) -> list[str]:
    """The keys of the entries that this browser has on disk, in order."""
    kept_keys: list[str] = page.evaluate(KEPT_KEYS)
    return kept_keys


def keeps_the_draft(page: Page, text: str) -> None:
    """Until what is being typed is on disk.

    Nothing on the page tells, since only entries are promised to be kept.
    """
    until(lambda: page.evaluate(KEPT_DRAFTS) == [text], f"the draft {text!r} is kept")


def snap(page: Page, number: int) -> None:
    """The snap of play `number` of the drive.

    Half a minute and 4 yards after the one before, always a first down.
    """
    left = 900 - 30 * number
    keys(page, "s", f"{left // 60}:{left % 60:02d} 1&10 o{25 + 4 * number}", "Enter")


def run(page: Page) -> None:
    """Number 3 gains 4 yards, number 9 makes the tackle: two events of one entry."""
    keys(page, "r", "r", "3", "Enter", "+4", "Enter", "9", "Enter", "Enter", "Enter")


def play(page: Page, number: int) -> None:
    snap(page, number)
    run(page)


def plays_of(types: list[str]) -> int:
    """How many whole plays of `play` these are."""
    assert types == ["snap", "run", "tackle"] * (len(types) // 3)
    return len(types) // 3
