"""TabICL, which fits nothing: weights that were trained before come from tabicl.ckpt beside this file."""

import os

from benchplugin import serve
from tabicl import TabICLClassifier

weights = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tabicl.ckpt")
serve(
    TabICLClassifier(model_path=weights, allow_auto_download=False, device="cpu", random_state=1, n_jobs=1),
    name="TabICL", source="Qu et al. 2025, the library itself", files=["tabicl.ckpt"], gaps=True,
)
