# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from anfora.communication.world import GlobalComm as GlobalComm
from anfora.communication.world import create_group as create_group
from anfora.communication.world import destroy_group as destroy_group
from anfora.communication.world import get_comm_name as get_comm_name
from anfora.communication.world import get_group_rank_from_world_rank as get_group_rank_from_world_rank
from anfora.communication.world import get_group_size as get_group_size
from anfora.communication.world import get_local_rank as get_local_rank
from anfora.communication.world import get_local_rank_size as get_local_rank_size
from anfora.communication.world import get_process_group_ranks as get_process_group_ranks
from anfora.communication.world import get_rank as get_rank
from anfora.communication.world import get_world_rank_from_group_rank as get_world_rank_from_group_rank
from anfora.communication.world import init as init
from anfora.communication.world import release as release

HCCL_WORLD_COMM_GROUP: builtins.str

MCCL_WORLD_COMM_GROUP: builtins.str

NCCL_WORLD_COMM_GROUP: builtins.str
