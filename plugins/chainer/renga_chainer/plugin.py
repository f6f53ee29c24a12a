"""What the package registers: the commands ``renga run-chainer`` and ``renga port``, Chainer's npz files, and names."""

from renga_core.plugin import Namespace, Provider, hookimpl


@hookimpl
def renga_commands() -> list[Provider]:
    """The commands `run-chainer` and `port`."""
    return [
        Provider(
            name="run-chainer",
            target="renga_chainer.runner:run",
            revision=1,
            summary="run a program written for Chainer",
        ),
        Provider(
            name="port",
            target="renga_chainer.port.command:run",
            revision=1,
            summary="rewrite a program for Chainer to Renga's own API",
        ),
    ]


@hookimpl
def renga_file_formats() -> list[Provider]:
    """npz files of Chainer. They have the suffix of Renga's npz files, so users name this format explicitly."""
    return [
        Provider(
            name="chainer_npz",
            target="renga_chainer.npz:ChainerNpzFormat",
            revision=1,
            summary="Chainer's npz files; pickled parts in them are read as data, without running code",
            capabilities=frozenset({"by_name"}),
        )
    ]


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """Names of Chainer in Renga's own API."""
    return [
        Namespace(
            "renga",
            names={
                "renga_chainer.backend": "get_array_types get_cpu_array_types is_arrays_compatible",
                "renga_chainer.runtime_info": "print_runtime_info should_use_cudnn should_use_cudnn_tensor_core",
            },
        ),
        Namespace(
            "renga.backend",
            names={"renga_chainer.backend": "CpuDevice GpuDevice copyto from_chx get_device_from_array to_chx"},
        ),
        Namespace("renga.serializers", names={"renga_chainer.npz": "load_chainer_npz"}),
        Namespace(
            "renga.utils",
            names={
                "renga_chainer.utils": (
                    "enable_final experimental final force_array force_type nondeterministic size_of_shape sum_to "
                    "tempdir"
                )
            },
        ),
    ]
