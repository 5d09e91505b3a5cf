"""Views of private pools: the list, one pool with its leaderboard, joining by code.

A pool is visible to its members only.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Blueprint, abort, redirect, url_for
from flask.typing import ResponseReturnValue

from app.accounts.players import player_of
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limit_code_tries, limiter, note_wrong_code
from app.core.http.responses import respond
from app.core.page_cache.pages import OWN_PAGE, PageContent, cached_page
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.fantasy.leagues.rules import plain_code
from app.predictions import pools, survivors
from app.predictions.models import Pool, Tournament
from app.predictions.pages.forms import CodeForm, PoolForm
from app.predictions.pages.views import my_player_id, tournament_or_404

blueprint = Blueprint("pools", __name__)


def _pool_or_404(tournament_id: UUID, pool_id: int) -> Pool:
    return pools.for_member(tournament_id, pool_id, my_player_id()) or abort(404)


def _owned_or_404(tournament_id: UUID, pool_id: int) -> Pool:
    pool = _pool_or_404(tournament_id, pool_id)
    return pool if pool.owner_id == my_player_id() else abort(404)


@blueprint.get("/tournaments/<uuid:tournament_id>/pools")
@audience(MEMBER)
def index(tournament_id: UUID) -> ResponseReturnValue:
    """Show the viewer's pools, and the forms to create and join one."""
    return _index(
        tournament_or_404(tournament_id), PoolForm(formdata=None), CodeForm(formdata=None)
    )


def _index(
    tournament: Tournament,
    form: PoolForm,
    code: CodeForm,
    faults: list[str] | None = None,
    status: int = 200,
) -> ResponseReturnValue:
    return respond(
        "tournaments/pools.html",
        tournament=tournament,
        tab="pools",
        pools=pools.of_player(tournament.id, my_player_id()),
        form=form,
        code=code,
        faults=faults or [],
        status=status,
    )


@blueprint.post("/tournaments/<uuid:tournament_id>/pools")
@audience(MEMBER)
@limiter.limit("20 per hour")
def create(tournament_id: UUID) -> ResponseReturnValue:
    """Create a pool."""
    tournament, form = tournament_or_404(tournament_id), PoolForm()
    result = pools.create(tournament_id, player_of(current_user).id, form.name.data or "")
    if isinstance(result, Pool):
        return redirect(url_for("pools.show", tournament_id=tournament_id, pool_id=result.id), 303)
    faults = _at_field(form, "name", result)
    return _index(tournament, form, CodeForm(formdata=None), faults, 422)


def _at_field(form: PoolForm | CodeForm, name: str, refusals: list[Refusal]) -> list[str]:
    """Attach refusals of this field to it, and return the texts of the others."""
    form[name].errors = [refusal.text for refusal in refusals if refusal.field == name]
    return [refusal.text for refusal in refusals if refusal.field != name]


@blueprint.post("/tournaments/<uuid:tournament_id>/pools/join")
@audience(MEMBER)
@limit_code_tries
def by_code(tournament_id: UUID) -> ResponseReturnValue:
    """Join by the code in the form; its pool may belong to another tournament."""
    tournament, form = tournament_or_404(tournament_id), CodeForm()
    pool = pools.invited(form.code.data or "")
    if pool is None:
        note_wrong_code()
    refusals = [pools.NOT_THERE] if pool is None else _join(pool, form.code.data or "")
    if pool is not None and not refusals:
        return redirect(
            url_for("pools.show", tournament_id=pool.tournament_id, pool_id=pool.id), 303
        )
    faults = _at_field(form, "code", refusals)
    return _index(tournament, PoolForm(formdata=None), form, faults, 422)


def _invited_or_404(code: str) -> Pool:
    pool = pools.invited(code)
    if pool is None:
        note_wrong_code()
        abort(404)
    return pool


def _join(pool: Pool, code: str) -> list[Refusal]:
    refusal = pools.join(pool.id, code, player_of(current_user).id)
    return [] if refusal is None else [refusal]


@blueprint.get("/tournaments/join/<code>")
@audience(MEMBER)
@limit_code_tries
def invitation(code: str) -> ResponseReturnValue:
    """Show the page of an invitation's link."""
    pool = _invited_or_404(code)
    if pools.for_member(pool.tournament_id, pool.id, my_player_id()) is not None:
        return redirect(
            url_for("pools.show", tournament_id=pool.tournament_id, pool_id=pool.id), 303
        )
    return _invitation(pool, code)


def _invitation(
    pool: Pool, code: str, faults: list[str] | None = None, status: int = 200
) -> ResponseReturnValue:
    return respond(
        "tournaments/invitation.html",
        tournament=tournament_or_404(pool.tournament_id),
        pool=pool,
        code=plain_code(code),
        members=pools.size(pool.id),
        faults=faults or [],
        status=status,
    )


@blueprint.post("/tournaments/join/<code>")
@audience(MEMBER)
@limit_code_tries
def accept(code: str) -> ResponseReturnValue:
    """Join the pool of an invitation."""
    pool = _invited_or_404(code)
    if refusals := _join(pool, code):
        return _invitation(pool, code, [refusal.text for refusal in refusals], 422)
    return redirect(url_for("pools.show", tournament_id=pool.tournament_id, pool_id=pool.id), 303)


@blueprint.get("/tournaments/<uuid:tournament_id>/pools/<int:pool_id>")
@audience(MEMBER)
def show(tournament_id: UUID, pool_id: int) -> ResponseReturnValue:
    """Show the pool's leaderboard. The fragment `table` polls itself."""
    pool = _pool_or_404(tournament_id, pool_id)
    tournament, me = tournament_or_404(tournament_id), my_player_id()
    version = f"{tournament.version}-{pools.composition(pool.id)}-{plain_code(pool.code)}"

    def read() -> PageContent:
        values = _values(pool, tournament, me, _form_of(pool))
        tags = ()  # who belongs to a pool raises none
        return PageContent(values, tags, version, is_final=not tournament.is_active)

    return cached_page("tournaments/pool.html", "table", OWN_PAGE, read)


def _form_of(pool: Pool) -> PoolForm:
    form = PoolForm(formdata=None, meta={"csrf": False})
    form.name.data = pool.name
    return form


def _refuse(pool: Pool, form: PoolForm, faults: list[str]) -> ResponseReturnValue:
    """Show the pool again with what is wrong."""
    values = _values(pool, tournament_or_404(pool.tournament_id), my_player_id(), form)
    return respond("tournaments/pool.html", **values | {"faults": faults}, status=422)


def _values(pool: Pool, tournament: Tournament, me: UUID | None, form: PoolForm) -> dict[str, Any]:
    rule = pools.rule_of(tournament)
    rows = pools.table(pool, rule)
    return {
        "tournament": tournament,
        "tab": "pools",
        "pool": pool,
        "me": me,
        "rows": rows,
        "exits": survivors.exits_of(tournament.id, {row.player_id for row in rows}),
        "has_closest": bool(rule.closest),
        "form": form,
        "faults": [],
    }


@blueprint.post("/tournaments/<uuid:tournament_id>/pools/<int:pool_id>/rename")
@audience(MEMBER)
def rename(tournament_id: UUID, pool_id: int) -> ResponseReturnValue:
    """Rename the pool, as its owner."""
    pool, form = _owned_or_404(tournament_id, pool_id), PoolForm()
    if refusals := pools.rename(pool_id, form.name.data or ""):
        return _refuse(pool, form, _at_field(form, "name", refusals))
    return _back(tournament_id, pool_id)


@blueprint.post("/tournaments/<uuid:tournament_id>/pools/<int:pool_id>/code")
@audience(MEMBER)
def renew_code(tournament_id: UUID, pool_id: int) -> ResponseReturnValue:
    """Replace the invite code, as the pool's owner."""
    _owned_or_404(tournament_id, pool_id)
    pools.renew_code(pool_id)
    return _back(tournament_id, pool_id)


@blueprint.post(
    "/tournaments/<uuid:tournament_id>/pools/<int:pool_id>/members/<uuid:player_id>/remove"
)
@audience(MEMBER)
def remove(tournament_id: UUID, pool_id: int, player_id: UUID) -> ResponseReturnValue:
    """Remove a member, as the pool's owner."""
    pool = _owned_or_404(tournament_id, pool_id)
    if (refusal := pools.remove(pool_id, player_id)) is not None:
        return _refuse(pool, _form_of(pool), [refusal.text])
    return _back(tournament_id, pool_id)


@blueprint.get("/tournaments/<uuid:tournament_id>/pools/<int:pool_id>/leave")
@audience(MEMBER)
def leaving(tournament_id: UUID, pool_id: int) -> ResponseReturnValue:
    """Ask before leaving."""
    pool = _pool_or_404(tournament_id, pool_id)
    tournament = tournament_or_404(tournament_id)
    return respond(
        "tournaments/leave.html", tournament=tournament, pool=pool, tab="pools", me=my_player_id()
    )


@blueprint.post("/tournaments/<uuid:tournament_id>/pools/<int:pool_id>/leave")
@audience(MEMBER)
def leave(tournament_id: UUID, pool_id: int) -> ResponseReturnValue:
    """Leave the pool."""
    _pool_or_404(tournament_id, pool_id)
    pools.leave(pool_id, player_of(current_user).id)
    return redirect(url_for("pools.index", tournament_id=tournament_id), 303)


def _back(tournament_id: UUID, pool_id: int) -> ResponseReturnValue:
    return redirect(
        url_for("pools.show", tournament_id=tournament_id, pool_id=pool_id, _anchor="settings"), 303
    )
