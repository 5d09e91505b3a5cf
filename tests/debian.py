"""Debian's packages for tests that need a program, where the tests run as root on Debian."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

INSTALL_SECONDS = 180


def is_root() -> bool:
    """Whether packages can be installed here."""
    return os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def apt(*arguments: str) -> None:
    """Does what it can.

    What is there afterwards is looked for, and a slow network must not stop the tests.
    """
    try:
        subprocess.run(
            ["apt-get", *arguments],  # noqa: S607
            check=False,
            timeout=INSTALL_SECONDS,
            stdout=sys.stderr,
        )
    except subprocess.TimeoutExpired:
        print(f"apt-get {arguments[0]} did not end within {INSTALL_SECONDS} s", file=sys.stderr)
