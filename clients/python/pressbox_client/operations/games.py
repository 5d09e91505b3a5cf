"""Games. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from ..calls import Calls, Json, known, part


class CreateModeOptions(TypedDict, total=False):
    """Optional parameters of `create_mode`."""

    aggregation: str | None
    ties: str | None
    time_zone: str | None
    decimals: int | None
    windows: list[str] | None
    custom_windows: list[dict[str, Any]] | None
    keep_days: dict[str, Any] | None
    min_score: int | None
    max_score: int | None
    shards: int | None
    late_hours: int | None
    private: bool | None
    order: str | None
    subscore: dict[str, Any] | None
    takes_metadata: bool | None
    limits: dict[str, Any] | None


class ChangeModeOptions(TypedDict, total=False):
    """Optional parameters of `change_mode`."""

    title: str | None
    hidden: bool | None
    archived: bool | None
    min_score: int | None
    max_score: int | None
    keep_days: dict[str, Any] | None
    late_hours: int | None
    custom_windows: list[dict[str, Any]] | None
    private: bool | None
    takes_metadata: bool | None
    limits: dict[str, Any] | None
    aggregation: str | None
    ties: str | None
    time_zone: str | None
    decimals: int | None
    windows: list[str] | None
    shards: int | None
    order: str | None
    subscore: dict[str, Any] | None


class Games(Calls):
    """Operations of the tag Games."""

    def list_games(self) -> Json:
        """The integrator's own games."""
        return self._call("GET", "/v1/games")

    def create_game(self, *, slug: str, title: str) -> Json:
        """Make a game."""
        return self._call("POST", "/v1/games", body={"slug": slug, "title": title})

    def get_game(self, game: str) -> Json:
        """A game of the integrator, with its modes."""
        return self._call("GET", f"/v1/games/{part(game)}")

    def change_game(
        self,
        game: str,
        *,
        title: str | None = None,
        hidden: bool | None = None,
        archived: bool | None = None,
    ) -> Json:
        """Rename, hide or archive a game, or take that back.

        Hidden, it is in no public list; who knows an address reads it. Archived, none of its
        modes takes scores; its boards are read on. A slug never changes: addresses name it. The
        audit keeps who changed what.
        """
        return self._call(
            "PATCH",
            f"/v1/games/{part(game)}",
            body={"title": title, "hidden": hidden, "archived": archived},
        )

    def delete_game(self, game: str, *, slug: str) -> Json:
        """Delete an archived game with all its modes.

        As of a mode. Players stay: they are the integrator's.
        """
        return self._call("POST", f"/v1/games/{part(game)}/deletion", body={"slug": slug})

    def list_modes(self, game: str) -> Json:
        """The modes of a game. Hidden and private ones are left out."""
        return self._call("GET", f"/v1/games/{part(game)}/modes")

    def create_mode(
        self, game: str, *, slug: str, title: str, **options: Unpack[CreateModeOptions]
    ) -> Json:
        """Make a mode of one of the integrator's games.

        The range of scores must be exact on every kind of board that it has; the answer to one
        that is not says the range.
        """
        given = known(CreateModeOptions, options)
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes",
            body={
                "slug": slug,
                "title": title,
                "aggregation": given.get("aggregation"),
                "ties": given.get("ties"),
                "time_zone": given.get("time_zone"),
                "decimals": given.get("decimals"),
                "windows": given.get("windows"),
                "custom_windows": given.get("custom_windows"),
                "keep_days": given.get("keep_days"),
                "min_score": given.get("min_score"),
                "max_score": given.get("max_score"),
                "shards": given.get("shards"),
                "late_hours": given.get("late_hours"),
                "private": given.get("private"),
                "order": given.get("order"),
                "subscore": given.get("subscore"),
                "takes_metadata": given.get("takes_metadata"),
                "limits": given.get("limits"),
            },
        )

    def change_mode(self, game: str, mode: str, **options: Unpack[ChangeModeOptions]) -> Json:
        """Change, hide or archive a mode, or take that back.

        All of the change is made or nothing. Title, bounds, `limits`, `keep_days`,
        `late_hours`, `private`, `hidden` and `archived` change at any time; how scores count
        (aggregation, ties, time zone, decimals, windows, shards, order, subscore) until the
        first score has come. Scores that were taken in stay as they are, also outside of new
        bounds. The audit keeps who changed what.
        """
        given = known(ChangeModeOptions, options)
        return self._call(
            "PATCH",
            f"/v1/games/{part(game)}/modes/{part(mode)}",
            body={
                "title": given.get("title"),
                "hidden": given.get("hidden"),
                "archived": given.get("archived"),
                "min_score": given.get("min_score"),
                "max_score": given.get("max_score"),
                "keep_days": given.get("keep_days"),
                "late_hours": given.get("late_hours"),
                "custom_windows": given.get("custom_windows"),
                "private": given.get("private"),
                "takes_metadata": given.get("takes_metadata"),
                "limits": given.get("limits"),
                "aggregation": given.get("aggregation"),
                "ties": given.get("ties"),
                "time_zone": given.get("time_zone"),
                "decimals": given.get("decimals"),
                "windows": given.get("windows"),
                "shards": given.get("shards"),
                "order": given.get("order"),
                "subscore": given.get("subscore"),
            },
        )

    def delete_mode(self, game: str, mode: str, *, slug: str) -> Json:
        """Delete an archived mode, with its boards, their archives, competitions and all scores.

        It is found no more at once, and gone within minutes, for good; asked again meanwhile,
        the answer is the same. The audit keeps that it was and who deleted it.
        """
        return self._call(
            "POST", f"/v1/games/{part(game)}/modes/{part(mode)}/deletion", body={"slug": slug}
        )

    def list_origins(self, game: str) -> Json:
        """The origins whose pages may call the API for this game (CORS)."""
        return self._call("GET", f"/v1/games/{part(game)}/origins")

    def set_origins(self, game: str, *, origins: list[str]) -> Json:
        """Say which origins' pages may call the API for this game (CORS).

        Browsers ask before they send: within ten minutes all know it. Pages sign with their
        player's token; cookies are never taken along, and a key belongs on no page.
        """
        return self._call("PUT", f"/v1/games/{part(game)}/origins", body={"origins": origins})
