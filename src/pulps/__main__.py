"""`python -m pulps` is `pulps`."""

import sys

from pulps.cli import main

if __name__ == "__main__":
    sys.exit(main())
