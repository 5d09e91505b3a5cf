"""The page cache: pages and values are rendered once and served until their data changes.

**Entries and tags** (`tags.py`). An entry in Redis holds a rendered page or a value, the *tags* it
depends on (`table:7`, `member:3`), and when it expires: half a minute later at most, and an entry
that only says which page a poll gets, two minutes later. Each tag has a version. An entry is valid
while none of its tags has a newer version than the entry.

**Writers invalidate in their transaction** (`tagged_connection.py`). Triggers in PostgreSQL name
the tags of every changed row, and our connections collect them. Before the commit a writer marks
its tags as pending, which makes their entries invalid; after the commit it raises their versions.
So there is no moment in which an entry from before the commit is served after it, and no writer can
forget a tag.

**One mechanism for readers** (`pages.py`). A view calls `cached_page(template, fragment, key,
read)`. `read` runs only if there is no valid entry, and returns a `PageContent`: the template's
context, the tags, and the version that becomes the ETag. `cached_value(key, load)` does the same
for a short text. Several requests that miss the same entry at once share one rendering
(`single_flight.py`).

**Placeholders** (`placeholders.py`). A cached page is the same for every viewer with the same
rights. Personal parts (name, form token, bell, the viewer's row) are placeholders that are filled
in for each response. While a page is rendered for the cache, `current_user` refuses every attribute
that differs between its viewers, so no personal data can get into it. The view checks access
beforehand.

**Conditional GET** (`conditional_get.py`). `PollCache` answers a poll whose page has not changed
with 304, and one whose page has changed with the entry that another request has rendered, in one
round trip to Redis and before Flask.

If Redis is unavailable, every page is rendered anew. Why it is built like this: decisions 53, 56,
78 and 111.
"""
