"""Cold months of score attempts as Parquet objects in the blob store (decision 104)."""
