"""Writes weights of random numbers for the plugin of tabicl or tabpfn: weights.py NAME FILE SEED"""

import dataclasses
import sys

import torch

torch.manual_seed(int(sys.argv[3]))
if sys.argv[1] == "tabicl":
    from tabicl._model.tabicl import TabICL
    config = dict(embed_dim=16, col_num_blocks=1, col_nhead=2, col_num_inds=8, row_num_blocks=1, row_nhead=2,
                  row_num_cls=2, icl_num_blocks=1, icl_nhead=2)
    model, more = TabICL(**config), {}
else:
    from tabpfn.architectures import ARCHITECTURES
    kind = ARCHITECTURES["tabpfn_v2"]
    parsed, _ = kind.parse_config(dict(emsize=24, nlayers=1, nhead=2, max_num_classes=10, num_buckets=10))
    config, more = dataclasses.asdict(parsed), {"architecture_name": "tabpfn_v2"}
    model = kind.get_architecture(parsed)
torch.save({"config": config, "state_dict": model.state_dict(), **more}, sys.argv[2])
