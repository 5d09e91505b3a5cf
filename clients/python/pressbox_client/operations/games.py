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
    update_seconds: int | None
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
    update_seconds: int | None
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
        """List the integrator's own games."""
        return self._call("GET", "/v1/games")

    def create_game(self, *, slug: str, title: str) -> Json:
        """Create a game."""
        return self._call("POST", "/v1/games", body={"slug": slug, "title": title})

    def get_game(self, game: str) -> Json:
        """Read a game of the integrator with its modes."""
        return self._call("GET", f"/v1/games/{part(game)}")

    def change_game(
        self,
        game: str,
        *,
        title: str | None = None,
        hidden: bool | None = None,
        archived: bool | None = None,
    ) -> Json:
        """Rename, hide or archive a game, or show or reopen it.

        A hidden game is in no public list, but can still be read at its URL. An archived game
        accepts no scores, but its boards stay readable. A slug never changes, because URLs
        contain it. The audit records who changed what.
        """
        return self._call(
            "PATCH",
            f"/v1/games/{part(game)}",
            body={"title": title, "hidden": hidden, "archived": archived},
        )

    def delete_game(self, game: str, *, slug: str) -> Json:
        """Delete an archived game with all its modes.

        This works like deleting a mode. Players stay, because they belong to the integrator.
        """
        return self._call("POST", f"/v1/games/{part(game)}/deletion", body={"slug": slug})

    def list_modes(self, game: str) -> Json:
        """List the modes of a game, without hidden and private ones."""
        return self._call("GET", f"/v1/games/{part(game)}/modes")

    def create_mode(
        self, game: str, *, slug: str, title: str, **options: Unpack[CreateModeOptions]
    ) -> Json:
        """Create a mode in one of the integrator's games.

        Its range of scores must be exact on all of its boards. If it is not, the error says
        which range is.
        """
        values = known(CreateModeOptions, options)
        return self._call(
            "POST",
            f"/v1/games/{part(game)}/modes",
            body={
                "slug": slug,
                "title": title,
                "aggregation": values.get("aggregation"),
                "ties": values.get("ties"),
                "time_zone": values.get("time_zone"),
                "decimals": values.get("decimals"),
                "windows": values.get("windows"),
                "custom_windows": values.get("custom_windows"),
                "keep_days": values.get("keep_days"),
                "min_score": values.get("min_score"),
                "max_score": values.get("max_score"),
                "shards": values.get("shards"),
                "late_hours": values.get("late_hours"),
                "update_seconds": values.get("update_seconds"),
                "private": values.get("private"),
                "order": values.get("order"),
                "subscore": values.get("subscore"),
                "takes_metadata": values.get("takes_metadata"),
                "limits": values.get("limits"),
            },
        )

    def change_mode(self, game: str, mode: str, **options: Unpack[ChangeModeOptions]) -> Json:
        """Change, hide or archive a mode, or show or reopen it.

        Either all of the change is made or none of it. Title, bounds, `limits`, `keep_days`,
        `late_hours`, `update_seconds`, `private`, `hidden` and `archived` can be changed at any
        time; how scores count (aggregation, ties, time zone, decimals, windows, shards, order,
        subscore) only until the first score arrives. Accepted scores stay as they are, even
        outside new bounds. The audit records who changed what.
        """
        values = known(ChangeModeOptions, options)
        return self._call(
            "PATCH",
            f"/v1/games/{part(game)}/modes/{part(mode)}",
            body={
                "title": values.get("title"),
                "hidden": values.get("hidden"),
                "archived": values.get("archived"),
                "min_score": values.get("min_score"),
                "max_score": values.get("max_score"),
                "keep_days": values.get("keep_days"),
                "late_hours": values.get("late_hours"),
                "update_seconds": values.get("update_seconds"),
                "custom_windows": values.get("custom_windows"),
                "private": values.get("private"),
                "takes_metadata": values.get("takes_metadata"),
                "limits": values.get("limits"),
                "aggregation": values.get("aggregation"),
                "ties": values.get("ties"),
                "time_zone": values.get("time_zone"),
                "decimals": values.get("decimals"),
                "windows": values.get("windows"),
                "shards": values.get("shards"),
                "order": values.get("order"),
                "subscore": values.get("subscore"),
            },
        )

    def delete_mode(self, game: str, mode: str, *, slug: str) -> Json:
        """Delete an archived mode, with its boards, their archives, competitions and all scores.

        The mode disappears right away, and everything is permanently deleted within minutes.
        Repeating the request meanwhile gives the same answer. The audit keeps the fact and who
        deleted it.
        """
        return self._call(
            "POST", f"/v1/games/{part(game)}/modes/{part(mode)}/deletion", body={"slug": slug}
        )

    def list_origins(self, game: str) -> Json:
        """List the origins whose pages may call the API for this game (CORS)."""
        return self._call("GET", f"/v1/games/{part(game)}/origins")

    def set_origins(self, game: str, *, origins: list[str]) -> Json:
        """Set the origins whose pages may call the API for this game (CORS).

        Browsers notice a change within ten minutes. Pages sign requests with their player's
        token. Cookies are never sent, and API keys do not belong on a page.
        """
        return self._call("PUT", f"/v1/games/{part(game)}/origins", body={"origins": origins})
