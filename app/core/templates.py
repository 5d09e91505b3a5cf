"""The environment of templates."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from flask import templating


class Environment(templating.Environment):
    """Flask's environment, where including a template costs less.

    Each inclusion and each import looks at the names of all globals. Jinja chains two mappings so
    that later changes of the environment's globals are seen, which is slow to look through. Here
    globals have to be added before the first template is loaded.
    """

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the globals of a template; `d` are its own."""
        return {**self.globals, **(d or {})}
