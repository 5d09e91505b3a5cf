"""Servers for tests that come by Maven: each folder with a pom.xml has its jars beside it."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from pathlib import Path

_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy-dependencies"


class MissingToolError(RuntimeError):
    """Java or Maven is not there; the text says how to get it."""


def fetch_jars(home: Path) -> Path:
    """The folder with the jars of `home`'s pom.xml, which are fetched once.

    Raises MissingToolError, or CalledProcessError when Maven fails.
    """
    for tool, package in (("java", "openjdk-17-jre-headless"), ("mvn", "maven")):
        if shutil.which(tool) is None:
            raise MissingToolError(
                f"`{tool}` is missing, and tests with other servers need it: install it "
                f"(on Debian: apt-get install {package}; on macOS: brew install openjdk maven)."
            )
    pom, jars = home / "pom.xml", home / "jars"
    stamp = jars / ".of"
    fetch = ["mvn", "--quiet", "--batch-mode", "--file", str(pom), _COPY]
    with open(pom) as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # the other test worker waits, and then finds them
        listed = file.read()
        if not stamp.exists() or stamp.read_text() != listed:
            shutil.rmtree(jars, ignore_errors=True)
            subprocess.run([*fetch, f"-DoutputDirectory={jars}"], check=True)
            stamp.write_text(listed)
    return jars
