"""The web side of draft leagues."""

from __future__ import annotations

from flask import Flask

from app.core.serving import add_stream_source
from app.draft_leagues.drafts import act_views as draft_acts
from app.draft_leagues.drafts import views as drafts
from app.draft_leagues.drafts.hub import HUB, DraftHub
from app.draft_leagues.pages import (
    commissioner_acts,
    commissioner_views,
    import_views,
    keeper_views,
    ranking_views,
    roster_views,
    season_views,
    trade_block_views,
    trade_views,
    transaction_views,
    waiver_views,
    wizard_views,
)

PAGES = (
    wizard_views,
    import_views,
    keeper_views,
    ranking_views,
    roster_views,
    season_views,
    trade_block_views,
    trade_views,
    transaction_views,
    waiver_views,
    commissioner_views,
    commissioner_acts,
    drafts,
    draft_acts,
)


def init_app(app: Flask) -> None:
    """Register the pages, and the streams of draft rooms."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
    hub = app.extensions[HUB] = DraftHub(app)
    add_stream_source(app, HUB, hub.open)
