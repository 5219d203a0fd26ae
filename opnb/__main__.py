"""`python -m opnb`."""

import sys

from opnb.cli import main

if __name__ == "__main__":
    sys.exit(main())
