"""Matches of providers: polling, reading answers, writing matches, findings."""
