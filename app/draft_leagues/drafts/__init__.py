"""Drafts: their order, clock, events and automatic picks; the room; mock drafts.

    plan (settings of one draft) + events (append-only) --rules.fold--> state
    state + time --------------------------------------- settling ----> what the clock decided

- `plan`, `events`: the values.
- `order`, `clock`, `auction`, `places`, `lottery`, `rules`: pure rules of the draft.
- `automatic`: what the clock and the bots decide; pure, too.
- `desk`: a draft that is locked for one act; `services`: the acts; `queries`: what pages read.
- `hub`: the live stream of a room. `mock`: drafts against bots.
"""
