"""Wrong invitation codes are limited for who guesses, not for everybody at the same address."""

from __future__ import annotations

from flask.testing import FlaskClient

from app.core.http.rate_limits import limiter
from tests.fantasy.leagues.test_pages import FORM, Season, SignIn, the_league


def test_a_guesser_of_codes_locks_nobody_else_out_who_shares_the_address(
    sign_in: SignIn, season: Season, client: FlaskClient
) -> None:
    """A pub, a school or a provider has one address for all (RFC 6269, section 13.1).

    A limit per address hits everybody.
    """
    founder, guesser, guest = (
        sign_in(username="ann"),
        sign_in(username="bob"),
        sign_in(username="cyd"),
    )
    founder.post("/leagues/new", data=FORM)
    code = the_league().invite_code
    limiter.enabled = True
    wrong = [guesser.get(f"/join?code=WRONG{number:03}").status_code for number in range(31)]
    assert (wrong[0], wrong[-1]) == (422, 429), "guessing has its limit"
    assert [guest.get(f"/join/{code}").status_code for _ in range(31)] == [200] * 31, (
        "a right code costs nothing"
    )
    assert client.get(f"/join/{code}").status_code == 200, "before sign-in too"
    for method in ("GET", "POST"):
        limiter.reset()
        tries = [
            guesser.open(f"/join/WRONG{number:03}", method=method).status_code
            for number in range(31)
        ]
        assert (tries[0], tries[-1]) == (422, 429), f"a {method} of a link counts like the field"
    assert [client.get(f"/join/WRONG{number:03}").status_code for number in range(31)][-1] == 429
