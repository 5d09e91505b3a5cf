"""Draft leagues. Written by `python -m clients.generate`: change nothing here."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from ..calls import Calls, Json, known, part


class ImportDraftLeagueOptions(TypedDict, total=False):
    """Optional parameters of `import_draft_league`."""

    name: str | None
    preset: str | None
    season: str | None
    choices: dict[str, Any] | None
    scoring: str | None
    starters: dict[str, Any] | None
    starts_next: bool | None
    team: str | None
    time_zone: str | None


class PutDraftLeagueSettingsOptions(TypedDict, total=False):
    """Optional parameters of `put_draft_league_settings`."""

    draft: dict[str, Any] | None
    waivers: dict[str, Any] | None
    trades: dict[str, Any] | None
    season: dict[str, Any] | None
    keepers: dict[str, Any] | None
    continues_rosters: bool | None


class PreviewDraftLeagueSettingsOptions(TypedDict, total=False):
    """Optional parameters of `preview_draft_league_settings`."""

    draft: dict[str, Any] | None
    waivers: dict[str, Any] | None
    trades: dict[str, Any] | None
    season: dict[str, Any] | None
    keepers: dict[str, Any] | None
    continues_rosters: bool | None


class OfferTradeOptions(TypedDict, total=False):
    """Optional parameters of `offer_trade`."""

    footballers: list[dict[str, Any]] | None
    picks: list[dict[str, Any]] | None
    budgets: list[dict[str, Any]] | None
    drops: list[str] | None
    message: str | None
    counter_to: int | None
    franchise: int | None
    reason: str | None


class PreviewTradeOptions(TypedDict, total=False):
    """Optional parameters of `preview_trade`."""

    footballers: list[dict[str, Any]] | None
    picks: list[dict[str, Any]] | None
    budgets: list[dict[str, Any]] | None
    drops: list[str] | None
    message: str | None
    counter_to: int | None
    franchise: int | None
    reason: str | None


class DraftLeagues(Calls):
    """Operations of the tag Draft leagues."""

    def found_draft_league(
        self,
        *,
        name: str,
        team_name: str,
        preset: str | None = None,
        franchises: int | None = None,
        time_zone: str | None = None,
        season: str | None = None,
        is_public: bool | None = None,
    ) -> Json:
        """Create a draft league from a preset.

        All settings can be changed until the draft begins.

        At most 20 per hour per caller.
        """
        return self._call(
            "POST",
            "/api/v1/draft-leagues",
            body={
                "name": name,
                "teamName": team_name,
                "preset": preset,
                "franchises": franchises,
                "timeZone": time_zone,
                "season": season,
                "isPublic": is_public,
            },
        )

    def import_draft_league(
        self, *, files: dict[str, Any], **options: Unpack[ImportDraftLeagueOptions]
    ) -> Json:
        """Import a league in progress: rosters, results, picks and settings.

        The caller becomes the commissioner and runs one of the teams; the other teams need
        owners. A request repeated within ten minutes returns the league that was created.

        At most 30 per hour per caller.
        """
        values = known(ImportDraftLeagueOptions, options)
        return self._call(
            "POST",
            "/api/v1/draft-leagues/import",
            body={
                "files": files,
                "name": values.get("name"),
                "preset": values.get("preset"),
                "season": values.get("season"),
                "choices": values.get("choices"),
                "scoring": values.get("scoring"),
                "starters": values.get("starters"),
                "startsNext": values.get("starts_next"),
                "team": values.get("team"),
                "timeZone": values.get("time_zone"),
            },
        )

    def preview_league_import(
        self,
        *,
        files: dict[str, Any],
        name: str | None = None,
        preset: str | None = None,
        season: str | None = None,
        choices: dict[str, Any] | None = None,
        scoring: str | None = None,
        starters: dict[str, Any] | None = None,
        starts_next: bool | None = None,
    ) -> Json:
        """Preview the import of a league's files, with the players who were not found.

        At most 30 per hour per caller.
        """
        return self._call(
            "POST",
            "/api/v1/draft-leagues/import/preview",
            body={
                "files": files,
                "name": name,
                "preset": preset,
                "season": season,
                "choices": choices,
                "scoring": scoring,
                "starters": starters,
                "startsNext": starts_next,
            },
        )

    def join_draft_league(self, *, invite_code: str, team_name: str) -> Json:
        """Join a draft league with its invite code. A repeated request changes nothing.

        If a team has no owner, the caller takes it over with its roster and name.

        At most 20 per hour per caller.
        """
        return self._call(
            "POST",
            "/api/v1/draft-leagues/join",
            body={"inviteCode": invite_code, "teamName": team_name},
        )

    def get_draft_league(self, league: str) -> Json:
        """Read a draft league: its phase and all settings.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}")

    def get_bracket(self, league: str) -> Json:
        """Read the playoffs: seeds, games and winners.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/bracket")

    def list_claims(self, league: str) -> Json:
        """List your team's open claims. No one else sees them before the run.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/claims")

    def place_claim(
        self,
        league: str,
        *,
        footballer_id: str,
        drop_id: str | None = None,
        bid: int | None = None,
        group: int | None = None,
    ) -> Json:
        """Claim a footballer who is on waivers.

        Claiming the same footballer with the same drop again changes the bid and group of that
        claim.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/claims",
            body={"footballerId": footballer_id, "dropId": drop_id, "bid": bid, "group": group},
        )

    def withdraw_claim(self, league: str, claim: int) -> Json:
        """Withdraw an open claim.

        At most 60 per minute per caller.
        """
        return self._call(
            "DELETE", f"/api/v1/draft-leagues/{part(league)}/claims/{part(str(claim))}"
        )

    def reorder_claim(self, league: str, claim: int, *, position: int) -> Json:
        """Move a claim up or down among your team's claims.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/draft-leagues/{part(league)}/claims/{part(str(claim))}/position",
            body={"position": position},
        )

    def put_co_commissioners(
        self, league: str, *, gamer_ids: list[int], reason: str | None = None
    ) -> Json:
        """Replace the list of co-commissioners, as the league's founder, with a reason.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/draft-leagues/{part(league)}/co-commissioners",
            body={"gamerIds": gamer_ids, "reason": reason},
        )

    def make_commissioner_moves(
        self,
        league: str,
        *,
        moves: list[dict[str, Any]],
        reason: str | None = None,
        token: str | None = None,
    ) -> Json:
        """Move footballers on behalf of their teams, as the commissioner, with a reason.

        A repeated request with the same `token` counts once.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/commissioner/moves",
            body={"moves": moves, "reason": reason, "token": token},
        )

    def preview_commissioner_moves(
        self,
        league: str,
        *,
        moves: list[dict[str, Any]],
        reason: str | None = None,
        token: str | None = None,
    ) -> Json:
        """Preview moving footballers on behalf of their teams, as the commissioner.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/commissioner/moves/preview",
            body={"moves": moves, "reason": reason, "token": token},
        )

    def put_draft_date(
        self, league: str, *, starts_at: str | None = None, order: list[int] | None = None
    ) -> Json:
        """Schedule or reschedule the league's draft, as the commissioner.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/draft-leagues/{part(league)}/draft",
            body={"startsAt": starts_at, "order": order},
        )

    def list_franchises(self, league: str) -> Json:
        """List the teams with their owners, waiver priorities and remaining budgets.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/franchises")

    def get_line_up(self, league: str, franchise: int, gameweek: str) -> Json:
        """Read a team's lineup: your own at any time, other teams' after the deadline.

        The deadline is the gameweek's first kickoff. Players whose games begin later can still
        be replaced.

        At most 240 per minute per caller.
        """
        return self._call(
            "GET",
            f"/api/v1/draft-leagues/{part(league)}/franchises/{part(str(franchise))}/line-ups/{part(gameweek)}",
        )

    def correct_line_up(
        self,
        league: str,
        franchise: int,
        gameweek: str,
        *,
        starters: list[str],
        version: int,
        reason: str | None = None,
    ) -> Json:
        """Set a team's lineup, open or locked, as the commissioner, with a reason.

        Results are updated and the league is notified. A repeated request is refused, because
        `version` has increased.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/draft-leagues/{part(league)}/franchises/{part(str(franchise))}/line-ups/{part(gameweek)}/correction",
            body={"starters": starters, "version": version, "reason": reason},
        )

    def preview_line_up_correction(
        self, league: str, franchise: int, gameweek: str, *, starters: list[str]
    ) -> Json:
        """Preview every result that different starters would change, as the commissioner.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/franchises/{part(str(franchise))}/line-ups/{part(gameweek)}/correction/preview",
            body={"starters": starters},
        )

    def put_franchise_lock(
        self, league: str, franchise: int, *, is_locked: bool, reason: str | None = None
    ) -> Json:
        """Lock or unlock a team's transactions, as the commissioner, with a reason.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/draft-leagues/{part(league)}/franchises/{part(str(franchise))}/lock",
            body={"isLocked": is_locked, "reason": reason},
        )

    def open_franchise(self, league: str, franchise: int, *, reason: str | None = None) -> Json:
        """Remove a team's owner, as the commissioner, with a reason.

        The next member to join takes over the team. Lineups, scores, matchups and the name stay
        with it. A repeated request changes nothing.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/franchises/{part(str(franchise))}/open",
            body={"reason": reason},
        )

    def get_keepers(self, league: str) -> Json:
        """Read which players your team can keep and at what cost, and the keepers chosen so far.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/keepers")

    def put_keepers(
        self, league: str, *, footballer_ids: list[str], franchise: int | None = None
    ) -> Json:
        """Replace a team's keepers before the deadline.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/draft-leagues/{part(league)}/keepers",
            body={"footballerIds": footballer_ids, "franchise": franchise},
        )

    def close_keepers(self, league: str) -> Json:
        """Lock in all keepers early, as the commissioner. A repeated request changes nothing.

        At most 60 per minute per caller.
        """
        return self._call("POST", f"/api/v1/draft-leagues/{part(league)}/keepers/close")

    def put_line_up(
        self, league: str, gameweek: str, *, places: list[str], version: int | None = None
    ) -> Json:
        """Save your lineup, either completely or not at all.

        Each player locks at the kickoff of their own game, by the server's clock.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/draft-leagues/{part(league)}/line-ups/{part(gameweek)}",
            body={"places": places, "version": version},
        )

    def preview_next_season(self, league: str) -> Json:
        """Preview the league's next season, as the commissioner.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/next-season")

    def continue_draft_league(self, league: str, *, deadline: str | None = None) -> Json:
        """Start the league's next season, as the commissioner.

        Teams, settings, picks and the history carry over. A repeated request returns the same
        league.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST", f"/api/v1/draft-leagues/{part(league)}/next-season", body={"deadline": deadline}
        )

    def delete_own_ranking(self, league: str) -> Json:
        """Delete your own list and go back to the league's rankings.

        At most 60 per minute per caller.
        """
        return self._call("DELETE", f"/api/v1/draft-leagues/{part(league)}/own-ranking")

    def get_own_ranking(self, league: str) -> Json:
        """Read your own list.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/own-ranking")

    def put_own_ranking(self, league: str, *, footballer_ids: list[str]) -> Json:
        """Replace your own list. Auto-picks in a draft follow it.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/draft-leagues/{part(league)}/own-ranking",
            body={"footballerIds": footballer_ids},
        )

    def list_rankings(
        self,
        league: str,
        *,
        search: str | None = None,
        position: str | None = None,
        free: bool | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Json:
        """List footballers in the caller's order, with projections, bye weeks and teams.

        At most 240 per minute per caller.
        """
        return self._call(
            "GET",
            f"/api/v1/draft-leagues/{part(league)}/rankings",
            query={
                "search": search,
                "position": position,
                "free": free,
                "limit": limit,
                "offset": offset,
            },
        )

    def get_league_records(self, league: str) -> Json:
        """Read titles, streaks, highest scores and head-to-head records of all seasons.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/records")

    def add_to_roster(
        self,
        league: str,
        *,
        footballer_id: str,
        drop_id: str | None = None,
        token: str | None = None,
    ) -> Json:
        """Add a free agent to your team. Players on waivers must be claimed instead.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/roster/adds",
            body={"footballerId": footballer_id, "dropId": drop_id, "token": token},
        )

    def drop_from_roster(
        self, league: str, *, footballer_id: str, token: str | None = None
    ) -> Json:
        """Drop a footballer from your team.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/roster/drops",
            body={"footballerId": footballer_id, "token": token},
        )

    def move_on_roster(
        self, league: str, *, footballer_id: str, spot: str, token: str | None = None
    ) -> Json:
        """Move a footballer on your team to injured reserve, to the taxi squad or back.

        Only players whose status says that they will not play can go on injured reserve.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/roster/moves",
            body={"footballerId": footballer_id, "spot": spot, "token": token},
        )

    def list_rosters(self, league: str, *, at: str | None = None) -> Json:
        """List all rosters, now or at an earlier moment.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/rosters", query={"at": at})

    def get_schedule(self, league: str) -> Json:
        """Read the schedule of the regular season.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/schedule")

    def put_draft_league_settings(
        self,
        league: str,
        *,
        version: str,
        franchises: int,
        scoring: str,
        time_zone: str,
        roster: dict[str, Any],
        **options: Unpack[PutDraftLeagueSettingsOptions],
    ) -> Json:
        """Replace all settings, scoring included, as the commissioner.

        Until the draft begins, all settings can change. After it, what was drafted, played or
        scheduled stays. Sending the same settings again changes nothing. `continues_rosters` is
        read-only and ignored. A `version` other than the current one is refused (`changed`), so
        that commissioners do not overwrite each other's changes.

        At most 60 per minute per caller.
        """
        values = known(PutDraftLeagueSettingsOptions, options)
        return self._call(
            "PUT",
            f"/api/v1/draft-leagues/{part(league)}/settings",
            query={"version": version},
            body={
                "franchises": franchises,
                "scoring": scoring,
                "time_zone": time_zone,
                "roster": roster,
                "draft": values.get("draft"),
                "waivers": values.get("waivers"),
                "trades": values.get("trades"),
                "season": values.get("season"),
                "keepers": values.get("keepers"),
                "continues_rosters": values.get("continues_rosters"),
            },
        )

    def preview_draft_league_settings(
        self,
        league: str,
        *,
        franchises: int,
        scoring: str,
        time_zone: str,
        roster: dict[str, Any],
        **options: Unpack[PreviewDraftLeagueSettingsOptions],
    ) -> Json:
        """Preview a change of the settings, as the commissioner. Nothing is saved.

        After the draft, the preview includes standings, results, playoffs and budgets.

        At most 60 per minute per caller.
        """
        values = known(PreviewDraftLeagueSettingsOptions, options)
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/settings/preview",
            body={
                "franchises": franchises,
                "scoring": scoring,
                "time_zone": time_zone,
                "roster": roster,
                "draft": values.get("draft"),
                "waivers": values.get("waivers"),
                "trades": values.get("trades"),
                "season": values.get("season"),
                "keepers": values.get("keepers"),
                "continues_rosters": values.get("continues_rosters"),
            },
        )

    def get_standings(self, league: str) -> Json:
        """Read the standings, with the rule that puts each team ahead of the next.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/standings")

    def get_trade_block(self, league: str) -> Json:
        """Read the league's trade block.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/trade-block")

    def take_off_trade_block(self, league: str, footballer_id: str) -> Json:
        """Take a footballer off the trade block. A repeated request changes nothing.

        At most 60 per minute per caller.
        """
        return self._call(
            "DELETE", f"/api/v1/draft-leagues/{part(league)}/trade-block/{part(footballer_id)}"
        )

    def put_on_trade_block(
        self, league: str, footballer_id: str, *, note: str | None = None
    ) -> Json:
        """Put a footballer on your team on the trade block. A repeated request changes the note.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/draft-leagues/{part(league)}/trade-block/{part(footballer_id)}",
            body={"note": note},
        )

    def list_trades(
        self, league: str, *, limit: int | None = None, offset: int | None = None
    ) -> Json:
        """List accepted trades, and offers from and to your team.

        At most 240 per minute per caller.
        """
        return self._call(
            "GET",
            f"/api/v1/draft-leagues/{part(league)}/trades",
            query={"limit": limit, "offset": offset},
        )

    def offer_trade(self, league: str, *, token: str, **options: Unpack[OfferTradeOptions]) -> Json:
        """Offer a trade to one or more teams, or make a counteroffer.

        A repeated request with the same `token` makes only one offer.

        At most 60 per minute per caller.
        """
        values = known(OfferTradeOptions, options)
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/trades",
            body={
                "token": token,
                "footballers": values.get("footballers"),
                "picks": values.get("picks"),
                "budgets": values.get("budgets"),
                "drops": values.get("drops"),
                "message": values.get("message"),
                "counterTo": values.get("counter_to"),
                "franchise": values.get("franchise"),
                "reason": values.get("reason"),
            },
        )

    def preview_trade(
        self, league: str, *, token: str, **options: Unpack[PreviewTradeOptions]
    ) -> Json:
        """Preview an offer's effects on each team, and why the offer would be refused.

        At most 60 per minute per caller.
        """
        values = known(PreviewTradeOptions, options)
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/trades/preview",
            body={
                "token": token,
                "footballers": values.get("footballers"),
                "picks": values.get("picks"),
                "budgets": values.get("budgets"),
                "drops": values.get("drops"),
                "message": values.get("message"),
                "counterTo": values.get("counter_to"),
                "franchise": values.get("franchise"),
                "reason": values.get("reason"),
            },
        )

    def get_trade(self, league: str, trade: int) -> Json:
        """Read a trade: what it moves, who has accepted, and its projected gains and losses.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/trades/{part(str(trade))}")

    def accept_trade(
        self,
        league: str,
        trade: int,
        *,
        drops: list[str] | None = None,
        franchise: int | None = None,
        reason: str | None = None,
    ) -> Json:
        """Accept an offer, with the players the team drops to make room.

        Once all teams have accepted, the review begins. If there is no review, the trade goes
        through.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/trades/{part(str(trade))}/accept",
            body={"drops": drops, "franchise": franchise, "reason": reason},
        )

    def decline_trade(
        self, league: str, trade: int, *, franchise: int | None = None, reason: str | None = None
    ) -> Json:
        """Decline an offer, which closes it.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/trades/{part(str(trade))}/decline",
            body={"franchise": franchise, "reason": reason},
        )

    def rule_on_trade(
        self, league: str, trade: int, *, ruling: str, reason: str | None = None
    ) -> Json:
        """End a trade's review as the commissioner: approve the trade now, or stop it.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/trades/{part(str(trade))}/ruling",
            body={"ruling": ruling, "reason": reason},
        )

    def vote_on_trade(
        self,
        league: str,
        trade: int,
        *,
        stops: bool,
        franchise: int | None = None,
        reason: str | None = None,
    ) -> Json:
        """Vote for or against an accepted trade. A team's last vote counts.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/trades/{part(str(trade))}/vote",
            body={"stops": stops, "franchise": franchise, "reason": reason},
        )

    def withdraw_trade(
        self, league: str, trade: int, *, franchise: int | None = None, reason: str | None = None
    ) -> Json:
        """Withdraw your own offer.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/trades/{part(str(trade))}/withdraw",
            body={"franchise": franchise, "reason": reason},
        )

    def list_roster_transactions(
        self,
        league: str,
        *,
        kind: str | None = None,
        franchise: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Json:
        """List the log of a draft league, by kind and team.

        Webhooks and the change feed carry the same entries as `league.transaction`.

        At most 240 per minute per caller.
        """
        return self._call(
            "GET",
            f"/api/v1/draft-leagues/{part(league)}/transactions",
            query={"kind": kind, "franchise": franchise, "limit": limit, "offset": offset},
        )

    def get_roster_transaction(self, league: str, number: int) -> Json:
        """Read one entry of the log.

        At most 240 per minute per caller.
        """
        return self._call(
            "GET", f"/api/v1/draft-leagues/{part(league)}/transactions/{part(str(number))}"
        )

    def preview_reversal(self, league: str, number: int) -> Json:
        """Preview reversing an entry of the log, as the commissioner.

        At most 60 per minute per caller.
        """
        return self._call(
            "GET", f"/api/v1/draft-leagues/{part(league)}/transactions/{part(str(number))}/reversal"
        )

    def reverse_transaction(self, league: str, number: int, *, reason: str) -> Json:
        """Reverse an entry of the log, as the commissioner, with a reason.

        A repeated request returns the same reversal. It is refused if a player whom the entry
        moved has moved again since.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/transactions/{part(str(number))}/reversal",
            body={"reason": reason},
        )

    def preview_waiver_run(self, league: str) -> Json:
        """Preview how a run would decide your claims now if no other team had any.

        Nothing changes. Other teams' claims stay secret until the run, even from commissioners.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/waiver-dry-run")

    def list_waiver_runs(
        self, league: str, *, limit: int | None = None, offset: int | None = None
    ) -> Json:
        """List the waiver runs.

        At most 240 per minute per caller.
        """
        return self._call(
            "GET",
            f"/api/v1/draft-leagues/{part(league)}/waiver-runs",
            query={"limit": limit, "offset": offset},
        )

    def get_waiver_run(self, league: str, run: int) -> Json:
        """Read the report of a run: every claim, and why it won or lost.

        At most 240 per minute per caller.
        """
        return self._call(
            "GET", f"/api/v1/draft-leagues/{part(league)}/waiver-runs/{part(str(run))}"
        )

    def repeat_waiver_run(self, league: str, run: int, *, reason: str) -> Json:
        """Reverse a run and repeat it, as the commissioner.

        This is useful after the standings were corrected. It is refused if a player whom the
        run moved has moved again since.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/waiver-runs/{part(str(run))}/repeat",
            body={"reason": reason},
        )

    def get_draft(self, draft: int) -> Json:
        """Read a draft: whose turn it is, every pick, and the best available players.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/drafts/{part(str(draft))}")

    def assign_in_draft(
        self, draft: int, *, footballer_id: str, number: int | None = None, token: str | None = None
    ) -> Json:
        """Make the pick on the clock, or replace an earlier pick, as the commissioner.

        At most 120 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/drafts/{part(str(draft))}/assignments",
            body={"footballerId": footballer_id, "number": number, "token": token},
        )

    def put_draft_autopilot(
        self, draft: int, *, is_on: bool, franchise: int | None = None, token: str | None = None
    ) -> Json:
        """Turn a team's autopilot on or off.

        At most 120 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/drafts/{part(str(draft))}/autopilot",
            body={"isOn": is_on, "franchise": franchise, "token": token},
        )

    def bid_in_draft(
        self, draft: int, *, maximum: int, token: str | None = None, expected: int | None = None
    ) -> Json:
        """Bid for the footballer who is up for auction.

        The highest maximum wins, at one unit more than the second highest.

        At most 120 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/drafts/{part(str(draft))}/bids",
            body={"maximum": maximum, "token": token, "expected": expected},
        )

    def control_draft(self, draft: int, *, act: str, token: str | None = None) -> Json:
        """Start, pause, resume, undo or finish a draft, or hold its lottery, as the commissioner.

        At most 120 per minute per caller.
        """
        return self._call(
            "POST", f"/api/v1/drafts/{part(str(draft))}/controls", body={"act": act, "token": token}
        )

    def pick_in_draft(
        self,
        draft: int,
        *,
        footballer_id: str,
        token: str | None = None,
        expected: int | None = None,
        maximum: int | None = None,
    ) -> Json:
        """Pick a footballer, or nominate one in an auction.

        A pick counts if the server received it before the clock ran out.

        At most 120 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/drafts/{part(str(draft))}/picks",
            body={
                "footballerId": footballer_id,
                "token": token,
                "expected": expected,
                "maximum": maximum,
            },
        )

    def put_draft_queue(self, draft: int, *, footballer_ids: list[str]) -> Json:
        """Replace your queue. If your clock runs out, the first available player in it is picked.

        At most 120 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/drafts/{part(str(draft))}/queue",
            body={"footballerIds": footballer_ids},
        )

    def start_mock_draft(
        self, *, preset: str | None = None, seat: int | None = None, team_name: str | None = None
    ) -> Json:
        """Start a mock draft against bots.

        At most 20 per hour per caller.
        """
        return self._call(
            "POST",
            "/api/v1/mock-drafts",
            body={"preset": preset, "seat": seat, "teamName": team_name},
        )
