"""Random histories of Pressbox, each checked against a plain model, in the manner of Jepsen.

A seed gives a schedule (schedule.py): plays entered in two games and ruled on again, team sheets
and guesses saved before and after their deadlines, leagues joined, scores sent in, held, taken back
and restored, players banned and let in again, and the work of relay, bridge and workers in between.
Nearly every act may meet a fault: its process dies before its n-th effect on a store, a connection
to PostgreSQL is cut or ends just after the commit, Redis does not answer or answers nobody, Kafka
takes a message and does not say so; messages come three times, out of order or all over again;
Redis loses its memory. Whoever acts asks again under the same key until there is an answer.

What was answered goes into a model of dictionaries and loops (model.py), which knows nothing of the
product but its published tables of points. When all has come to rest, every store must say what the
model says (check.py): the events and which of them stand, stat lines and points, team sheets,
league tables and ranks, boards in PostgreSQL and Redis with and without the banned, guesses and
their settlement, the audit with each act once; and the record built anew from the log must be the
same row for row. A row that became invalid never becomes valid again on the way.

    python -m tests.histories --seconds 3600      # as many as fit, a line each
    python -m tests.histories --seed 17           # this one again, exactly
    python -m tests.histories --processes         # with real processes, killed with SIGKILL,
                                                  # and the embedded broker

A history that differs is printed with its seed, the shortest schedule found that still differs, and
the rows. Seeds that found something are always run (test_histories.py).
"""
