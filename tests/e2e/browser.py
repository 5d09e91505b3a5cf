"""Finds a browser for the end-to-end tests, or installs one. `python -m tests.e2e.browser` is `make browser`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

SYSTEM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def executable() -> str | None:
    """Playwright's own browser if it is there, else the system's Chromium, else None."""
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    if Path(own).exists():
        return own
    return next((path for name in SYSTEM_NAMES if (path := shutil.which(name))), None)


def install() -> str | None:
    """Installs one: Playwright's own, or the system's package as root. The way that worked leaves a browser."""
    print("No browser found: installing one for the end-to-end tests (once)", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
    if (found := executable()) is not None:
        return found
    if os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-qq"], check=False)  # noqa: S607
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium"], check=False)  # noqa: S607
    return executable()


def main() -> None:
    if executable() is None and install() is None:
        sys.exit(
            "No browser for the end-to-end tests: run `playwright install chromium`, "
            "or install your system's Chromium (on Debian: apt-get install chromium), then try again."
        )


if __name__ == "__main__":
    main()
