"""Talk in leagues: a board per league, a thread per matchup, posts of Pressbox itself."""

TABLES = ("app.talk.models",)
