"""Pressbox as an app on a phone: which pages a device keeps, and the worker that shows them."""
