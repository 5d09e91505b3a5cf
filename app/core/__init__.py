"""What every subject uses: clock, jobs, errors, files, and rooms for stores, HTTP and logs."""
