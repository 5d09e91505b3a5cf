"""Fantasy football. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from typing import TypedDict, Unpack

from ..calls import Calls, Json, known, part


class PutTeamSheetOptions(TypedDict, total=False):
    """Optional parameters of `put_team_sheet`."""

    league: str | None
    goal_keeper: str | None
    vice_captain: str | None
    edition: int | None


class FoundLeagueOptions(TypedDict, total=False):
    """Optional parameters of `found_league`."""

    season: str | None
    mode: str | None
    lock: str | None
    postponed_games: str | None
    is_public: bool | None
    first_week: str | None


class FantasyFootball(Calls):
    """Operations of the tag Fantasy football."""

    def get_footballer(self, footballer_id: str, *, season: str | None = None) -> Json:
        """Look up a footballer.

        At most 240 per minute per caller.
        """
        return self._call(
            "GET", f"/api/v1/footballers/{part(footballer_id)}", query={"season": season}
        )

    def get_gamer(self, gamer_id: int, *, season: str | None = None) -> Json:
        """Look up a gamer.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/gamers/{part(str(gamer_id))}", query={"season": season})

    def list_gamer_leagues(self, gamer_id: int) -> Json:
        """List a gamer's leagues that are public or that the caller is also in.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/gamers/{part(str(gamer_id))}/leagues")

    def get_team_sheet(self, gamer_id: int, gameweek: str, *, league: str | None = None) -> Json:
        """Read a gamer's team sheet.

        Gamers can read their own at any time, and others' only after the gameweek's deadline.
        If players lock one by one, the deadline is the first kickoff, and later players can
        still be replaced.

        At most 240 per minute per caller.
        """
        return self._call(
            "GET",
            f"/api/v1/gamers/{part(str(gamer_id))}/teamsheets/{part(gameweek)}",
            query={"league": league},
        )

    def put_team_sheet(
        self,
        gamer_id: int,
        gameweek: str,
        *,
        captain: str,
        players: list[str],
        subs: list[str],
        **options: Unpack[PutTeamSheetOptions],
    ) -> Json:
        """Save your team sheet, either completely or not at all.

        Starters are assigned to slots by position. The server's clock decides about the
        deadline. A team sheet that you read can be sent back unchanged, because read-only
        fields are ignored. Names may begin with a capital letter, as in the source design.

        At most 60 per minute per caller.
        """
        values = known(PutTeamSheetOptions, options)
        return self._call(
            "PUT",
            f"/api/v1/gamers/{part(str(gamer_id))}/teamsheets/{part(gameweek)}",
            query={"league": values.get("league")},
            body={
                "captain": captain,
                "players": players,
                "subs": subs,
                "goalKeeper": values.get("goal_keeper"),
                "viceCaptain": values.get("vice_captain"),
                "edition": values.get("edition"),
            },
        )

    def found_league(
        self,
        *,
        name: str,
        team_name: str,
        format: str,
        rules: str,
        **options: Unpack[FoundLeagueOptions],
    ) -> Json:
        """Create a league.

        All other settings are the format's defaults. The commissioner can change them until the
        first deadline.

        At most 20 per hour per caller.
        """
        values = known(FoundLeagueOptions, options)
        return self._call(
            "POST",
            "/api/v1/leagues",
            body={
                "name": name,
                "teamName": team_name,
                "format": format,
                "rules": rules,
                "season": values.get("season"),
                "mode": values.get("mode"),
                "lock": values.get("lock"),
                "postponedGames": values.get("postponed_games"),
                "isPublic": values.get("is_public"),
                "firstWeek": values.get("first_week"),
            },
        )

    def list_league_gamers(
        self, league: str, *, limit: int | None = None, offset: int | None = None
    ) -> Json:
        """List the gamers of a league by their total points.

        At most 240 per minute per caller.
        """
        return self._call(
            "GET",
            f"/api/v1/leagues/{part(league)}/gamers",
            query={"limit": limit, "offset": offset},
        )

    def list_league_matchups(
        self,
        league: str,
        *,
        gameweek: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Json:
        """List the matchups of a head-to-head league, from the first gameweek to the last.

        At most 240 per minute per caller.
        """
        return self._call(
            "GET",
            f"/api/v1/leagues/{part(league)}/matchups",
            query={"gameweek": gameweek, "limit": limit, "offset": offset},
        )

    def list_footballers(
        self,
        position: str,
        *,
        season: str | None = None,
        sort: str | None = None,
        search: str | None = None,
        club: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Json:
        """List the footballers at a position.

        At most 240 per minute per caller.
        """
        return self._call(
            "GET",
            f"/api/v1/positions/{part(position)}/footballers",
            query={
                "season": season,
                "sort": sort,
                "search": search,
                "club": club,
                "limit": limit,
                "offset": offset,
            },
        )
