"""The demo in one process: plays the games and the kicking contest.

Run it with `python -m workers.demo`.
"""

from __future__ import annotations

import threading

from app import create_worker_app
from app.core.postgres.timeouts import Use
from app.core.redis.connections import connect
from app.embedded.stack import with_running_stack
from app.setting_reading import settings_from_env
from workers import demo_scores
from workers.demo_audience import Audience
from workers.demo_player import Player
from workers.process import Process


def main() -> None:
    """Run the demo until stopped."""
    settings = with_running_stack(settings_from_env())
    process = Process("demo", settings)
    app = create_worker_app(settings, Use.WEB)
    audience = Audience(connect(settings.redis_url))
    scores = threading.Thread(target=demo_scores.run, args=(app, process, audience), daemon=True)
    scores.start()
    Player(app, process, audience, settings.demo_speed).run()
    scores.join(timeout=5)


if __name__ == "__main__":
    main()
