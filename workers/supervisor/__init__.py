"""`pressbox up`: starts stores and processes on one machine, and restarts those that end."""
