"""The program itself, as `bench` of the wheel and `python -m bench`."""

import os
import sys

from ._program import environment, program


def main():
    os.execve(program(), ["bench", *sys.argv[1:]], environment())


if __name__ == "__main__":
    main()
