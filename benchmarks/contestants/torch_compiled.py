"""PyTorch: torch.compile, channels last."""

from __future__ import annotations

import torch_eager

torch_eager.COMPILED = torch_eager.CHANNELS_LAST = True
WORKLOADS = {name: w for name, w in torch_eager.WORKLOADS.items() if not name.startswith("eager_chain")}
