"""ChimeraBoost compiles itself in each new process, which takes 15 s. A fit before serve does that once for all processes that
are copies of this one. They may not write the cache of this one, so that there is none."""

import os

import numpy as np
from benchplugin import serve
from numba.core.dispatcher import Dispatcher

os.environ["NUMBA_THREADING_LAYER"] = "workqueue"  # which copies of a process may use
Dispatcher.enable_caching = lambda self: None

from chimeraboost import ChimeraBoostClassifier  # noqa: E402

model = ChimeraBoostClassifier(n_estimators=50, early_stopping=False, thread_count=1)
model.fit(np.arange(40.0).reshape(20, 2), np.arange(20) % 2).predict_proba(np.zeros((2, 2)))
serve(model, grid={"depth": [4, 6]}, name="ChimeraBoost", source="the library itself, after CatBoost")
