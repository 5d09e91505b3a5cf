"""Code that every subject uses: clock, jobs, errors, files, stores, HTTP and logs."""
