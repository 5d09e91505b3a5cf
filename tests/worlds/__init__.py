"""Makers of test data, shared by all tests: each module makes one kind of world.

See tests/README.md.
"""
