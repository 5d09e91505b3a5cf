"""Competitions. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from typing import Any

from ..calls import Calls, Json, part


class Competitions(Calls):
    """Operations of the tag Competitions."""

    def list_competitions(self, game: str, mode: str) -> Json:
        """The competitions of a mode. Its integrator's key sees drafts too."""
        return self._call("GET", f"/v1/games/{part(game)}/modes/{part(mode)}/competitions")

    def create_competition(
        self, game: str, mode: str, *, slug: str, title: str, declaration: dict[str, Any]
    ) -> Json:
        """Declare a competition, as a draft.

        A draft does nothing and may change in everything: preview it, then publish it.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions",
            body={"slug": slug, "title": title, "declaration": declaration},
        )

    def delete_competition(self, game: str, mode: str, competition: str) -> Json:
        """Delete a draft."""
        return self._call(
            "DELETE", f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}"
        )

    def get_competition(self, game: str, mode: str, competition: str) -> Json:
        """A competition, its declaration and its windows.

        Drafts are for their integrator's key alone.
        """
        return self._call(
            "GET", f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}"
        )

    def change_competition(
        self,
        game: str,
        mode: str,
        competition: str,
        *,
        title: str | None = None,
        declaration: dict[str, Any] | None = None,
    ) -> Json:
        """Change a competition. All of the change is made or nothing.

        A draft changes in everything. Of a live one change its title, the tiers' titles, how
        many windows there are (those that have begun or have players stay) and
        `corrections_days`. The audit keeps who changed what.
        """
        return self._call(
            "PATCH",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}",
            body={"title": title, "declaration": declaration},
        )

    def take_attempt(
        self,
        game: str,
        mode: str,
        competition: str,
        *,
        player_id: str,
        attempt_id: str | None = None,
        score_cap: int | None = None,
        expires_in: int | None = None,
    ) -> Json:
        """Take an attempt of a player in the window that runs: the right to send one score.

        It is spent when it is taken. With an `attempt_id` of yours it may be asked for again:
        the same one comes, and none more is spent. It ends with the window at the latest. Its
        score is sent as of any attempt; a server that sends in bulk gives this `attempt_id`.

        At most 6000 per minute per caller.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/attempts",
            body={
                "player_id": player_id,
                "attempt_id": attempt_id,
                "score_cap": score_cap,
                "expires_in": expires_in,
            },
        )

    def end_competition(self, game: str, mode: str, competition: str) -> Json:
        """Let no further window begin. The one that runs is played to its end and settled."""
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/end",
        )

    def invite_players(
        self, game: str, mode: str, competition: str, *, player_ids: list[str]
    ) -> Json:
        """Put up to 1,000 players on the list of who may join. Who is on it stays so.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/invitations",
            body={"player_ids": player_ids},
        )

    def join_competition(self, game: str, mode: str, competition: str, player_id: str) -> Json:
        """Join the window that runs, or the first to come. Done again it changes nothing.

        By the player with their token, or by the game's server. Who has a score in a window is
        placed in the next one by its settlement, without joining.
        """
        return self._call(
            "PUT",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/players/{part(player_id)}",
        )

    def preview_competition(
        self, game: str, mode: str, competition: str, *, windows: int | None = None
    ) -> Json:
        """What the declaration would have done in past windows of the mode. Nothing is changed.

        The schedule is continued back, so the last windows of its length that are over are
        looked at: who has a score that counts is taken as joined, in the order of their first
        ones, and of limited attempts the first ones count. Cohorts, moves and rewards come from
        the same rules as a settlement's.

        At most 30 per minute per caller.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/preview",
            query={"windows": windows},
        )

    def publish_competition(self, game: str, mode: str, competition: str) -> Json:
        """Set a draft live.

        Its windows are made, and players may join the first. Done again it changes nothing.

        The first window must lie ahead. All windows are settled by the mode's `aggregation` and
        `ties` of now.
        """
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/publish",
        )

    def list_rewards(
        self,
        game: str,
        mode: str,
        competition: str,
        *,
        player_id: str | None = None,
        after: int | None = None,
        limit: int | None = None,
    ) -> Json:
        """The ledger of rewards: what was granted and withdrawn, and when.

        A player sees their own lines.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/rewards",
            query={"player_id": player_id, "after": after, "limit": limit},
        )

    def get_cohort(
        self,
        game: str,
        mode: str,
        competition: str,
        number: int,
        *,
        tier: int | None = None,
        cohort: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Json:
        """The table of a cohort, and who goes up, who goes down and which rewards as it stands.

        At most 300 per minute per address.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/windows/{part(str(number))}",
            query={"tier": tier, "cohort": cohort, "limit": limit, "offset": offset},
        )

    def get_own_cohort(
        self, game: str, mode: str, competition: str, number: int, player_id: str
    ) -> Json:
        """The table of the cohort that a player is in: 1,000 rows of it at most.

        At most 300 per minute per address.
        """
        return self._call(
            "GET",
            f"/v1/games/{part(game)}/modes/{part(mode)}/competitions/{part(competition)}/windows/{part(str(number))}/players/{part(player_id)}",
        )
