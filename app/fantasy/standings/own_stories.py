"""What recaps tell besides the claims of every league, by the game of the league.

Draft leagues stand above this package, and register what their play-offs have decided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

# From a league and the number of a gameweek to sentences, the most important first.
OWN_STORIES: dict[str, Callable[[int, int], Sequence[str]]] = {}
