"""Makes the oracle files, numbers that the tests of this project compare with, and checks those that there are.

    python scripts/oracle OUT                       makes every file in the folder OUT
    python scripts/oracle --only mfga,losses OUT    makes two of them
    python scripts/oracle --check                   makes the files anew and compares them with those of the repository
    python scripts/oracle --check --without traces OUT    with those of another folder

Needs the Python of methods/internal/gbdt/testdata/peers.txt. What the files hold is in internal/test/oracle/README.md, the
tolerances are in compare.py. Four files are made from real data, in the folder of --data, of BENCH_MIRROR or of
BENCH_DATA; traces needs a checkout of the published program besides (traces.py). A file that cannot be made is left as it
is, and a line says so. The exit status is 1 where a number is beyond its tolerance.
"""
import os
import sys

sys.dont_write_bytecode = True  # the folder stays as it is in the repository
for library in ("OMP", "OPENBLAS", "MKL"):  # before NumPy is imported: more threads add in other orders
    os.environ[library + "_NUM_THREADS"] = "1"

import argparse
import json
import time
from pathlib import Path

import compare
import embeddings
import exact_kernels
import group_lasso
import losses
import mfga
import mfga_realdata
import numpy_randomstate
import objectives
import random_features
import realdata
import rff_skl
import significance
import splits
import svm_libsvm
import traces

REPOSITORY = Path(__file__).resolve().parents[2]
DRAWN = {
    "numpy_randomstate": numpy_randomstate, "statistics": significance, "losses": losses, "embeddings": embeddings,
    "objectives": objectives, "rff_skl": rff_skl, "group_lasso": group_lasso, "exact_kernels": exact_kernels, "mfga": mfga,
    "random_features": random_features,
}
FROM_DATA = {"splits": splits, "svm_libsvm": svm_libsvm, "traces": traces, "mfga_realdata": mfga_realdata}


def main():
    names = [*DRAWN, *FROM_DATA]
    p = argparse.ArgumentParser(prog="oracle", description=__doc__.split("\n")[0])
    there = os.environ.get("BENCH_MIRROR") or os.environ.get("BENCH_DATA")
    p.add_argument("--data", default=there, help="the folder of real data")
    p.add_argument("--only", help="these files, separated by commas: " + ", ".join(names))
    p.add_argument("--without", default="", help="all files but these")
    p.add_argument("--check", action="store_true", help="write nothing, compare")
    p.add_argument("folder", nargs="?", metavar="OUT", help="the folder of the files; with --check the repository's by default")
    args = p.parse_args()
    unknown = set(((args.only or "") + "," + args.without).split(",")) - {"", *names}
    if unknown:
        p.error(f"no file {sorted(unknown)[0]!r}: there are {', '.join(names)}")
    if not (args.folder or args.check):
        p.error("name the folder of the files, or --check")
    folder = Path(args.folder) if args.folder else REPOSITORY / "internal/test/oracle"
    if not args.check:
        folder.mkdir(parents=True, exist_ok=True)
    faults = 0
    for name in args.only.split(",") if args.only else names:
        if name not in args.without.split(","):
            faults += one(name, folder / (name + ".json"), args.data, args.check)
    sys.exit(1 if faults else 0)


def one(name, path, data, check):
    """Makes or checks a file, says what came of it, with a line for each fault, and returns how many faults there are."""
    began = time.monotonic()
    try:
        made = DRAWN[name].make() if name in DRAWN else FROM_DATA[name].make(data)
        made = json.loads(json.dumps(made, default=lambda v: v.tolist()))
        if not check:
            path.write_text(text(made))
            print(f"{name}: made in {time.monotonic() - began:.0f} s", flush=True)
            return 0
        c = compare.Comparison(name)
        c.walk(*compare.compared(name, made, json.loads(path.read_text())))
    except realdata.Missing as why:
        print(f"{name}: left as it is: {why}")
        return 0
    except (OSError, ArithmeticError) as why:
        print(f"{name}: {why}")
        return 1
    print(
        f"{name}: {c.count} values compared, largest difference {c.largest:.1e} ({c.where}), "
        f"{len(c.faults)} beyond the tolerance; {time.monotonic() - began:.0f} s",
        *c.faults[:10], sep="\n  ", flush=True,
    )
    return len(c.faults)


def text(value):
    """JSON with a line for each case, so that a difference shows where it is; numbers have the digits that give them back."""
    line = lambda v: json.dumps(v, separators=(",", ":"))
    if isinstance(value, list):
        return "[\n" + ",\n".join(map(line, value)) + "\n]\n"
    cases = lambda v: isinstance(v, list) and v and isinstance(v[0], dict)
    return "{\n" + ",\n".join(line(k) + ":" + (text(v).rstrip() if cases(v) else line(v)) for k, v in value.items()) + "\n}\n"


main()
