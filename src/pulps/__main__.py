"""`python -m pulps` is `pulps`."""

import sys

from pulps.cli import main

sys.exit(main())
