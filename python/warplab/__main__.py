"""The program: ``python -m warplab run ...``, or ``warplab run ...`` where the package is installed."""

import signal
import sys

from . import _native


def main():
    """Runs the command line of this process."""
    # An interrupt is the program's own affair.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.program(["warplab", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
