"""Prints of which parts programs of bench are made, each with its version and licences (SPDX), and the texts of these. Takes the
programs, as `go build` made them; $BENCH_ZIG is the C compiler of a release, whose library musl they hold. A part without a
licence that is known here is an error."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

# What is only in the text of a licence. Of GPL or another licence we take the other.
MARKS = {
    "Apache-2.0": "Apache License,? Version 2.0",
    "BSD-2-Clause": "Redistribution and use in source and binary forms(?!.*(names? of|name .{0,80}may not be used))",
    "BSD-3-Clause": "Redistribution and use in source and binary forms.*(names? of|name .{0,80}may not be used)",
    "BSL-1.0": "Boost Software License - Version 1.0",
    "CC-BY-4.0": "Creative Commons Attribution 4.0",
    "FTL": "The FreeType Project LICENSE",
    "MIT": "(?i)Permission is hereby granted, free of charge, to any person obtaining a copy of this software",
    "OFL-1.1": "SIL OPEN FONT LICENSE Version 1.1",
    "SunPro": "Developed at SunPro",
}
NAMES = re.compile(r"(un)?(licen[cs]es?|copying|notice|copyright|patents|third_party_licenses)([-._][^/]*)?", re.I)
# Of other programs of a module, or of its tests; and the licence that is not taken.
OTHERS = re.compile(r"(^|/)(testdata|cmd|docs)/|/W3C-TestSuite|/gpl\.txt$")


def said(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"licences: {' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def texts(folder):
    """The files of a folder that are licences, in it and in its parts."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix != ".go")
    return [p for p in files for name in [p.relative_to(folder)]
            if not OTHERS.search(str(name)) and any(NAMES.fullmatch(part) for part in [name.name, name.parts[0]])]


parts, holders = [], {}  # each part with its licences; each text with the parts that it is of


def part(name, files, licences=()):
    known = set(licences)
    for text in (f.read_text(errors="replace").strip() for f in files):
        known |= {i for i, mark in MARKS.items() if re.search(mark, re.sub(r"\s+", " ", text))}
        holders.setdefault(text, {})[name] = True
    if not known:
        sys.exit(f"licences: {name} has no licence that is known: {', '.join(map(str, files)) or 'no file'}")
    parts.append((name, sorted(known)))


os.chdir(Path(__file__).parent.parent)
modules, go = set(), ""
for program in sys.argv[1:]:
    lines = [line.split("\t") for line in said("go", "version", "-m", program).splitlines()]
    go = lines[0][0].rpartition(" ")[2]
    modules |= {"@".join(line[2:4]) for line in lines if line[1:2] == ["dep"]}
if not modules:
    sys.exit("licences: name programs that go build has made")
part("bench", [Path("LICENSE")])
part("data sets", [Path("datasets/LICENSES.md")])
part(go, [p for p in [Path(said("go", "env", "GOROOT").strip(), name) for name in ("LICENSE", "PATENTS")] if p.exists()])
if zig := os.environ.get("BENCH_ZIG", "").split():
    lib = Path(re.search(r'\.lib_dir = "(.*)"', said(*zig, "env"))[1])
    part("musl " + re.search('"(.*)"', (lib / "libc/musl/src/internal/version.h").read_text())[1], [lib / "libc/musl/COPYRIGHT"])
    part("zig " + said(*zig, "version").strip(), [lib.parent / "LICENSE"])
for line in said("go", "mod", "download", "-json", *sorted(modules)).split("\n}\n"):
    if line:
        module = json.loads(line + "}")
        folder = Path(module["Dir"])
        part(module["Path"] + " " + module["Version"], texts(folder))
        if module["Path"].endswith("/go-sqlite3"):
            header = (folder / "sqlite3-binding.h").read_text()
            part("SQLite " + re.search('#define SQLITE_VERSION +"(.*)"', header)[1], [], ["blessing"])

print("What the program bench is made of, and under which licences (https://spdx.org/licenses):\n")
for name, licences in parts:
    print(f"{name}: {', '.join(licences)}")
print("\nAll together: " + " AND ".join(sorted({i for _, licences in parts for i in licences})))
print("\nSQLite is in the public domain: https://sqlite.org/copyright.html")
for text, names in holders.items():
    print("\n==== " + ", ".join(names) + "\n\n" + text)
