"""`python -m tests.e2e.typist GAME...`: types real games and says how it went.

Without a game, all that are stored.

GAME is the id of a stored game (../shared/data/nfl), or the path of a play-by-play file. Ends with
1 where points differ from the published ones, a play could not be typed or the stream gives other
rows than stand.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Flask
from playwright.sync_api import Browser, expect, sync_playwright
from playwright.sync_api import Error as BrowserError

from app import create_app
from app.accounts import services as accounts
from app.accounts.models import Member
from app.core.db import migrations
from app.embedded.stack import Stack
from app.stream.kafka import ensure_topics
from tests.conftest import PASSWORD, emptied, folder_for_stores, settings_of_tests, without_fsync
from tests.e2e.browser import executable
from tests.e2e.conftest import CHROMIUM, PATIENCE_MS
from tests.e2e.desk import Desk
from tests.e2e.looking import LAPTOP
from tests.e2e.running import KEPT_KEYS, RunningPressbox
from tests.e2e.typist.match import compare, make_ready, type_script
from tests.e2e.typist.rebuilt import compare_rebuilt
from tests.e2e.typist.tally import Tally, closing, lines
from tests.embedded.programs import wanted_programs
from tests.owner import let_truncate
from tests.worlds.real_games import FILES, name_of, real_game


def main(arguments: list[str]) -> int:
    files = [_file(argument) for argument in arguments] or FILES
    if not files:
        sys.exit("There are no stored games: give the path of a play-by-play file.")
    tallies = []
    with running() as (app, pressbox, browser):
        for file in files:
            tallies.append(_attempt(file, app, pressbox, browser))
            print("\n".join(lines(tallies[-1])), flush=True)
    overruled = sum((tally.overruled for tally in tallies), start=type(tallies[0].overruled)())
    for prompt, count in overruled.most_common(15):
        print(f"overruled {count:5d}  {prompt}")
    print(closing(tallies))
    return 0 if all(tally.is_right for tally in tallies) else 1


def _file(argument: str) -> Path:
    stored = next((file for file in FILES if name_of(file) == argument), None)
    if stored is None and not Path(argument).is_file():
        sys.exit(
            f"{argument} is neither a stored game nor a file: give one of "
            f"{', '.join(map(name_of, FILES))}."
        )
    return stored or Path(argument)


@contextmanager
def running() -> Iterator[tuple[Flask, RunningPressbox, Browser]]:
    """Stores, processes and a browser of their own, gone at the end."""
    path = executable()
    if path is None:
        sys.exit("No browser: run `make browser`, which installs one or says how.")
    expect.set_options(timeout=PATIENCE_MS)
    with (
        folder_for_stores() as folder,
        Stack(settings_of_tests(folder), wanted_programs()) as stack,
    ):
        without_fsync(stack.settings)
        ensure_topics(stack.settings)
        app = create_app(stack.settings)
        with app.app_context():
            migrations.upgrade()
        let_truncate(stack.settings.owner_url)
        with RunningPressbox(stack) as pressbox, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM)
            pressbox.start_all()
            yield app, pressbox, browser
            browser.close()


def _attempt(file: Path, app: Flask, pressbox: RunningPressbox, browser: Browser) -> Tally:
    """A game that breaks off is not equal, and keeps no other from being typed."""
    try:
        with type_game(file, app, pressbox, browser) as tally:
            return tally
    except (BrowserError, AssertionError) as error:
        return Tally(name_of(file), wrong=[f"broke off: {error}"])


@contextmanager
def type_game(
    file: Path, app: Flask, pressbox: RunningPressbox, browser: Browser
) -> Iterator[Tally]:
    """Types the game into empty stores, waits for the record, and compares.

    What was recorded is there meanwhile.
    """
    script = real_game(file)
    with emptied(app, keeping=KEPT_KEYS):
        scorer = accounts.register("sal", "Sal", PASSWORD, ["scorer"])
        assert isinstance(scorer, Member), scorer
        make_ready(script)
        context = browser.new_context(
            base_url=pressbox.address,
            viewport={"width": LAPTOP["width"], "height": LAPTOP["height"]},
        )
        tally = type_script(Desk(context, script.game_id).sign_in("sal"), script)
        context.close()  # not after a failure: where the browser itself is gone, that never ends
        pressbox.wait_until_idle()
        compare(tally, script)
        with folder_for_stores() as archive:
            compare_rebuilt(tally, app.config["PRESSBOX"], archive)
        yield tally


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
