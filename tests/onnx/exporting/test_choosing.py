"""Which converter a function has: of the program, of a plugin, of its class, of Renga."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import renga
import renga.functions as F
from renga_core.errors import RengaError
from renga_core.plugin import (
    AmbiguousProvider,
    InvalidDescription,
    PluginManager,
    ProviderFaulty,
    RengaPluginWarning,
    hookimpl,
    using_manager,
)
from renga_core.settings import using
from renga_onnx.kind import OnnxConverter

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")

from renga_onnx import export
from renga_onnx.functions import convert_Tanh
from renga_onnx.onnx_helper import make_node
from renga_onnx.replace_func import as_funcnode

X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
HERE = __name__
RELU = "renga_nn.functions.activation.relu:ReLU"


class Doubled(renga.FunctionNode):
    def forward(self, inputs):
        return (np.asarray(inputs[0]) * 2,)  # so that what it computes is not seen


class Selfish(Doubled):
    def to_onnx(self, call):
        call.op("Sum", [call.inputs[0], call.inputs[0]], call.outputs)


def doubled(x):
    return Doubled().apply((x,))[0]


def selfish(x):
    return Selfish().apply((x,))[0]


@as_funcnode("Halved")
def halved(x):
    return x / 2


def add(call):
    call.op("Add", [call.inputs[0], call.inputs[0]], call.outputs)


def negative(call):
    call.op("Neg", call.inputs, call.outputs)


def custom(call):
    call.context.opset_imports["acme"] = 3
    call.op("Custom", call.inputs, call.outputs, domain="acme")


def forgetful(call):
    call.op("Neg", call.inputs)


def offer(name, function=f"{HERE}:Doubled", target=f"{HERE}:add", **more):
    return OnnxConverter(name, target, function=function, call=f"{HERE}:doubled", **more)


def plugin(*providers):
    class Plugin:
        @hookimpl
        def renga_onnx_converters(self):
            return list(providers)

    return Plugin()


@pytest.fixture
def manager():
    with using_manager(PluginManager()) as made:
        yield made


def kinds(function, **arguments):
    return [node.op_type for node in export(function, X, **arguments).graph.node[:-1]]


def test_a_converter_of_a_plugin(manager):
    with pytest.raises(RengaError, match=r"1 function has no converter to ONNX:\n  - Doubled .*, called at"):
        export(doubled, X)
    manager.register("acme", plugin(offer("doubled")))
    assert kinds(doubled) == ["Add"]


def test_of_several_functions_as_one_node(manager):
    manager.register("acme", plugin(offer("halved", "Halved", f"{HERE}:negative")))
    assert kinds(halved) == ["Neg"]


def test_the_order(manager):
    def external(func, opset_version, input_names, output_names, context):
        return make_node("Abs", input_names, output_names)

    assert (kinds(selfish), kinds(F.relu)) == (["Sum"], ["Relu"])
    manager.register("acme", plugin(offer("a", f"{HERE}:Selfish"), offer("b", RELU)))
    for function, name, cls in ((selfish, "acme:a", "Selfish"), (F.relu, "acme:b", "ReLU")):
        with pytest.warns(
            RengaPluginWarning, match=f'{cls} is exported by {name} .* set .plugins. disable = ."{name}"'
        ):
            assert kinds(function) == ["Add"]
        assert kinds(function) == ["Add"], "told once"
        assert kinds(function, external_converters={cls: external}) == ["Abs"]
        with using({"plugins.disable": [name]}):
            manager.refresh()
            assert kinds(function) != ["Add"]


def test_one_of_a_plugin_can_call_that_of_renga(manager):
    def minus_tanh(call):
        call.context.nodes.extend(convert_Tanh(call.function, call.opset, call.inputs, ["between"], call.context))
        call.op("Neg", ["between"], call.outputs)

    globals()["minus_tanh"] = minus_tanh
    function = "renga_nn.functions.activation.tanh:Tanh"
    manager.register("acme", plugin(offer("minus_tanh", function, f"{HERE}:minus_tanh")))
    with pytest.warns(RengaPluginWarning):
        assert kinds(F.tanh) == ["Tanh", "Neg"]


def test_two_plugins_for_one_function(manager):
    manager.register("acme", plugin(offer("doubled")))
    manager.register("house", plugin(offer("twice", target=f"{HERE}:negative")))
    with pytest.raises(AmbiguousProvider) as caught:
        export(doubled, X)
    said = str(caught.value)
    assert f"2 plugins offer an onnx_converter of {HERE}:Doubled:\n  - acme:doubled (" in said
    assert 'set [prefer.onnx_converter] doubled = "acme"' in said
    assert '[plugins] disable = ["house:twice"]' in said
    with using({"prefer.onnx_converter.twice": "house"}):
        assert kinds(doubled) == ["Neg"]
    with using({"plugins.disable": ["house:twice"]}):
        manager.refresh()
        assert kinds(doubled) == ["Add"]


def test_two_functions_with_converters_of_one_name(manager):
    manager.register("acme", plugin(offer("f")))
    manager.register("house", plugin(offer("f", "Halved", f"{HERE}:negative")))
    assert kinds(lambda x: halved(doubled(x))) == ["Add", "Neg"]


def test_one_that_is_not_ready_is_passed_over_and_named(manager):
    manager.register("acme", plugin(offer("doubled", needs=("nowhere",)), offer("relu", RELU, needs=("nowhere",))))
    assert kinds(F.relu) == ["Relu"]
    with pytest.raises(RengaError, match=r"Doubled \(acme:doubled is unavailable: module 'nowhere' is not installed\)"):
        export(doubled, X)


def test_one_that_is_broken_is_an_error_each_time(manager):
    manager.register("acme", plugin(offer("relu", RELU, f"{HERE}:absent")))
    for _ in range(2):
        with pytest.raises(ProviderFaulty, match=r"importing .*absent raised AttributeError"):
            export(F.relu, X)


def test_an_opset_that_it_does_not_write(manager):
    manager.register("acme", plugin(offer("doubled", opset=18)))
    with pytest.raises(RengaError, match=r"acme:doubled .* writes opset 18 and later; opset_version is 17"):
        export(doubled, X, opset_version=17)
    assert kinds(doubled, opset_version=18) == ["Add"]


def test_nodes_of_another_domain(manager):
    manager.register("acme", plugin(offer("doubled", target=f"{HERE}:custom")))
    model = export(doubled, X)
    assert {each.domain: each.version for each in model.opset_import}["acme"] == 3

    def external(func, opset_version, input_names, output_names, context):
        return make_node("Custom", input_names, output_names, domain="house")

    with pytest.raises(RengaError, match=r"\(Custom\) is in the domain 'house', whose version"):
        export(doubled, X, external_converters={"Doubled": external})


def test_an_output_that_is_left_out(manager):
    manager.register("acme", plugin(offer("doubled", target=f"{HERE}:forgetful")))
    with pytest.raises(RengaError, match=r"converter of Doubled \(.*test_choosing.py:\d+\) has written no node with"):
        export(doubled, X)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"function": "not a class"}, "function is 'not a class'; expected 'module:Class', or a name of as_funcnode"),
        ({"function": 3}, "function is 3; expected"),
        ({"call": "doubled"}, "call is 'doubled'; expected 'module:function'"),
        ({"opset": 12}, "opset is 12; expected a whole number from 13 to 21"),
    ],
)
def test_descriptions_that_cannot_be_right(fields, message):
    given = {"function": f"{HERE}:Doubled", "call": f"{HERE}:doubled", **fields}
    with pytest.raises(InvalidDescription, match=message):
        OnnxConverter("doubled", f"{HERE}:add", **given)


def test_a_converter_is_imported_when_it_is_used(manager):
    manager.register("acme", plugin(offer("doubled", target="absent_module:add")))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kinds(F.relu) == ["Relu"]


def test_the_kind_is_listed_without_onnx_and_numpy():
    program = (
        "import sys; from renga_core.plugin import registry; registry('onnx_converter').list();"
        "assert not {'onnx', 'numpy'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
