"""Adds to the modules that a binary of bench is made of (CycloneDX, on standard input) what no Go module says: SQLite, the C
library, the C compiler, and the Python packages that go with the binary. scripts/release.sh calls it with a command that is zig
and the folder of the module go-sqlite3."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path


def found(pattern, path):
    """The one group of a pattern in a file."""
    return re.search(pattern, Path(path).read_text())[1]


zig, sqlite = sys.argv[1].split(), Path(sys.argv[2])
about = subprocess.run([*zig, "env"], check=True, capture_output=True, text=True).stdout
musl = Path(re.search(r'\.lib_dir = "(.*)"', about)[1], "libc/musl/src/internal/version.h")


def component(kind, name, version=None, licence=None, **more):
    purl = f"pkg:{kind}/{name}" + (f"@{version}" if version else "")
    out = {"bom-ref": purl, "type": "library", "name": name, "purl": purl, **more}
    if version:
        out["version"] = version
    if licence:
        out["licenses"] = [{"license": {"id": licence}}]
    return out


bom = json.load(sys.stdin)
root = bom["metadata"]["component"]["bom-ref"]
linked = [
    component("generic", "sqlite", found(r'#define SQLITE_VERSION +"(.*)"', sqlite / "sqlite3-binding.h"), "blessing"),
    component("generic", "musl", found(r'"(.*)"', musl), "MIT"),
]
beside = [
    component("pypi", "kernelboosting-bench", found(r'__version__ = "(.*)"', "cmd/python/bench/__init__.py"), "MIT", scope="optional"),
]
for folder in "cmd/python", "methods/external/python":
    project = tomllib.loads(Path(folder, "pyproject.toml").read_text())["project"]
    if "version" in project:
        beside.append(component("pypi", project["name"], project["version"], "MIT", scope="optional"))
    wanted = project["dependencies"] + [name for extra in project.get("optional-dependencies", {}).values() for name in extra]
    beside += [component("pypi", name, scope="optional", description="of any version; the Python packages use it, and do not hold it")
               for name in wanted]
beside = list({c["bom-ref"]: c for c in beside}.values())
bom["components"] += linked + beside
bom["dependencies"] += [{"ref": c["bom-ref"]} for c in linked + beside]
for of in bom["dependencies"]:
    if of["ref"] == root:
        of["dependsOn"] = sorted(of.get("dependsOn", []) + [c["bom-ref"] for c in linked])
version = subprocess.run([*zig, "version"], check=True, capture_output=True, text=True).stdout.strip()
bom["metadata"]["tools"].append({"name": "zig cc", "version": version})
json.dump(bom, sys.stdout, indent=2, ensure_ascii=False)
print()
