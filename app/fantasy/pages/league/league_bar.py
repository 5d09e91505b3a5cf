"""The places of a league on pages whose addresses are not a league's: the editor and the market."""

from __future__ import annotations

from collections.abc import Callable

from flask import render_template
from markupsafe import Markup

from app.core.page_cache.values import CachedValue, cached_value
from app.core.viewer import current_user
from app.fantasy.standings.models import DRAFT, League

BAR = "league-bar"  # the placeholder on cached pages
FIELD = "league"  # of an address: the league that the viewer came from
LONGEST_SLUG = 80  # a longer one is no league's


def league_bar(page: str, tab: str, slug: str, find_league: Callable[[], League | None]) -> Markup:
    """Return the bar of a league of the viewer's, from the cache; empty without a league.

    Args:
        page: What distinguishes this page from the viewer's others with such a bar.
        tab: The open page of a salary-cap league, as templates/leagues/_tabs.html names it. In a
            draft league it is the roster.
        slug: The league that the address names. If it is this one, a hidden field of the form
            `sheet` keeps it.
        find_league: Called only if the bar is not cached.
    """
    member_id = current_user.id

    def render() -> CachedValue[str]:
        league = find_league()
        if league is None:
            return CachedValue("", (f"memberships:{member_id}", "leagues"))
        is_draft = league.game == DRAFT
        bar = render_template(
            "leagues/_bar.html",
            league=league,
            tab="roster" if is_draft else tab,
            field=FIELD if tab == "team" and league.slug == slug else "",
        )
        if is_draft:  # its places depend on its phase, which has no tag
            return CachedValue(bar, ())
        own_tags = (f"memberships:{member_id}", f"talk-read:{member_id}")
        return CachedValue(
            bar, (*own_tags, f"talk:{league.id}", f"league:{league.id}", "leagues", "names")
        )

    bar = cached_value(f"{BAR}:{member_id}:{page}:{slug}", str, render)
    return Markup(bar)  # noqa: S704 (our template)
