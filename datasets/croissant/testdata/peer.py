"""Read descriptions with mlcroissant. For each, print what validation says and all records as JSON, and write it again.

    python peer.py DESCRIPTION ...
"""

import json
import logging
import sys

import mlcroissant

logging.disable()


def value(x):
    """Text comes as bytes, and dates as those of pandas."""
    if isinstance(x, bytes):
        return x.decode()
    return x.isoformat() if hasattr(x, "isoformat") else x


out = []
for path in sys.argv[1:]:
    data = mlcroissant.Dataset(jsonld=path)
    issues = data.metadata.ctx.issues
    out.append({
        "errors": sorted(issues.errors),
        "warnings": sorted(issues.warnings),
        "records": [{k: value(v) for k, v in r.items()} for r in data.records("rows")],
        "splits": list(data.records("splits")),
    })
    with open(path, "w") as f:
        json.dump(data.metadata.to_json(), f)
json.dump(out, sys.stdout)
