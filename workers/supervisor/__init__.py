"""`pressbox up`: starts stores and processes on one machine, and starts again what ended."""
