"""bench from Python: is my new kernel or boosting method really better?

    import bench

    found = bench.run(methods=[MyBoost, "LGBM", "SVM"], datasets=["wine", "sonar"])
    found.frame                # a row for each cell, as a pandas frame
    found.compare("MyBoost")   # the verdict

This package runs the program `bench` and reads its answers. All that is computed is computed by the
program, and stored in the database beside which it runs: what was run here is found by `bench` in a
terminal, and the other way round. A method is its name, or a class or an estimator, which becomes a file in
`plugins/`. Results as frames need pandas; nothing else does.
"""

from ._data import dataset, fetch
from ._plugin import method
from ._program import Error, call, program
from ._results import Report, Results, results, run

__all__ = ["run", "results", "method", "dataset", "fetch", "call", "program", "Results", "Report", "Error"]
__version__ = "0.1.0.dev0"
