"""Pressbox as an app on a phone: which pages a member's own device keeps, and the worker that shows
them offline.
"""
