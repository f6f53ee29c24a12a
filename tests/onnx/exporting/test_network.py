"""`export`: names, files, warnings, errors, converters of one's own."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga_core.errors import RengaError

onnx = pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")

from onnx import numpy_helper  # noqa: E402

import renga_onnx  # noqa: E402
from renga_onnx import export, export_testcase  # noqa: E402
from renga_onnx.functions import convert_Tanh  # noqa: E402
from renga_onnx.onnx_helper import GraphBuilder, make_node  # noqa: E402
from renga_onnx.replace_func import as_funcnode, fake_as_funcnode  # noqa: E402

X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


class Small(renga.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.linear, self.norm = L.Linear(3, 4), L.BatchNormalization(4)

    def forward(self, x):
        return F.relu(self.norm(self.linear(x)))


def kinds(model):
    return [node.op_type for node in model.graph.node]


def test_parameters_have_the_names_that_they_have_in_the_network():
    network = Small()
    initializers = {each.name: numpy_helper.to_array(each) for each in export(network, X).graph.initializer}
    names = {"linear/W", "linear/b", "norm/gamma", "norm/beta", "norm/avg_mean", "norm/avg_var"}
    assert set(initializers) == names
    np.testing.assert_array_equal(initializers["linear/W"], network.linear.W.array)


def test_parameters_as_inputs():
    model = export(Small(), X, export_params=False)
    assert not model.graph.initializer
    assert [value.name for value in model.graph.input][:3] == ["Input_0", "linear/W", "linear/b"]


def test_names_of_inputs_and_outputs():
    model = export(lambda x: (x, -x), X, input_names=["x"], output_names=["same", "negative"])
    assert [value.name for value in model.graph.input] == ["x"]
    assert [value.name for value in model.graph.output] == ["same", "negative"]
    model = export(lambda a, b: {"sum": a + b}, {"b": X, "a": X})
    assert [value.name for value in model.graph.input] == ["b", "a"]
    assert [value.name for value in model.graph.output] == ["sum"]


def test_nothing_of_the_network_is_changed():
    network = Small()
    before = network.norm.avg_mean.copy()
    export(network, X, train=True)
    np.testing.assert_array_equal(network.norm.avg_mean, before)
    assert renga.config.train


def test_training_and_inference():
    assert "Dropout" in kinds(export(F.dropout, X, train=True))
    assert "Dropout" not in kinds(export(F.dropout, X))
    assert "BatchNormalization" in kinds(export(Small(), X))
    assert "ReduceMean" in kinds(export(Small(), X, train=True))


def test_what_no_output_needs_is_left_out():
    def network(x):
        F.inv(np.eye(2, dtype=np.float32))
        return F.relu(x)

    assert kinds(export(network, X)) == ["Relu", "Identity"]


@pytest.mark.parametrize("version", [12, 99])
def test_opsets_that_are_not_written(version):
    with pytest.raises(ValueError, match=f"opset_version is {version}; Renga writes 13 to 21"):
        export(F.relu, X, opset_version=version)


def test_all_missing_converters_are_named_at_once():
    def network(x):
        return F.inv(x) + F.cholesky(x)

    with pytest.raises(RengaError) as caught:
        export(network, np.eye(2, dtype=np.float32))
    text = str(caught.value)
    assert text.startswith("2 functions have no converter to ONNX:\n  - Inv (ONNX has no operator to invert")
    assert "\n  - Cholesky (ONNX has no operator" in text
    assert "test_network.py:" in text
    assert "external_converters" in text


def test_control_flow_by_values_is_told():
    def network(x):
        return F.relu(x) if float(x.array[0, 0]) < 0 else F.tanh(x)

    with pytest.warns(
        UserWarning, match=r"other values of its inputs: ReLU \(.*test_network.py:\d+\) in one run, Tanh"
    ):
        model = export(network, X)
    assert kinds(model) == ["Relu", "Identity"]


def test_values_computed_outside_of_functions_are_told():
    with pytest.warns(UserWarning, match=r"outside of functions: Multiply \(.*test_network.py:\d+\)"):
        export(lambda x: x * np.asarray(x.array > 0.5, "float32"), X)


@pytest.mark.parametrize(
    ("network", "label"),
    [
        (lambda x: x * float(x.array.max() - x.array[0, 0]), "MultiplyConstant"),
        (lambda x: x[int(x.array.argmax()) // 3], "GetItem"),
        (lambda x: F.clip(x, -1.0, float(x.array[0, 0] ** 2 + x.array[0, 1])), "Clip"),
    ],
)
def test_numbers_taken_from_values_are_told(network, label):
    with pytest.warns(UserWarning, match=rf"outside of functions: {label} \(.*test_network.py:\d+\)"):
        export(network, X)


def test_what_could_not_be_found_out_is_told():
    def network(x):
        if float(x.array[0, 0]) > 0:
            raise ValueError("ascending only")
        return F.relu(x)

    with pytest.warns(UserWarning, match="it is unknown .* in reverse order it raised ValueError: asc"):
        export(network, X)


def test_other_constants_are_no_reason_to_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        export(lambda x: F.normalize(x * np.float32(2) + np.ones((2, 3), np.float32)), X)


def test_a_converter_in_the_form_of_onnx_chainer():
    def convert(func, opset_version, input_names, output_names, context):
        assert opset_version == 17
        builder = GraphBuilder()
        builder.op("Tanh", [builder.op("Neg", input_names)])
        return builder.nodes(output_names=output_names)

    assert kinds(export(F.relu, X, opset_version=17, external_converters={"ReLU": convert})) == [
        "Neg",
        "Tanh",
        "Identity",
    ]


def test_one_that_calls_that_of_renga():
    def convert(func, opset_version, input_names, output_names, context):
        first = convert_Tanh(func, opset_version, input_names, ["between"], context)
        return *first, make_node("Neg", ["between"], output_names)

    assert kinds(export(F.tanh, X, external_converters={"Tanh": convert})) == ["Tanh", "Neg", "Identity"]


def scaled(x, factor, offset=1.0):
    return F.tanh(x) * factor + offset


RENAMED = [("factor", "alpha")]


@pytest.mark.parametrize("wrap", [lambda f: fake_as_funcnode(f, "Scaled", RENAMED), as_funcnode("Scaled", RENAMED)])
def test_several_functions_as_one_node(wrap):
    replaced = wrap(scaled)
    seen = {}

    def convert(func, opset_version, input_names, output_names, context):
        seen.update(alpha=func.alpha, offset=func.offset)
        return make_node("Scaled", input_names, output_names, domain="acme", alpha=func.alpha)

    def network(x):
        return replaced(x, 2.0)

    with pytest.raises(RengaError, match="Scaled, called at"):
        export(network, X)
    model = export(network, X, external_converters={"Scaled": convert}, external_opset_imports={"acme": 1})
    assert kinds(model) == ["Scaled", "Identity"]
    assert {each.domain: each.version for each in model.opset_import}["acme"] == 1
    assert seen == {"alpha": 2.0, "offset": 1.0}

    x, y = renga.Variable(X), renga.Variable(X)
    F.sum(network(x)).backward()
    F.sum(scaled(y, 2.0)).backward()
    np.testing.assert_allclose(x.grad, y.grad, rtol=1e-6)


def test_a_test_case(tmp_path):
    network = Small()
    F.sum(network(X)).backward()
    export_testcase(network, X, tmp_path, output_grad=True)
    names = sorted(path.name for path in (tmp_path / "test_data_set_0").iterdir())
    assert names == ["gradient_0.pb", "gradient_1.pb", "gradient_2.pb", "gradient_3.pb", "input_0.pb", "output_0.pb"]
    stored = onnx.load_tensor(tmp_path / "test_data_set_0" / "input_0.pb")
    np.testing.assert_array_equal(numpy_helper.to_array(stored), X)
    with pytest.raises(RengaError, match="no parameter has a gradient"):
        export_testcase(F.relu, X, tmp_path, output_grad=True)


def test_onnx_chainers_names_are_there():
    assert (renga_onnx.MINIMUM_OPSET_VERSION, renga_onnx.MAXIMUM_OPSET_VERSION) == (13, 21)
    with pytest.raises(AttributeError, match="no attribute 'exprot'"):
        renga_onnx.exprot  # noqa: B018


class Cubed(renga.FunctionNode):
    def forward(self, inputs):
        return (inputs[0] ** 3,)

    def to_onnx(self, call):
        square = call.op("Mul", [call.inputs[0], call.inputs[0]])
        call.op("Mul", [square, call.inputs[0]], call.outputs)


def test_a_function_that_says_itself_what_it_is():
    model = export(lambda x: Cubed().apply((x,))[0], X)
    assert kinds(model) == ["Mul", "Mul", "Identity"]


def test_listing_plugins_imports_neither_onnx_nor_numpy():
    program = (
        "import sys; before = {'onnx', 'numpy'} & set(sys.modules); import renga_onnx.plugin;"
        "assert {'onnx', 'numpy'} & set(sys.modules) == before"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
