"""Webhooks of integrators: changes of the feed, delivered in order to their addresses."""
