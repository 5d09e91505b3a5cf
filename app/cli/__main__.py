"""`python -m app.cli` is the `pressbox` command."""

from app.cli import main

main()
