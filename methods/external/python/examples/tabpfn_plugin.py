"""TabPFN, which fits nothing: weights that were trained before come from tabpfn.ckpt beside this file."""

import os

from benchplugin import serve
from tabpfn import TabPFNClassifier

weights = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tabpfn.ckpt")
serve(
    TabPFNClassifier(model_path=weights, device="cpu", random_state=1), name="TabPFN",
    source="Hollmann et al. 2025, the library itself", files=["tabpfn.ckpt"], gaps=True,
)
