"""Exclusive rosters of draft leagues: franchises, the log of transactions, and what it adds up to.

Who may do what, and when, is decided in app/draft_leagues. This package is below the team sheets,
whose market in a draft league is the roster.
"""
