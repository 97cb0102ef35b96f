"""ChimeraBoost is compiled by Numba in each new process. Numba's threads and its cache of files would forbid that copies of one
process serve the cells, so that each cell would compile it again. Without them one process compiles it, by fits before serve."""

import numba
import numpy as np
from benchplugin import serve

njit = numba.njit
numba.njit = lambda *function, cache=False, parallel=False, **options: njit(*function, **options)

from chimeraboost import ChimeraBoostClassifier  # noqa: E402

model = ChimeraBoostClassifier(n_estimators=50, early_stopping=False, thread_count=1)
for classes in 2, 3:
    model.fit(np.arange(40.0).reshape(20, 2), np.arange(20) % classes).predict_proba(np.zeros((2, 2)))
serve(model, grid={"depth": [4, 6]}, name="ChimeraBoost", source="the library itself, after CatBoost")
