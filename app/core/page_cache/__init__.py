"""The page cache: pages and values are made once and served until their data changes.

**Readers** call `cached_page` (`pages.py`) or `cached_value` (`values.py`), which return a valid
entry, or make one for all requests that need it now (`single_flight.py`).

**Entries** in Redis (`tags.py`) name the *tags* on which they depend (`table:7`, `member:3`). An
entry is valid while none of its tags has a newer version, and for half a minute at most.

**Writers** raise the tags of the rows that they changed, in their transaction
(`tagged_connection.py`), so no entry from before a commit is served after it.

**Personal parts** (name, form token, the viewer's row) are filled in for each response
(`placeholders.py`). **Polls** are answered before Flask (`conditional_get.py`).

If Redis is unavailable, everything is made anew. Why it is like this: decisions 90 and 113.
"""
