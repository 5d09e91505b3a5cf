"""Redis: the clients of jobs, caches and boards, and how their addresses are spelled."""
