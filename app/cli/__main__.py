"""`python -m app.cli` is the `pressbox` command."""

from app.cli import main

if __name__ == "__main__":  # not in a process that is forked for it
    main()
