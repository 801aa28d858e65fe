"""PyTorch: channels last."""

from __future__ import annotations

import torch_eager

torch_eager.CHANNELS_LAST = True
WORKLOADS = torch_eager.WORKLOADS
