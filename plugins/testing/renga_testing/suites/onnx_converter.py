"""`OnnxConverterSuite`: the kit of converters to ONNX. How to write one: docs/how-to/write-an-onnx-converter.md."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from renga_core.graph import FunctionNode, as_array
from renga_core.plugin.provider import resolve
from renga_core.plugin.state import describe_error
from renga_core.settings import using
from renga_testing.every_backend import many
from renga_testing.suites.called import CalledSuite
from renga_testing.suites.comparing import compare
from renga_testing.suites.global_state import start_random
from renga_testing.suites.suite import needs

__all__ = ["OnnxConverterSuite"]

Host = np.ndarray[Any, Any]

_NEWEST = 21


class OnnxConverterSuite(CalledSuite):
    """Tests of a converter: the description's `call` is exported, and another program computes the model.

    This program is onnxruntime if it is installed and has the operators, else onnx's reference evaluator.
    """

    kind = "onnx_converter"
    extras: ClassVar[Mapping[str, str]] = {"batch": "the first axis of all inputs may have any size"}
    tolerances: ClassVar[Mapping[str, float]] = {"float32": 1e-5, "float64": 1e-10}

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Generate tests for versions of ONNX's operators, and dtypes of inputs."""
        return {"opset": range(13, _NEWEST + 1), "dtype": ("float32", "float64")}

    def network(self, *variables: Any) -> Any:
        """Call the function in the description's `call` with Variables in the order of `make_inputs`."""
        start_random()
        given = self.arguments(variables)
        return self._outputs_of(self._function(*given.by_place, **{**given.by_name, **self.options}))

    def computed(self, model: Any, inputs: Mapping[str, Host]) -> Sequence[Host]:
        """The outputs of an exported model. Override it if no installed program has the operators."""
        from onnx.reference import ReferenceEvaluator

        try:
            import onnxruntime
        except ImportError:
            return list(ReferenceEvaluator(model).run(None, dict(inputs)))
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:  # mostly operators in double precision
            return list(ReferenceEvaluator(model).run(None, dict(inputs)))
        return list(session.run(None, dict(inputs)))

    def guessable(self) -> tuple[Callable[..., Any], Callable[..., Any], Mapping[str, Any]]:
        """The kit's inputs, as the last arguments of `guess`."""
        return partial(self._function, **self.options), self._function, self.options

    def prepare(self) -> None:
        """Import the exported function and its converter."""
        super().prepare()
        resolve("renga_onnx.exporting.network:export")
        resolve("renga_onnx.exporting.choosing:Converters.known")({})

    # --- the description ---------------------------------------------------------------------------------------------

    def test_function(self) -> None:
        """The description's `function` names the class and its module, and `call` applies it."""
        described = self._described.function
        variables = self._variables(self._inputs())  # first, because guessing calls the function too
        with resolve("renga_onnx.exporting.recording:Recorder")() as recorder:
            self.network(*variables)
        names = [getattr(each.function, "onnx_name", _path(type(each.function))) for each in recorder.applied]
        if ":" in described:
            try:
                cls = resolve(described)
            except Exception as error:
                raise AssertionError(f"function {described!r} cannot be imported: {describe_error(error)}") from error
            is_node = isinstance(cls, type) and issubclass(cls, FunctionNode)
            assert is_node, f"function {described!r} is {cls!r}; expected a class of FunctionNode"
            assert described == _path(cls), f"function is {described!r}; the class is defined in {_path(cls)!r}"
        assert described in names, (
            f"call {self._described.call!r} applies {', '.join(dict.fromkeys(names)) or 'no function'}; "
            f"expected {described}"
        )

    # --- the graph ---------------------------------------------------------------------------------------------------

    def test_values(self, opset: int) -> None:
        """For inputs with other values than in the export, the model and Renga compute the same."""
        if opset < self._described.opset:
            self._refused(opset)
            return
        self._compare(self._exported(opset), self._inputs(seed=1), f"with opset {opset}")

    def test_dtypes(self, dtype: str) -> None:
        """In single and double precision the model computes the same, and outputs have the same dtype."""
        model = self._exported(_NEWEST, self._inputs(dtype=dtype))
        self._check_types(model, f"in {dtype}")
        self._compare(model, self._inputs(dtype=dtype, seed=1), f"in {dtype}", dtype)

    @needs("batch")
    def test_batch(self) -> None:
        """Exported with a named first axis, the model computes the same for other sizes of it."""
        inputs = self._inputs()
        for opset in (self._described.opset, _NEWEST):
            shapes = [("batch", *x.shape[1:]) for x in inputs]
            model = self._exported(opset, input_shapes=shapes)
            for rows in (1, len(inputs[0]) + 3):
                others = [np.resize(x, (rows, *x.shape[1:])) for x in self._inputs(seed=1)]
                self._compare(model, others, f"with opset {opset}, exported for any size of the first axis, for {rows}")

    def test_applied_twice(self) -> None:
        """In a graph with two calls of the function, results are correct, and nodes and arrays have unique names."""
        first, second = self._inputs(), self._inputs(seed=1)

        def twice(*variables: Any) -> tuple[Any, ...]:
            parts = variables[: len(first)], variables[len(first) :]
            return tuple(y for part in parts for y in many(self.network(*part)))

        model = self._exported(_NEWEST, [*first, *second], twice)
        counts = Counter(node.name for node in model.graph.node if node.name)
        repeated = [name for name, count in counts.items() if count > 1]
        assert not repeated, (
            f"{self.label} gives two nodes of a graph the name {repeated[0]!r}: write nodes by call.op, or take "
            f"names from call.context.fresh"
        )
        given = [*self._inputs(seed=2), *self._inputs(seed=3)]
        self._compare(model, given, "in a graph with two calls of the function", network=twice)

    def test_well_formed(self, opset: int) -> None:
        """onnx's checker accepts the model: operators and attributes of this opset, shapes, dtypes, order of nodes."""
        self._check_types(self._exported(max(opset, self._described.opset)), f"with opset {opset}")

    def test_same_again(self) -> None:
        """A second export, after one with other values, gives the same model byte for byte."""
        first = self._exported(_NEWEST).SerializeToString(deterministic=True)
        self._exported(_NEWEST, self._inputs(seed=1))
        again = self._exported(_NEWEST).SerializeToString(deterministic=True)
        assert first == again, f"{self.label}: a second export gives a different model"

    def test_function_is_unchanged(self) -> None:
        """After an export, the function still computes the same."""
        right = [np.array(as_array(y)) for y in many(self.network(*self._variables(self._inputs())))]
        self._exported(_NEWEST)
        for i, (y, before) in enumerate(zip(many(self.network(*self._variables(self._inputs()))), right, strict=True)):
            compare(y.array, before, f"output {i} of the function after it was exported", exact=True)

    # --- helpers -----------------------------------------------------------------------------------------------------

    @property
    def _described(self) -> Any:
        return self.offer.provider

    @property
    def _function(self) -> Callable[..., Any]:
        try:
            found: Callable[..., Any] = resolve(self._described.call)
        except Exception as error:
            raise AssertionError(
                f"call {self._described.call!r} cannot be imported: {describe_error(error)}"
            ) from error
        return found

    def _export(self, opset: int, inputs: Sequence[Host], network: Callable[..., Any], **arguments: Any) -> Any:
        # Other plugins may offer a converter of the same function, so this one is selected.
        preferred = {f"prefer.onnx_converter.{self.offer.name}": self.offer.plugin.name}
        with using(preferred), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about values, which have their own tests
            return resolve("renga_onnx.exporting.network:export")(
                network, list(inputs), opset_version=opset, **arguments
            )

    def _exported(
        self,
        opset: int,
        inputs: Sequence[Host] | None = None,
        network: Callable[..., Any] | None = None,
        **arguments: Any,
    ) -> Any:
        try:
            return self._export(opset, inputs or self._inputs(), network or self.network, **arguments)
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError(f"exporting with opset {opset} raises {_short(error)}") from error

    def _refused(self, opset: int) -> None:
        said = ""
        try:
            self._export(opset, self._inputs(), self.network)
        except Exception as error:
            said = _short(error)
        assert said, f"opset {opset} is older than the declared one, but the export raises no error"
        assert str(opset) in said, f"opset {opset}, which is too old, raises {said}"

    def _check_types(self, model: Any, how: str) -> None:
        from onnx import checker

        try:
            checker.check_model(model, full_check=True)
        except Exception as error:
            raise AssertionError(
                f"{self.label}, {how}, makes a model that onnx's checker refuses: {_short(error)}"
            ) from error

    def _compare(
        self,
        model: Any,
        inputs: Sequence[Host],
        how: str,
        dtype: str = "float32",
        network: Callable[..., Any] | None = None,
    ) -> None:
        names = [value.name for value in model.graph.input]
        try:
            found = self.computed(model, dict(zip(names, inputs, strict=True)))
        except Exception as error:
            raise AssertionError(f"the model, exported {how}, cannot be computed: {_short(error)}") from error
        right = many((network or self.network)(*self._variables(inputs)))
        for i, (y, expected) in enumerate(zip(found, right, strict=True)):
            compare(y, as_array(expected), f"output {i} of the model, exported {how}", self.tolerances[dtype])


def _path(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def _short(error: Exception) -> str:
    """Return an error in one line: onnx's errors contain whole nodes."""
    return " ".join(describe_error(error).split())[:300]
