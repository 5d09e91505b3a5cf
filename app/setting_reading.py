"""Reads the settings from the environment, once, at start; reports all mistakes together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from app.setting_faults import A_SECRET, faults
from app.setting_values import given, parse
from app.settings import Settings, SettingsError


def settings_from_env(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings. Raises SettingsError that names every wrong variable with an example."""
    environ = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    mistakes: list[str] = []
    for f in fields(Settings):
        try:
            raw = given(environ, f.metadata["env"])
        except ValueError as error:
            mistakes.append(f"{f.metadata['env']}: {error}")
            continue
        if not raw:
            if f.metadata["env"] == "SECRET_KEY" and "SECRET_KEY" in environ:
                mistakes.append(f"SECRET_KEY is empty: leave it out, or set it to {A_SECRET}")
            continue
        try:
            values[f.name] = parse(f.type if isinstance(f.type, str) else f.type.__name__, raw)
        except ValueError as error:
            mistakes.append(
                f"{f.metadata['env']}={raw!r}: {error}; for example {f.metadata['example']}"
            )
    settings = Settings(**values)
    mistakes += faults(settings)
    if mistakes:
        raise SettingsError("\n".join(mistakes))
    return settings
