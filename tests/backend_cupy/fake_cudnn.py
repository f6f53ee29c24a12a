"""A stand-in for cuDNN's frontend on machines without a GPU: its graphs are checked, and computed with NumPy."""

import ctypes
import types

import numpy as np


class NotSupported(Exception):
    """Stands for cudnnGraphNotSupportedError."""


class Tensor:
    def __init__(self, dim=None, stride=None, data_type=None, is_pass_by_value=False):
        self.dim, self.stride, self.type, self.uid = dim, stride, data_type, None
        self.by_value, self.output = is_pass_by_value, False

    def set_uid(self, uid):
        self.uid = uid
        return self

    def set_output(self, output):
        self.output = output
        return self

    def set_data_type(self, kind):
        self.type = kind
        return self

    def set_dim(self, dim):
        self.dim = dim
        return self

    def set_stride(self, stride):
        self.stride = stride
        return self

    def view(self, pointers):
        """The memory that the pointer and the description name, as an array."""
        dtype = np.dtype(self.type)
        reach = sum((n - 1) * s for n, s in zip(self.dim, self.stride, strict=True)) + 1
        memory = (ctypes.c_char * (reach * dtype.itemsize)).from_address(pointers[self.uid])
        flat = np.frombuffer(memory, dtype)
        return np.lib.stride_tricks.as_strided(flat, self.dim, [s * dtype.itemsize for s in self.stride])


class PyGraph:
    """Says what is asked of it, and computes it slowly."""

    refuse = False
    refuse_execution = None
    built = 0
    serialized = None  # a dictionary of graphs, if they can be serialized

    def __init__(self, io_data_type=None, intermediate_data_type=None, compute_data_type=None, handle=None):
        self.compute = compute_data_type
        self.calls = []

    def serialize(self):
        if PyGraph.serialized is None:
            raise NotSupported("this engine cannot be serialized")
        assert "check_support" in self.calls, "the real one ends the process"
        PyGraph.serialized[len(PyGraph.serialized)] = self
        return list(b"plan %d" % (len(PyGraph.serialized) - 1))

    def deserialize(self, handle, data):
        assert handle == "handle"
        assert isinstance(data, list), "the real one does not take bytes"
        word, number = bytes(data).split()
        if word != b"plan":
            raise RuntimeError("[json.exception.parse_error.112] parse error")
        self.__dict__.update(PyGraph.serialized[int(number)].__dict__)

    def tensor(self, **description):
        return Tensor(**description)

    def _node(self, name, outputs, **args):
        self.name, self.args, self.made = name, args, [Tensor() for _ in range(outputs)]
        return self.made

    def conv_fprop(self, **args):
        return self._node("fprop", 1, **args)[0]

    def conv_dgrad(self, **args):
        return self._node("dgrad", 1, **args)[0]

    def conv_wgrad(self, **args):
        return self._node("wgrad", 1, **args)[0]

    def batchnorm(self, **args):
        return self._node("norm", 5, **args)

    def batchnorm_backward(self, **args):
        return self._node("norm_backward", 3, **args)

    def sdpa(self, **args):
        assert args["generate_stats"] is True
        return self._node("attend", 2, **args)

    def sdpa_backward(self, **args):
        assert args["use_deterministic_algorithm"] is True
        return self._node("attend_backward", 3, **args)

    def validate(self):
        self.calls.append("validate")

    def build_operation_graph(self):
        self.calls.append("build_operation_graph")

    def create_execution_plans(self, modes):
        self.calls.append("create_execution_plans")

    def deselect_workspace_greater_than(self, size):
        self.calls.append("deselect_workspace")

    def deselect_numeric_notes(self, notes):
        self.calls.append("deselect_notes")
        self.notes = notes

    def check_support(self):
        if PyGraph.refuse:
            raise PyGraph.refuse if isinstance(PyGraph.refuse, Exception) else NotSupported("no engine")
        self.calls.append("check_support")

    def build_plans(self):
        order = "validate build_operation_graph create_execution_plans deselect_workspace deselect_notes check_support"
        assert self.calls == order.split()
        PyGraph.built += 1
        PyGraph.last = self

    def get_workspace_size(self):
        return 0

    def execute(self, pointers, workspace, handle):
        assert handle == "handle"
        assert all(type(p) is int for p in (*pointers.values(), workspace))
        if PyGraph.refuse_execution is not None:
            raise PyGraph.refuse_execution
        tensors = [t for t in (*self.args.values(), *self.made) if isinstance(t, Tensor) and not t.by_value]
        assert all(pointers[tensor.uid] % 16 == 0 for tensor in tensors), "misaligned address"
        given = {k: v.view(pointers) for k, v in self.args.items() if isinstance(v, Tensor)}
        assert all(tensor.output for tensor in self.made)
        results = [tensor.view(pointers) for tensor in self.made]
        getattr(self, self.name)(given, *results)

    def geometry(self, x, w, y):
        """That sizes fit together is what cuDNN insists on."""
        a = self.args
        assert a["pre_padding"] == a["post_padding"]
        axes = zip(x[2:], w[2:], a["pre_padding"], a["stride"], a["dilation"], strict=True)
        assert tuple(y[2:]) == tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, p, s, d in axes)
        groups = x[1] // w[1]
        assert (x[1], y[1], x[0]) == (w[1] * groups, w[0], y[0])
        return tuple(a["stride"]), tuple(a["pre_padding"]), tuple(a["dilation"]), groups

    def fprop(self, given, y):
        x, w = given["image"], given["weight"]
        y[...] = PyGraph.reference.convolution(x, w, None, *self.geometry(x.shape, w.shape, y.shape), y.shape[2:])

    def dgrad(self, given, x):
        y, w = given["loss"], given["filter"]
        x[...] = PyGraph.reference.deconvolution(y, w, None, *self.geometry(x.shape, w.shape, y.shape), x.shape[2:])

    def wgrad(self, given, w):
        x, y = given["image"], given["loss"]
        geometry = self.geometry(x.shape, w.shape, y.shape)
        w[...] = PyGraph.reference.filter_gradient(x, y, *geometry, w.shape[2:])

    def norm(self, given, y, mean, inv_std, next_mean, next_var):
        x, axes = given["input"].astype(np.float64), (0, *range(2, given["input"].ndim))
        count, momentum = x.size // x.shape[1], given["momentum"].item()
        mean[...] = x.mean(axis=axes, keepdims=True)
        var = x.var(axis=axes, keepdims=True)
        inv_std[...] = 1 / np.sqrt(var + given["epsilon"].item())
        y[...] = (x - mean) * inv_std * given["scale"] + given["bias"]
        next_mean[...] = given["in_running_mean"] * (1 - momentum) + mean * momentum
        next_var[...] = given["in_running_var"] * (1 - momentum) + var * count / (count - 1) * momentum

    def norm_backward(self, given, gx, ggamma, gbeta):
        x, gy = given["input"].astype(np.float64), given["grad"].astype(np.float64)
        axes = (0, *range(2, x.ndim))
        normal = (x - given["mean"]) * given["inv_variance"]
        gbeta[...] = gy.sum(axis=axes, keepdims=True)
        ggamma[...] = (gy * normal).sum(axis=axes, keepdims=True)
        share = x.shape[1] / x.size
        gx[...] = given["scale"] * given["inv_variance"] * (gy - share * (gbeta + normal * ggamma))

    def weights(self, given):
        scores = np.einsum("bhtd,bhsd->bhts", given["q"].astype(float), given["k"].astype(float))
        scores *= self.args["attn_scale"]
        if "diagonal_band_right_bound" in self.args:
            bound, alignment = self.args["diagonal_band_right_bound"], self.args["diagonal_alignment"]
            assert (bound, alignment) == (0, "TOP_LEFT")
            scores[..., ~np.tri(*scores.shape[-2:], dtype=bool)] = -np.inf
        largest = scores.max(axis=-1, keepdims=True)
        sums = np.log(np.exp(scores - largest).sum(axis=-1, keepdims=True)) + largest
        return np.exp(scores - sums), sums

    def attend(self, given, o, stats):
        weights, stats[...] = self.weights(given)
        o[...] = weights @ given["v"].astype(float)

    def attend_backward(self, given, gq, gk, gv):
        weights, sums = self.weights(given)
        np.testing.assert_allclose(given["stats"], sums, rtol=1e-5, atol=1e-5)
        go = given["dO"].astype(float)
        g = weights * (go @ given["v"].astype(float).swapaxes(-1, -2) - (go * given["o"]).sum(axis=-1, keepdims=True))
        g *= self.args["attn_scale"]
        gq[...], gk[...] = g @ given["k"].astype(float), g.swapaxes(-1, -2) @ given["q"].astype(float)
        gv[...] = weights.swapaxes(-1, -2) @ go


def cudnn():
    module = types.ModuleType("cudnn")
    module.pygraph, module.cudnnGraphNotSupportedError = PyGraph, NotSupported
    module.backend_version, module.__version__ = lambda: 92800, "1.28.0"
    module.create_handle = lambda: "handle"
    module.set_stream = lambda handle, stream: None
    module.data_type = types.SimpleNamespace(HALF="float16", BFLOAT16="bfloat16", FLOAT="float32", DOUBLE="float64")
    module.heur_mode = types.SimpleNamespace(A="A", FALLBACK="FALLBACK")
    module.diagonal_alignment = types.SimpleNamespace(TOP_LEFT="TOP_LEFT")
    names = ("NONDETERMINISTIC", "TENSOR_CORE", "DOWN_CONVERT_INPUTS")
    module.numerical_note = types.SimpleNamespace(**{name: name for name in names})
    return {"cudnn": module}
