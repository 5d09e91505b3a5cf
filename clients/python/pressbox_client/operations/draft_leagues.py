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
        """Found a draft league by a preset.

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
        """Bring a league in progress here: rosters, results, picks and settings.

        The caller runs it and one of its teams; the other teams wait for their owners. Sent
        again within ten minutes it answers with the league that was made.

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
        """See what the files of a league say, and who of them was not found.

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
        """Join a draft league with its invite code. Again changes nothing.

        A team that nobody runs any more is taken over with its roster and its name.

        At most 20 per hour per caller.
        """
        return self._call(
            "POST",
            "/api/v1/draft-leagues/join",
            body={"inviteCode": invite_code, "teamName": team_name},
        )

    def get_draft_league(self, league: str) -> Json:
        """Read a draft league: its phase, and every setting.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}")

    def get_bracket(self, league: str) -> Json:
        """Read the play-offs: seeds, games, winners.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/bracket")

    def list_claims(self, league: str) -> Json:
        """List the open claims of one's own team. Nobody else sees them before they are decided.

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

        The same footballer and drop again are the same claim: its bid and group are changed.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/claims",
            body={"footballerId": footballer_id, "dropId": drop_id, "bid": bid, "group": group},
        )

    def withdraw_claim(self, league: str, claim: int) -> Json:
        """Withdraw a claim that is not decided yet.

        At most 60 per minute per caller.
        """
        return self._call(
            "DELETE", f"/api/v1/draft-leagues/{part(league)}/claims/{part(str(claim))}"
        )

    def reorder_claim(self, league: str, claim: int, *, position: int) -> Json:
        """Move a claim to another place among the team's claims.

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
        """Let these members run the league too, and nobody else, as its founder, with a reason.

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

        The same `token` again is the same act and counts once.

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
        """See what moving footballers for their teams would do, as the commissioner.

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
        """Plan the league's draft, as the commissioner, or change the plan before it begins.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/draft-leagues/{part(league)}/draft",
            body={"startsAt": starts_at, "order": order},
        )

    def list_franchises(self, league: str) -> Json:
        """List the teams: who runs them, their waiver priority, and what is left of their budgets.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/franchises")

    def get_line_up(self, league: str, franchise: int, gameweek: str) -> Json:
        """Read a team's line-up: one's own at any time, others' from the deadline on.

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
        """Set a line-up that has begun or is open, as the commissioner, with a reason.

        Results follow, and the league is told. Sent again it is refused, because `version` has
        risen.

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
        """See every result that other starters would change, as the commissioner.

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
        """Stop a team from making transactions as the commissioner, or let it again, and say why.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/draft-leagues/{part(league)}/franchises/{part(str(franchise))}/lock",
            body={"isLocked": is_locked, "reason": reason},
        )

    def open_franchise(self, league: str, franchise: int, *, reason: str | None = None) -> Json:
        """Take a team from its owner, as the commissioner, for whoever joins next, and say why.

        Line-ups, scores, matchups and the name stay with the team. Again it changes nothing.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/franchises/{part(str(franchise))}/open",
            body={"reason": reason},
        )

    def get_keepers(self, league: str) -> Json:
        """Read whom one's own team can keep at which cost, and who has been chosen.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/keepers")

    def put_keepers(
        self, league: str, *, footballer_ids: list[str], franchise: int | None = None
    ) -> Json:
        """Choose the keepers of a team anew, before the deadline.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/draft-leagues/{part(league)}/keepers",
            body={"footballerIds": footballer_ids, "franchise": franchise},
        )

    def close_keepers(self, league: str) -> Json:
        """Let the choices stand before their deadline, as the commissioner. Again changes nothing.

        At most 60 per minute per caller.
        """
        return self._call("POST", f"/api/v1/draft-leagues/{part(league)}/keepers/close")

    def put_line_up(
        self, league: str, gameweek: str, *, places: list[str], version: int | None = None
    ) -> Json:
        """Save one's own line-up, completely or not at all.

        Everybody locks at their own kickoff, by the server's clock.

        At most 60 per minute per caller.
        """
        return self._call(
            "PUT",
            f"/api/v1/draft-leagues/{part(league)}/line-ups/{part(gameweek)}",
            body={"places": places, "version": version},
        )

    def preview_next_season(self, league: str) -> Json:
        """See what the league would take into the next season, as the commissioner.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/next-season")

    def continue_draft_league(self, league: str, *, deadline: str | None = None) -> Json:
        """Take the league into the next season, as the commissioner.

        Teams, settings, picks and the history stay. Again it answers with the league that was
        made.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST", f"/api/v1/draft-leagues/{part(league)}/next-season", body={"deadline": deadline}
        )

    def delete_own_ranking(self, league: str) -> Json:
        """Delete one's own list: the league's ranking counts again.

        At most 60 per minute per caller.
        """
        return self._call("DELETE", f"/api/v1/draft-leagues/{part(league)}/own-ranking")

    def get_own_ranking(self, league: str) -> Json:
        """Read one's own list.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/own-ranking")

    def put_own_ranking(self, league: str, *, footballer_ids: list[str]) -> Json:
        """Replace one's own list. Automatic picks of a draft follow it.

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
        """List footballers by the caller's order, with projections, byes, and who has them.

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
        """Add a free agent to one's own team at once. Who is on waivers is claimed instead.

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
        """Drop a footballer of one's own team.

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
        """Move a footballer of one's own team to injured reserve, to the taxi squad, or back.

        Injured reserve takes only those whose status says that they will not play.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/roster/moves",
            body={"footballerId": footballer_id, "spot": spot, "token": token},
        )

    def list_rosters(self, league: str, *, at: str | None = None) -> Json:
        """List everybody's roster, now or as it was at a moment.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/rosters", query={"at": at})

    def get_schedule(self, league: str) -> Json:
        """Read who meets whom in the whole regular season.

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

        Until the draft begins everything may change; after it, what was drafted, played or
        scheduled stays. The same settings again change nothing. `continues_rosters` is read-
        only: it stays, whatever is sent. A `version` that is not the present one is refused
        (`changed`), so that two commissioners do not take back what the other saved.

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
        """See what other settings would change, as the commissioner. Nothing changes.

        After the draft that includes the table, results, play-offs and budgets.

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
        """Read the table, and which rule put each team before the next.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/standings")

    def get_trade_block(self, league: str) -> Json:
        """Read whom the teams of the league would trade.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/trade-block")

    def take_off_trade_block(self, league: str, footballer_id: str) -> Json:
        """Take a footballer off the trade block. Again changes nothing.

        At most 60 per minute per caller.
        """
        return self._call(
            "DELETE", f"/api/v1/draft-leagues/{part(league)}/trade-block/{part(footballer_id)}"
        )

    def put_on_trade_block(
        self, league: str, footballer_id: str, *, note: str | None = None
    ) -> Json:
        """Put a footballer of one's own team on the trade block. Again changes the note.

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
        """List the trades that one may see: accepted ones, and offers of and to one's own team.

        At most 240 per minute per caller.
        """
        return self._call(
            "GET",
            f"/api/v1/draft-leagues/{part(league)}/trades",
            query={"limit": limit, "offset": offset},
        )

    def offer_trade(self, league: str, *, token: str, **options: Unpack[OfferTradeOptions]) -> Json:
        """Offer a trade to one team or more, or answer an offer with another one.

        The same `token` again is the same offer and is made once.

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
        """See what an offer would do to each team and its best line-up, and why it is refused.

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
        """Accept an offer, naming whom the team drops to make room.

        When everybody has accepted, the review begins, or the trade takes effect if there is
        none.

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
        """End the review of a trade, as the commissioner: it takes effect now, or is stopped.

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
        """Vote for or against an accepted trade. The last vote of a team counts.

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
        """Withdraw one's own offer.

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

        Webhooks and the change feed bring the same entries as `league.transaction`.

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
        """See what taking an entry of the log back would do, as the commissioner.

        At most 60 per minute per caller.
        """
        return self._call(
            "GET", f"/api/v1/draft-leagues/{part(league)}/transactions/{part(str(number))}/reversal"
        )

    def reverse_transaction(self, league: str, number: int, *, reason: str) -> Json:
        """Take an entry of the log back, as the commissioner, with a reason.

        Again it answers with the same reversal. It is refused if somebody whom the entry moved
        has moved again since.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/transactions/{part(str(number))}/reversal",
            body={"reason": reason},
        )

    def preview_waiver_run(self, league: str) -> Json:
        """See what a run would decide now about one's own claims, if nobody else claimed anybody.

        Nothing changes. Claims of others are secret until they are decided, from commissioners
        too.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/draft-leagues/{part(league)}/waiver-dry-run")

    def list_waiver_runs(
        self, league: str, *, limit: int | None = None, offset: int | None = None
    ) -> Json:
        """List the runs that decided claims.

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
        """Take a run back and decide it anew, as the commissioner.

        For example after the standings were corrected. It is refused if somebody whom the run
        moved has moved again since.

        At most 60 per minute per caller.
        """
        return self._call(
            "POST",
            f"/api/v1/draft-leagues/{part(league)}/waiver-runs/{part(str(run))}/repeat",
            body={"reason": reason},
        )

    def get_draft(self, draft: int) -> Json:
        """Read a draft: whose turn it is, every pick, and the best who are left.

        At most 240 per minute per caller.
        """
        return self._call("GET", f"/api/v1/drafts/{part(str(draft))}")

    def assign_in_draft(
        self, draft: int, *, footballer_id: str, number: int | None = None, token: str | None = None
    ) -> Json:
        """Pick for whoever is on turn, or replace a pick that was made, as the commissioner.

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
        """Let a team be drafted for automatically, or end that.

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
        """Replace one's own queue. If the clock runs out, the first who is left is picked.

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
        """Start a mock draft against bots, at once.

        At most 20 per hour per caller.
        """
        return self._call(
            "POST",
            "/api/v1/mock-drafts",
            body={"preset": preset, "seat": seat, "teamName": team_name},
        )
