"""`python -m anfora WORD …`: see `anfora.commands`."""

from __future__ import annotations

import sys

from anfora.commands import main

if __name__ == "__main__":
    status = main(sys.argv[1:])
    if status:  # `python -i` goes on after a program that has ended well
        sys.exit(status)
