"""Paint, layout shift and weight of ten pages on a throttled phone in Chromium.

Goals: the largest contentful paint below 1 s, 100 kB over the wire, and a layout shift below 0.05.

`python -m benchmarks.paint` starts stores and one web process in a temporary folder, makes the demo
season, and opens each page in a new context with an empty cache: the screen of a phone, 1.6 Mbit/s
and 150 ms there and back, the processor four times slower. Printed: milliseconds (medians of the
rounds) until the server's first byte, the first paint and the largest one, which element that was,
the layout shift (the largest of the rounds, summed over the load and half a second after it), kB
over the wire, what moved on a page that shifts more than the goal, and what was fetched before the
first paint could happen. The connection is HTTP/1.1 on this machine, without TLS.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from sqlalchemy import select

from app import create_app
from app.accounts.models import Member
from app.core.db import db
from app.demo.logins import demo_logins
from app.demo.season import CURRENT
from app.fantasy.standings.models import League
from app.record.models import GameState
from app.settings import Settings
from benchmarks.pages import play_demo, refresh_gameweeks
from benchmarks.polls import sign_in
from benchmarks.slow_clients import serving
from tests.e2e.browser import executable
from workers.supervisor.start import running_stack

NETWORK = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 // 8,
    "uploadThroughput": 750_000 // 8,
}
SLOWER = 4
SHIFT_GOAL = 0.05
TOTAL_POINTS, HEAD_TO_HEAD = "the-press-row", "front-page-derby"  # leagues of the demo
PHONE: dict[str, Any] = {
    "viewport": {"width": 412, "height": 823},
    "device_scale_factor": 1.75,
    "is_mobile": True,
    "has_touch": True,
}
_LOOK = """
    () => new Promise(resolve => {
      const measured = {largest: 0, element: "", shift: 0, moved: []};
      new PerformanceObserver(list => {
        for (const entry of list.getEntries()) {
          measured.largest = entry.startTime;
          measured.element = entry.element ? entry.element.tagName.toLowerCase() : "";
        }
      }).observe({type: "largest-contentful-paint", buffered: true});
      new PerformanceObserver(list => {
        for (const entry of list.getEntries()) {
          measured.shift += entry.value;
          for (const {node, previousRect, currentRect} of entry.sources) {
            const name = node?.id || node?.className || node?.nodeName || "gone";
            measured.moved.push(`${name} from ${previousRect.y} to ${currentRect.y} px`);
          }
        }
      }).observe({type: "layout-shift", buffered: true});
      setTimeout(() => {
        const page = performance.getEntriesByType("navigation")[0];
        const first = performance.getEntriesByName("first-contentful-paint")[0];
        resolve({...measured, byte: page.responseStart, first: first ? first.startTime : 0,
          blocking: performance.getEntriesByType("resource")
            .filter(entry => entry.renderBlockingStatus === "blocking")
            .map(entry => `${entry.name.split("/").pop()} ${Math.round(entry.responseEnd)}`)});
      }, 500);
    })
"""


def _look(browser: Browser, address: str, cookie: str) -> Mapping[str, Any]:
    """Load the page once with an empty cache; `size` is in bytes over the wire."""
    context = browser.new_context(**PHONE, service_workers="block")
    for pair in filter(None, cookie.split("; ")):
        name, _, value = pair.partition("=")
        context.add_cookies([{"name": name, "value": value, "url": address}])
    page: Page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", NETWORK)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    answer = page.goto(address, wait_until="load")
    assert answer is not None
    assert answer.status == HTTPStatus.OK, f"{address}: {answer.status}"
    painted: dict[str, Any] = page.evaluate(_LOOK)
    context.close()
    return painted | {"size": sum(sizes)}


def _pages(member: str) -> dict[str, tuple[str, str]]:
    """Address and cookies of each page, by name. Needs the demo season."""
    username = demo_logins()[0][1]
    viewer = db.session.scalar(select(Member.id).where(Member.username == username))
    league = db.session.scalar(select(League).where(League.slug == TOTAL_POINTS))
    live = select(GameState.game_id).where(GameState.status == "live").order_by(GameState.game_id)
    game = db.session.scalar(live.limit(1))
    assert league is not None
    assert game is not None
    addresses = {
        "home": "",
        "league table": f"leagues/{TOTAL_POINTS}",
        "matchup": f"leagues/{HEAD_TO_HEAD}/matchups/{CURRENT - 1}/{viewer}",
        "team editor": f"team/{league.team_rules_id}",
        "players": "players",
        "game": f"games/{game}",
        "recap": f"leagues/{TOTAL_POINTS}/recap",
        "talk": f"leagues/{TOTAL_POINTS}/talk",
        "notifications": "notices",
    }
    pages = {name: (address, member) for name, address in addresses.items()}
    return {"front page, signed out": ("", "")} | pages


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    chromium = executable()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Settings(var=Path(folder)), processes=False) as stack,
        sync_playwright() as playwright,
    ):
        app = create_app(stack)
        with app.app_context():
            play_demo()
            refresh_gameweeks()
        with serving("uvicorn", stack) as port:
            address = f"http://127.0.0.1:{port}/"
            with app.app_context():
                pages = _pages(sign_in(port))
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            looks: dict[str, list[Mapping[str, Any]]] = {name: [] for name in pages}
            for number in range(arguments.rounds + 1):
                for name, (path, cookie) in pages.items():
                    painted = _look(browser, address + path, cookie)
                    if number:  # the first round warms up
                        looks[name].append(painted)
            browser.close()
    print(
        "| page | first byte ms | first paint ms | largest paint ms (goal 1,000) | of "
        "| layout shift (goal 0.05) | kB (goal 100) |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, loads in looks.items():
        times = " | ".join(
            f"{statistics.median(load[key] for load in loads):,.0f}"
            for key in ("byte", "first", "largest")
        )
        size = statistics.median(load["size"] for load in loads) / 1000
        shift = max(load["shift"] for load in loads)
        print(f"| {name} | {times} | {loads[-1]['element']} | {shift:.3f} | {size:.1f} |")
    for name, loads in looks.items():
        most_shifted = max(loads, key=lambda load: load["shift"])
        if most_shifted["shift"] > SHIFT_GOAL:
            print(f"\nMoved, {name}: {', '.join(most_shifted['moved'])}.")
    for name, loads in looks.items():
        blocking = ", ".join(loads[-1]["blocking"])
        print(f"\nBefore the first paint, {name} (there after ms): {blocking}.")


if __name__ == "__main__":
    main()
