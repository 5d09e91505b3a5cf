"""What draft leagues register with the subjects below them."""

from __future__ import annotations

from app.draft_leagues.season.places import write_places
from app.fantasy.standings.models import DRAFT
from app.fantasy.standings.places import register_place_writer

register_place_writer(DRAFT, write_places)
