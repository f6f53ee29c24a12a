"""What every communicator can do."""

import inspect

from renga_core.communicator import CommunicatorBase


def test_signatures_follow_chainermn() -> None:
    parameters = {
        name: list(inspect.signature(function).parameters)[1:]
        for name, function in vars(CommunicatorBase).items()
        if inspect.isfunction(function) and not name.startswith("_")
    }
    extra = {
        "agree",
        "allgather_obj",
        "barrier",
        "copy_config",
        "imean",
        "mean",
        "mean_of_donated",
        "reduce_scatter",
        "share",
    }
    assert {name: names for name, names in parameters.items() if name not in extra} == {
        "split": ["color", "key"],
        "send": ["data", "dest", "tag"],
        "recv": ["source", "tag"],
        "bcast": ["data", "max_buf_len", "root"],
        "gather": ["data", "root"],
        "allgather": ["x"],
        "alltoall": ["xs"],
        "scatter": ["xs", "root"],
        "allreduce": ["data"],
        "send_obj": ["obj", "dest", "tag"],
        "recv_obj": ["source", "tag"],
        "bcast_obj": ["obj", "max_buf_len", "root"],
        "gather_obj": ["obj", "root"],
        "allreduce_obj": ["obj"],
        "bcast_data": ["model"],
        "broadcast_data": ["model"],
        "allreduce_grad": ["model", "zero_fill"],
        "set_config": ["name", "value"],
        "get_config": ["name"],
        "multi_node_mean_grad": ["model", "zero_fill"],
        "finalize": [],
    }
