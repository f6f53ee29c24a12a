# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_distributed.functions import allgather as allgather
from renga_distributed.functions import allreduce as allreduce
from renga_distributed.functions import alltoall as alltoall
from renga_distributed.functions import bcast as bcast
from renga_distributed.functions import gather as gather
from renga_distributed.functions import pseudo_connect as pseudo_connect
from renga_distributed.functions import recv as recv
from renga_distributed.functions import scatter as scatter
from renga_distributed.functions import send as send

__all__ = [
    "allgather",
    "allreduce",
    "alltoall",
    "bcast",
    "gather",
    "pseudo_connect",
    "recv",
    "scatter",
    "send",
]
