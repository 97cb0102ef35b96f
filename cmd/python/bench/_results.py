"""Runs, and what is asked of their results."""

import json
import os
import signal
import warnings

from ._plugin import as_plugin
from ._program import Error, INCOMPLETE, INTERRUPTED, call, flags, last_words, watched


def run(methods=None, datasets=None, *, protocol="table2", splits=None, jobs=None, db="results.db",
        force=False, **options):
    """Runs methods on data sets under a protocol, stores every evaluation in a database, and returns the Results.

    methods   names of methods and groups; classes and estimators, which become plugins (see `method`)
    datasets  names of sets and groups, paths of TOML files, what `dataset` returns
    splits    20 for the first 20, "4-6" for a range
    force     replaces a file in `plugins/` that was edited, or that somebody else wrote
    options   other flags of `bench run`, such as timeout="10m", keep="models", yes=True

    What is stored already is not run again. With neither methods nor datasets the program takes all.
    """
    files, names = [], []
    for m in methods or ():
        if isinstance(m, str):
            names.append(m)
            continue
        name, file = as_plugin(m, os.path.join(os.path.dirname(db), "plugins"), force)
        names.append(name)
        files.append(file)
    arguments = ["run", "--db", db, "--protocol", protocol]
    for file in files:
        arguments += ["--plugin", file]
    arguments += flags({"methods": names or None, "datasets": listed(datasets), "splits": splits, "jobs": jobs, **options})
    if not names and not datasets:
        arguments.append("--all")
    code, lines = watched(arguments)
    if code in (INTERRUPTED, -signal.SIGINT):
        raise KeyboardInterrupt("the run was interrupted; the same call continues it")
    if code == INCOMPLETE:
        warnings.warn(lines[-1] if lines else "some cells failed or are missing", stacklevel=2)
    elif code:
        raise Error(last_words("\n".join(lines)))
    return Results(db, protocol=protocol, methods=names or None, datasets=listed(datasets), splits=splits)


def results(db="results.db", *, protocol="table2", methods=None, datasets=None, splits=None):
    """The Results that a database holds: of a run of before, in a terminal too."""
    if not os.path.exists(db):
        raise Error(f"there is no database {db}")
    return Results(db, protocol=protocol, methods=methods, datasets=listed(datasets), splits=splits)


def listed(datasets):
    return None if datasets is None else [os.fspath(d) for d in datasets]


def quoted(values):
    return ", ".join("'" + str(value).replace("'", "''") + "'" for value in values)


class Results:
    """Results of a database, and the selection of them that a run was for."""

    def __init__(self, db, **selection):
        self.db, self.selection = db, {name: value for name, value in selection.items() if value is not None}

    def query(self, sql):
        """The answer to a question in SQL, as a pandas frame. docs/reference/results-schema.md describes the views."""
        from pandas import DataFrame

        return DataFrame(json.loads(call("query", "--db", self.db, "--format", "json", sql)))

    @property
    def frame(self):
        """A row for each cell of these methods, sets and splits, as a pandas frame; failed ones too."""
        cells = json.loads(self.table().as_("json"))["records"]["cells"]
        names = {key: sorted({cell[key] for cell in cells}) for key in ("protocol", "method", "dataset")}
        where = " AND ".join(f"{key} IN ({quoted(values)})" for key, values in names.items())
        if "splits" in self.selection:
            first, _, last = str(self.selection["splits"]).rpartition("-")
            where += f" AND split BETWEEN {int(first or 1)} AND {int(last)}"
        return self.query(f"SELECT * FROM results WHERE {where} ORDER BY dataset, method, split")

    def report(self, name, **options):
        """A report by its name, such as accuracy, leaderboard, ranks, cd or times, of these results; options are its flags."""
        return Report(self.db, ["report", name], {**self.selection, **options})

    def table(self, **options):
        """Means and standard deviations, a row for each set."""
        return self.report("accuracy", **options)

    def compare(self, method, *others, **options):
        """The verdict: is the method better than others, and how sure is that?"""
        chosen = {name: value for name, value in self.selection.items() if name != "methods"}
        return Report(self.db, ["compare", method, *others], {**chosen, **options})

    def _repr_markdown_(self):
        return self.report("leaderboard")._repr_markdown_()

    def __repr__(self):
        said = ", ".join(f"{name}={value!r}" for name, value in self.selection.items())
        return f"bench.Results({self.db!r}, {said})"


class Report:
    """A report: text where it is printed, a table in a notebook, a figure by `figure`, a file by `save`."""

    def __init__(self, db, command, options):
        self.db, self.command, self.options = db, command, options

    def as_(self, form):
        """The report in a format of the program: text, md, latex, html, csv, json, svg."""
        return call(*self.command, "--db", self.db, "--format", form, *flags(self.options))

    def figure(self, **options):
        """The report's figure; a notebook shows it."""
        return Figure(Report(self.db, self.command, {**self.options, **options}))

    def save(self, file, **options):
        """Writes the report in the format of the file's ending: .txt, .md, .tex, .html, .csv, .json, .svg, .pdf, .png.

        A file that the program did not write, or that was edited since, is replaced by force=True alone."""
        call(*self.command, "--db", self.db, "-o", file, *flags({**self.options, **options}))

    def __str__(self):
        return self.as_("text")

    __repr__ = __str__

    def _repr_markdown_(self):
        return self.as_("md")


class Figure:
    """A drawing, as the text of an SVG file; `save` is that of the report, for .svg, .pdf and .png."""

    def __init__(self, report):
        self.svg, self.save = report.as_("svg"), report.save

    def _repr_svg_(self):
        return self.svg
