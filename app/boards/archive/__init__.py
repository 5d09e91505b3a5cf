"""Closed boards as Parquet objects in the blob store, still readable."""
