"""What this package offers."""

from renga_core.plugin import Namespace, Provider, hookimpl


@hookimpl
def renga_communicators() -> list[Provider]:
    """Communicators without further requirements."""
    return [
        Provider(
            name="single",
            target="renga_distributed.single:SingleCommunicator",
            revision=1,
            summary="one process, alone",
        ),
        Provider(
            name="threads",
            target="renga_distributed.threads:ThreadsCommunicator",
            revision=1,
            summary="ranks are threads of one process, for debugging and tests",
        ),
    ]


@hookimpl
def renga_extensions() -> list[Provider]:
    """Extensions for run files."""
    return [
        Provider(
            name="learning_rate_warmup",
            target="renga_distributed.extensions:LearningRateWarmup",
            revision=1,
            summary="Scales the learning rate for large batches, with a gradual warm-up",
        )
    ]


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """Training with several processes: `renga.distributed`."""
    package = "renga_distributed"
    return [
        Namespace(
            "renga.distributed",
            names={
                f"{package}.checkpoints": "CheckpointError MultiNodeCheckpointer create_multi_node_checkpointer",
                f"{package}.create": "create_communicator",
                f"{package}.datasets": "DataSizeError create_empty_dataset scatter_dataset scatter_index",
                f"{package}.extensions": (
                    "AllreducePersistent GenericMultiNodeEvaluator LearningRateWarmup MultiNodeEarlyStoppingTrigger "
                    "ObservationAggregator RankSynchronizer create_multi_node_evaluator multi_node_snapshot"
                ),
                f"{package}.iterators": "MultiNodeIterator create_multi_node_iterator create_synchronized_iterator",
                f"{package}.links": "MultiNodeChainList",
                f"{package}.optimizers": "MultiNodeOptimizer create_multi_node_optimizer",
                f"{package}.recovery": "Recovery TrainerRecovery build_and_run take_place",
                f"{package}.single": "SingleCommunicator",
                f"{package}.threads": "ThreadsCommunicator launch",
            },
        ),
        Namespace(
            "renga.distributed.functions",
            names={
                f"{package}.functions": ("allgather allreduce alltoall bcast gather pseudo_connect recv scatter send")
            },
        ),
        Namespace(
            "renga.distributed.links",
            names={
                f"{package}.links": (
                    "MultiNodeBatchNormalization MultiNodeChainList create_mnbn_model create_multi_node_n_step_rnn"
                )
            },
        ),
        Namespace(
            "renga.distributed.scale_model",
            names={
                f"{package}.scale_model": (
                    "ALGORITHMS CONSTANTS Calibration Cluster DrawingError Failures Fit LINKS Link MEASURED MODELS "
                    "Prediction Published Recovery SCHEDULES Step WAYS WIRE_DTYPES allreduce_time calibrate draw "
                    "expected_maximum predict predict_failures published"
                )
            },
        ),
    ]
