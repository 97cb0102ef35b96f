"""The program: where it is, and calls of it."""

import os
import re
import shutil
import signal
import subprocess
import sys

INCOMPLETE, INTERRUPTED = 3, 130
SWITCHES = {"allow_network", "force", "retry", "yes"}  # arguments that are True or False


class Error(RuntimeError):
    """What the program said when it could not do what was asked."""


def program():
    """The path of the program: $BENCH_PROGRAM, the one that this package carries, or `bench` of the PATH."""
    carried = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "bench")
    for path in (os.environ.get("BENCH_PROGRAM"), carried, shutil.which("bench")):
        if path and os.access(path, os.X_OK):
            return path
    raise Error("the program bench is not found: build it (make build), and put it on the PATH or name it in BENCH_PROGRAM")


def environment():
    """Plugins run under the Python of the caller, by the one name that it has for the package's `bench` in a terminal, too:
    what the program remembers of a plugin goes with the name of its interpreter."""
    usual = os.path.join(sys.prefix, "bin", "python3")
    return {"BENCH_PYTHON": usual if os.access(usual, os.X_OK) else sys.executable, **os.environ}


def call(*arguments, good=(0,)):
    """Runs the program with these arguments and returns its standard output, as text."""
    done = subprocess.run([program(), *map(str, arguments)], env=environment(), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in good:
        raise Error(last_words(done.stderr))
    return done.stdout


def watched(arguments):
    """Runs the program and shows what it says of its progress in one line. Returns the exit code and the lines.

    An interrupt lets running cells finish, and a second one stops them, as in a terminal.
    """
    lines, shown = [], 0
    with subprocess.Popen([program(), *arguments], env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as p:
        while not p.stderr.closed:
            try:
                for line in p.stderr:
                    lines.append(in_python(line.rstrip("\n")))
                    shown = show(lines[-1], shown)
                p.stderr.close()
            except KeyboardInterrupt:
                p.send_signal(signal.SIGINT)
        return p.wait(), lines


def show(line, shown):
    """Prints a line: one of progress, such as "12/40 cells, ...", over the one before. Returns the length of the line
    that the terminal shows."""
    if line.startswith("bench: "):
        return shown  # the caller makes an error of it
    if "/" in line.split(" ")[0]:
        print("\r" + line.ljust(shown), end="", flush=True)
        return len(line)
    print(("\n" if shown else "") + line, flush=True)
    return 0


def last_words(said):
    lines = [line.removeprefix("bench: ") for line in said.splitlines() if line.strip()]
    return in_python("\n".join(lines[-5:])) or "it ended without a word"


def in_python(said):
    """The message of the program, with arguments of Python in place of flags. Commands, which are quoted, stay as
    they are."""

    def argument(flag):
        name = flag[1].replace("-", "_")
        return name + "=True" if name in SWITCHES else name

    parts = said.split("`")
    parts[::2] = [re.sub(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)", argument, part) for part in parts[::2]]
    return "`".join(parts)


def flags(given):
    """Flags of keywords: level=0.1 is --level 0.1, methods=["A", "B"] is --methods A,B, details=True is --details."""
    out = []
    for name, value in given.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            out.append(flag)
        elif value is not None and value is not False:
            out += [flag, ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)]
    return out
