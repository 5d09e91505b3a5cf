"""The console without a network, and the entries that wait in a browser."""
