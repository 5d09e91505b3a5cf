"""Who can sign in to the demo, as `pressbox up` prints it.

This module imports nothing, so that the supervisor stays small.
"""

from __future__ import annotations

DEMO_PASSWORD = "on the record"  # noqa: S105  (printed at every start: it protects nothing but demo data)


def demo_logins() -> list[tuple[str, str, str]]:
    """Return role, username and what to do with it, one account per role."""
    return [
        (
            "member",
            "member",
            "a team in The Press Row, the league with the moving table; next week's team is open",
        ),
        (
            "scorer",
            "scorer",
            "the console at /console/; the API keys of Kicking Contest at /integrators",
        ),
        (
            "moderator",
            "moderator",
            "as a member; held scores, bans, rollbacks and appeals at /moderation",
        ),
        ("operator", "operator", "as a member; how everything runs at /ops"),
    ]
