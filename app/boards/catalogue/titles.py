"""Slugs and titles of games and modes; titles appear on public pages like members' names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from app.accounts.names import normalised
from app.accounts.services import public_name_fault
from app.core.refusals import Refusal

SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")
MAX_TITLE = 80
WRONG = "wrong"  # refusal code: the value is not possible


def title_faults(field: str, title: str) -> list[Refusal]:
    """Return what is wrong with a title that an integrator chose."""
    fault = public_name_fault(normalised(title), MAX_TITLE)
    return [Refusal(WRONG, field, fault)] if fault else []


def mode_title_faults(title: str | None, subscore: Mapping[str, Any] | None) -> list[Refusal]:
    """Find faults in the titles of a mode and of its subscore; None is not checked."""
    faults = [] if title is None else title_faults("title", title)
    second = (subscore or {}).get("title")
    return faults if second is None else [*faults, *title_faults("subscore.title", second)]


def name_faults(slug: str, title: str) -> list[Refusal]:
    """Return what is wrong with the slug, or with the length of the title."""
    faults = []
    if not SLUG.fullmatch(slug) or is_uuid(slug):
        text = (
            "Use 1 to 60 lowercase letters, digits and dashes, with a letter or digit at "
            "both ends. UUIDs are not allowed."
        )
        faults.append(Refusal(WRONG, "slug", text))
    if not 1 <= len(title.strip()) <= MAX_TITLE:
        faults.append(Refusal(WRONG, "title", f"Give a title of 1 to {MAX_TITLE} characters."))
    return faults


def is_uuid(name: str) -> bool:
    """Tell whether the name is a UUID in its canonical form."""
    try:
        return str(UUID(name)) == name.lower()
    except ValueError:
        return False
