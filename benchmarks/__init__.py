"""Benchmarks that stand on their own; docs/benchmarks.md has their figures."""
