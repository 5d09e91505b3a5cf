"""Offline pages: which pages a device keeps, and the service worker that shows them."""
