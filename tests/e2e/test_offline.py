"""A scorer loses the network.

Their entries wait in the browser, and reach the record once, in order.

What arrived is compared with what the browser kept: keys, order and numbers, in the outbox and in
the record.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from app.core.db import db
from app.record import events as ev
from app.record.models import RecordedEvent
from tests.e2e.desk import (
    KICK_OFF,
    Desk,
    keeps_the_page,
    kept_keys,
    line,
    play,
    plays_of,
    run,
    said,
    snap,
    unsent,
)
from tests.e2e.keyboard import keys
from tests.e2e.looking import PHONE
from tests.e2e.road import record_has
from tests.e2e.running import RunningPressbox

pytestmark = pytest.mark.e2e

# Changes the first kept entry to one of an action that this console does not know.
FORGET_THE_ACTION = """() => new Promise((resolve) => {
  indexedDB.open("pressbox-console").onsuccess = ({ target: { result: db } }) => {
    const entries = db.transaction("entries", "readwrite").objectStore("entries");
    entries.getAll().onsuccess = ({ target: { result: [row] } }) => {
      entries.put({ ...row, kept: { ...row.kept, name: "gone" } });
    };
    entries.transaction.oncomplete = () => { db.close(); resolve(); };
  };
})"""
# Keeps every write to the entries waiting, as a slow drive does, until LET_GO.
HOLD_THE_DISK = """() => new Promise((held) => {
  indexedDB.open("pressbox-console").onsuccess = ({ target: { result: db } }) => {
    const entries = db.transaction("entries", "readwrite").objectStore("entries");
    window.letGo = false;
    const hold = () => {
      entries.count().onsuccess = () => { held(); window.letGo ? db.close() : hold(); };
    };
    hold();
  };
})"""
LET_GO = "window.letGo = true"
KEPT_PATHS = """caches.keys().then(async (names) => {
  const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return requests.flat().map((request) => new URL(request.url).pathname);
})"""


def slip_of_a_finger(page: Page) -> None:
    """Corrects the last run and strikes out an event that has not happened.

    The server refuses it.
    """
    keys(
        page,
        "w",
        "Enter",
        "Enter",
        "Enter",
        "Enter",
        "+6",
        "Enter",
        "99",
        "Enter",
        "Enter",
        "Enter",
    )
    expect(page.locator("#sentence")).to_contain_text("Corrected #6")
    keys(page, "Enter")


@pytest.mark.fault(2)
def test_a_drive_entered_without_a_network_arrives_in_order(desk: Callable[..., Desk]) -> None:
    sal = desk()
    page = sal.console()
    play(page, 0)
    expect(said(page)).to_contain_text("Recorded as #6 to #7")
    keys(page, "s", "1430 1&10")  # the line dies while the second snap is typed
    sal.cut()
    keys(page, " o29", "Enter")
    run(page)
    for number in range(2, 7):
        play(page, number)
    expect(line(page)).to_contain_text("12 unsent, saved here")
    expect(line(page)).to_contain_text(re.compile(r"Offline.*Situation as of \d\d:\d\d"))
    expect(unsent(page)).to_have_count(12)
    keys_kept = kept_keys(page)
    assert len(set(keys_kept)) == 12
    assert len(sal.outbox()) == 7
    sal.reconnect()
    expect(line(page)).not_to_contain_text("unsent")
    before = [row.idempotency_key.rpartition(":")[0] for row in sal.outbox()[KICK_OFF:7]]
    assert plays_of(sal.arrived([*dict.fromkeys(before), *keys_kept])) == 7
    assert [row.play_number for row in sal.outbox()[KICK_OFF:]] == [
        play for play in range(2, 9) for _ in range(3)
    ]
    expect(unsent(page)).to_have_count(0)
    assert kept_keys(page) == []


def test_an_entry_that_was_not_sent_yet_is_taken_back_here_and_only_the_rest_is_recorded(
    desk: Callable[..., Desk],
) -> None:
    sal = desk()
    page = sal.console()
    snap(page, 0)
    expect(said(page)).to_contain_text("Recorded as #5")
    sal.cut()
    run(page)
    play(page, 1)
    expect(line(page)).to_contain_text("3 unsent, saved here")
    keys(page, "u")
    expect(said(page)).to_contain_text("Undone before it was sent")
    expect(line(page)).to_contain_text("2 unsent, saved here")
    keys(page, "u", "u")
    expect(said(page)).to_contain_text("may already be recorded")
    expect(line(page)).to_contain_text("1 unsent, saved here")
    keys_kept = kept_keys(page)
    sal.reconnect()
    expect(line(page)).not_to_contain_text("unsent")
    before = sal.sent()[:1]
    assert sal.arrived([*before, *keys_kept]) == ["snap", "run", "tackle"]


def test_an_entry_is_taken_back_or_dropped_once_the_disk_has_forgotten_it(
    desk: Callable[..., Desk],
) -> None:
    """Until then a crash would bring it back, and one that was taken back would be sent."""
    sal = desk()
    page = sal.console()
    play(page, 0)
    expect(said(page)).to_contain_text("Recorded as #6 to #7")
    slip_of_a_finger(page)
    expect(line(page)).to_contain_text("Refused: 1 unsent")
    page.evaluate(HOLD_THE_DISK)
    keys(page, "z")
    expect(line(page)).to_contain_text("1 unsent, 1 of them being removed")
    expect(said(page)).to_have_text("Dropping it …")
    page.evaluate(LET_GO)
    expect(said(page)).to_contain_text("Dropped.")
    assert kept_keys(page) == []

    sal.cut()
    play(page, 1)
    expect(line(page)).to_contain_text("2 unsent, saved here")
    keys_kept = kept_keys(page)
    page.evaluate(HOLD_THE_DISK)
    keys(page, "u")
    expect(line(page)).to_contain_text("2 unsent, 1 of them being removed")
    expect(said(page)).to_have_text("Undoing …")
    page.evaluate(LET_GO)
    expect(said(page)).to_contain_text("Undone before it was sent")
    assert kept_keys(page) == keys_kept[:1]
    expect(line(page)).to_contain_text("1 unsent, saved here")
    sal.reconnect()
    expect(line(page)).not_to_contain_text("unsent")
    assert sal.sent()[2:] == keys_kept[:1]
    assert sal.arrived(sal.sent()) == ["snap", "run", "tackle", "snap"]


def test_a_reload_without_a_network_shows_the_console_and_what_it_keeps(
    desk: Callable[..., Desk],
) -> None:
    sal = desk(service_workers="allow")
    page = sal.console()
    keeps_the_page(page)
    snap(page, 0)
    expect(said(page)).to_contain_text("Recorded as #5")
    kept_paths = [path for path in page.evaluate(KEPT_PATHS) if not path.startswith("/static/")]
    assert sorted(kept_paths) == ["/clubs.css", f"/console/{sal.game}"], (
        "no fragment, no entry, no other page"
    )
    sal.cut()
    run(page)
    play(page, 1)
    expect(line(page)).to_contain_text("3 unsent, saved here")
    keys_kept = kept_keys(page)
    page.reload()
    expect(line(page)).to_contain_text(
        re.compile(r"Offline: 3 unsent, saved here\. Situation as of \d\d:\d\d")
    )
    expect(unsent(page)).to_have_count(3)
    expect(page.locator("#sentence-label")).to_contain_text("based on unrecorded entries")
    play(page, 2)  # the console works as before
    expect(line(page)).to_contain_text("5 unsent, saved here")
    keys_kept = kept_keys(page)
    assert len(keys_kept) == 5
    sal.reconnect()
    expect(line(page)).not_to_contain_text("unsent")
    first = sal.outbox()[KICK_OFF].idempotency_key.rpartition(":")[0]
    assert plays_of(sal.arrived([first, *keys_kept])) == 3


def test_a_double_click_or_a_double_enter_records_once(desk: Callable[..., Desk]) -> None:
    sal = desk()
    page = sal.console()
    keys(page, "s")
    page.get_by_role("button", name="Enter", exact=True).dblclick()
    expect(said(page)).to_contain_text("Recorded as #5")
    keys(page, "r", "r", "3", "Enter", "+4", "Enter", "9", "Enter")
    sal.cut()
    keys(page, "Enter", "Enter")
    expect(line(page)).to_contain_text("1 unsent, saved here")
    sal.reconnect()
    expect(said(page)).to_contain_text("Recorded as #6 to #7")
    assert plays_of(sal.arrived(sal.sent())) == 1


def test_a_refused_entry_survives_a_reload_and_is_corrected_in_its_place(
    desk: Callable[..., Desk],
) -> None:
    sal = desk(service_workers="allow")
    page = sal.console()
    keeps_the_page(page)
    play(page, 0)
    expect(said(page)).to_contain_text("Recorded as #6 to #7")
    sal.cut()
    slip_of_a_finger(page)
    play(page, 1)
    expect(line(page)).to_contain_text("3 unsent, saved here")
    sal.reconnect()
    expect(line(page)).to_contain_text("Refused: 3 unsent")
    expect(said(page)).to_contain_text("99 has not happened yet")
    sal.cut()
    page.reload()
    expect(line(page)).to_contain_text("3 unsent, saved here")
    expect(unsent(page).first).to_contain_text("99 has not happened yet")
    sal.reconnect()
    expect(line(page)).to_contain_text("Refused: 3 unsent")
    keys(page, "a")
    expect(page.locator("#sentence")).to_contain_text("Corrected #6")
    keys(page, "Escape", "Escape", "Escape")
    expect(page.locator("#cmd")).to_have_value("99")
    keys(page, "-", "Enter", "Enter", "Enter", "Enter")  # the tackle follows the run
    expect(line(page)).not_to_contain_text("unsent")
    record_has(sal.game, KICK_OFF + 8)
    assert [ev.body_to(ev.decode(row.payload).body)["type"] for row in sal.outbox()[KICK_OFF:]] == [
        "snap",
        "run",
        "tackle",
        "overturn",
        "overturn",
        "snap",
        "run",
        "tackle",
    ]
    six = select(RecordedEvent).filter_by(game_id=sal.game, event_number=6, valid=True)
    ruled = db.session.scalars(six).one()
    assert ruled.body["end_yard"] == 31


def test_a_refused_entry_can_be_dropped_after_a_reload(desk: Callable[..., Desk]) -> None:
    sal = desk()
    page = sal.console()
    play(page, 0)
    expect(said(page)).to_contain_text("Recorded as #6 to #7")
    slip_of_a_finger(page)
    expect(line(page)).to_contain_text("Refused: 1 unsent")
    # As if this console had been updated and no longer knew the action: it can still be dropped.
    page.evaluate(FORGET_THE_ACTION)
    page.reload()
    expect(line(page)).to_contain_text("Refused: 1 unsent")
    keys(page, "a")
    expect(said(page)).to_contain_text("Press z to drop it")
    keys(page, "z")
    expect(line(page)).not_to_contain_text("unsent")
    play(page, 1)
    expect(said(page)).to_contain_text("Recorded as #9 to #10")
    assert kept_keys(page) == []


@pytest.mark.everyday("only a browser keeps entries")
@pytest.mark.fault(2)
def test_a_killed_server_gets_everything_when_it_is_back(
    pressbox: RunningPressbox, desk: Callable[..., Desk]
) -> None:
    sal = desk(viewport=PHONE, service_workers="allow")
    page = sal.console()
    keeps_the_page(page)
    play(page, 0)
    pressbox.kill_web()
    play(page, 1)
    expect(line(page)).to_contain_text(re.compile(r"Offline: \d unsent, saved here"))
    expect(line(page)).to_be_in_viewport()
    page.get_by_text("Enter one event without the keyboard console").scroll_into_view_if_needed()
    expect(line(page)).to_be_in_viewport()
    page.reload()
    expect(line(page)).to_contain_text(re.compile(r"Offline: \d unsent, saved here"))
    pressbox.start_web()
    expect(line(page)).not_to_contain_text("unsent")
    sent = sal.sent()
    assert len(sent) == 4
    assert plays_of(sal.arrived(sent)) == 2


@pytest.mark.parametrize("fault", ["closed", "full"])
def test_a_browser_that_cannot_keep_says_so_and_goes_on(
    site: str, desk: Callable[..., Desk], fault: str
) -> None:
    sal = desk()
    page = sal.context.new_page()
    if fault == "closed":  # as some browsers are in private windows
        page.add_init_script(
            "IDBFactory.prototype.open = () => { throw new DOMException('no', "
            "'InvalidStateError'); }"
        )
    else:
        session = sal.context.new_cdp_session(page)
        session.send("Storage.overrideQuotaForOrigin", {"origin": site, "quotaSize": 1})
    sal.console(page)
    warning = "This browser can’t store entries. Don’t close this tab"
    if fault == "closed":
        expect(line(page)).to_contain_text(warning)
    sal.cut()
    play(page, 0)
    expect(line(page)).to_contain_text(warning)
    expect(line(page)).to_contain_text("2 unsent")
    sal.reconnect()
    expect(line(page)).not_to_contain_text("unsent")
    assert plays_of(sal.arrived(sal.sent())) == 1
