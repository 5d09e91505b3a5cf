"""Finds a browser for the end-to-end tests, or installs one.

`python -m tests.e2e.browser` is `make browser`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import BrowserType, sync_playwright

from tests import debian

# Debian's package of Chromium without a window comes first: the whole one takes five times the
# processor time.
SHELL = "chromium-headless-shell"
SYSTEM_NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def executable() -> str | None:
    """As `path_of_browser`, for whoever drives none."""
    with sync_playwright() as playwright:
        return path_of_browser(playwright.chromium)


def path_of_browser(chromium: BrowserType) -> str | None:
    """Playwright's own browser if it is there, else the system's Chromium, else None."""
    bundled = chromium.executable_path
    if Path(bundled).exists():
        return bundled
    return next((path for name in SYSTEM_NAMES if (path := shutil.which(name))), None)


def install() -> str | None:
    """Installs one: Playwright's own, or the system's package as root.

    The way that worked leaves a browser.
    """
    print("No browser found: installing one for the end-to-end tests (once)", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
    if (path := executable()) is not None:
        return path
    if debian.is_root():
        debian.apt("update", "-qq")
        debian.apt("install", "-y", "-qq", "chromium", SHELL)
        if executable() is None:
            debian.apt("install", "-y", "-qq", "chromium")  # a Debian without the other package
    return executable()


def prefer_shell() -> None:
    """Where Debian's whole Chromium was found and the lighter one can be had, gets it."""
    if executable() == shutil.which("chromium") and debian.is_root() and _package_is_known():
        debian.apt("install", "-y", "-qq", SHELL)


def _package_is_known() -> bool:
    known = subprocess.run(["apt-cache", "show", SHELL], check=False, capture_output=True)  # noqa: S607
    return known.returncode == 0


def check_driver() -> None:
    """Say what Playwright misses if its Node.js does not start, as on a bare Debian 13."""
    tried = subprocess.run(
        [sys.executable, "-m", "playwright", "--version"],
        check=False,
        capture_output=True,
        text=True,
    )
    if tried.returncode:
        sys.exit(
            f"{tried.stderr.strip()}\n\nPlaywright, which drives the browser of the tests, does "
            "not start. If a library is missing, install it (on Debian, libatomic.so.1: apt-get "
            "install libatomic1), then try again."
        )


def main() -> None:
    check_driver()
    if executable() is None and install() is None:
        sys.exit(
            "No browser for the end-to-end tests: run `playwright install chromium`, "
            "or install your system's Chromium (on Debian: apt-get install chromium), then try "
            "again."
        )
    prefer_shell()


if __name__ == "__main__":
    main()
