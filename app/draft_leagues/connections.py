"""What draft leagues register with the subjects below them."""

from __future__ import annotations

from app.draft_leagues.commissioner.succession import tell_of_new_commissioner
from app.draft_leagues.drafts.services import follow_owners
from app.draft_leagues.season.places import playoff_changes, standings_of, write_places
from app.draft_leagues.season.services import write_weeks_of_season
from app.draft_leagues.season.story import playoff_story
from app.draft_leagues.wishes import ENDINGS
from app.fantasy.leagues.commissioners import AFTER_CHANGE
from app.fantasy.rosters.franchises import AFTER_CHANGE_OF_OWNERS, ENDS_WITH_OWNER
from app.fantasy.standings.models import DRAFT
from app.fantasy.standings.own_games import OWN_GAMES, OwnGame

OWN_GAMES[DRAFT] = OwnGame(
    write_fixtures=write_weeks_of_season,
    write_standings=write_places,
    standings_of=standings_of,
    playoff_changes=playoff_changes,
    playoff_story=playoff_story,
)
ENDS_WITH_OWNER.extend(ENDINGS)
AFTER_CHANGE_OF_OWNERS.append(follow_owners)
AFTER_CHANGE.append(tell_of_new_commissioner)
