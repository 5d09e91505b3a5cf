"""The page cache: pages and values are made once and served until their data changes.

**Readers** call `cached_page` (`pages.py`) and `cached_value` (`values.py`). Both return a valid
entry, or make one, once for all requests that need it now (`single_flight.py`).

**Entries and tags** (`tags.py`). An entry in Redis holds a page or a value, the *tags* on which it
depends (`table:7`, `member:3`), and when it expires: half a minute later at most, and an entry that
only says which page a poll gets, two minutes later. Each tag has a version. An entry is valid while
none of its tags has a newer version.

**Writers invalidate in their transaction** (`tagged_connection.py`). Triggers in PostgreSQL name
the tags of every changed row, and our connections collect them. Before the commit a writer marks
its tags as pending, which makes their entries invalid; after the commit it raises their versions.
So no entry from before a commit is served after it, and no writer can forget a tag.

**Placeholders** (`placeholders.py`). A cached page is the same for every viewer with the same
rights. Personal parts (name, form token, bell, the viewer's row) are filled in for each response.
While a page is rendered, `current_user` refuses every attribute that differs between its viewers.

**Conditional GET** (`conditional_get.py`). `PollCache` answers polls before Flask.

If Redis is unavailable, everything is made anew. Why it is like this: decisions 90 and 113.
"""
