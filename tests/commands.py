"""Commands of `pressbox` that run inside the test, on its application."""

from __future__ import annotations

from contextlib import nullcontext
from types import ModuleType

import pytest
from flask import Flask


def use_here(patch: pytest.MonkeyPatch, commands: ModuleType, app: Flask) -> None:
    """Has the commands of a module in app/cli use this application, unaudited, instead of starting one."""
    patch.setattr(commands, "application", lambda **_: nullcontext(app))
