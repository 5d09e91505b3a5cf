"""Largest contentful paint of the front page and a league's table on a throttled phone in Chromium.

Goals: below 1 s, and the first page below 100 kB.

`python -m benchmarks.paint` starts stores and one web process in a temporary folder, makes the demo
season, and opens the front page, signed out and as a member, and a league's table, each time in a
new context with an empty cache: the screen of a phone, 1.6 Mbit/s and 150 ms there and back, the
processor four times slower. Printed: milliseconds (medians of the rounds) until the server's first
byte, the first paint and the largest one, which element that was, kB over the wire, and what was
fetched before the first paint could happen. The connection is HTTP/1.1 on this machine, without
TLS.
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

from app import create_app
from app.demo.seed import seed_demo
from app.settings import Settings
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
PHONE: dict[str, Any] = {
    "viewport": {"width": 412, "height": 823},
    "device_scale_factor": 1.75,
    "is_mobile": True,
    "has_touch": True,
}
_LOOK = """
    () => new Promise(resolve => {
      const found = {largest: 0, element: ""};
      new PerformanceObserver(list => {
        for (const one of list.getEntries()) {
          found.largest = one.startTime;
          found.element = one.element ? one.element.tagName.toLowerCase() : "";
        }
      }).observe({type: "largest-contentful-paint", buffered: true});
      setTimeout(() => {
        const page = performance.getEntriesByType("navigation")[0];
        const first = performance.getEntriesByName("first-contentful-paint")[0];
        resolve({...found, byte: page.responseStart, first: first ? first.startTime : 0,
          blocking: performance.getEntriesByType("resource")
            .filter(one => one.renderBlockingStatus === "blocking")
            .map(one => `${one.name.split("/").pop()} ${Math.round(one.responseEnd)}`)});
      }, 300);
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
    assert answer.status == HTTPStatus.OK, answer.status
    painted: dict[str, Any] = page.evaluate(_LOOK)
    context.close()
    return painted | {"size": sum(sizes)}


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
        with create_app(stack).app_context():
            seed_demo(lambda *_: None)
        with serving("uvicorn", stack) as port:
            address = f"http://127.0.0.1:{port}/"
            member = sign_in(port)
            pages = {
                "front page, signed out": ("", ""),
                "front page of a member": ("", member),
                "league table": ("leagues/the-press-row", member),
            }
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            looks: dict[str, list[Mapping[str, Any]]] = {name: [] for name in pages}
            for number in range(arguments.rounds + 1):
                for name, (path, cookie) in pages.items():
                    painted = _look(browser, address + path, cookie)
                    if number:  # the first round warms up
                        looks[name].append(painted)
            browser.close()
    print(
        "| page | first byte ms | first paint ms | largest paint ms (goal 1,000) | of | kB "
        "(goal 100) |"
    )
    print("|---|---|---|---|---|---|")
    for name, loads in looks.items():
        times = " | ".join(
            f"{statistics.median(load[key] for load in loads):,.0f}"
            for key in ("byte", "first", "largest")
        )
        size = statistics.median(load["size"] for load in loads) / 1000
        print(f"| {name} | {times} | {loads[-1]['element']} | {size:.1f} |")
    for name, loads in looks.items():
        blocking = ", ".join(loads[-1]["blocking"])
        print(f"\nBefore the first paint, {name} (there after ms): {blocking}.")


if __name__ == "__main__":
    main()
