"""Descriptions are checked where they are written."""

import dataclasses

import pytest

from renga_core.plugin import InvalidDescription, Kernel, Kind, Provider

GIVEN = {"name": "conv2d.v1", "target": "acme.conv:Conv.make", "revision": 1, "summary": "fast"}


def test_provider() -> None:
    provider = Provider(**GIVEN, needs=["acme"], capabilities={"float16"})
    assert provider.needs == ("acme",)
    assert provider.capabilities == frozenset({"float16"})
    assert hash(provider) == hash(dataclasses.replace(provider))
    with pytest.raises(dataclasses.FrozenInstanceError):
        provider.name = "other"
    assert Provider("a", "b:c", 1, "d") == Provider(name="a", target="b:c", revision=1, summary="d")


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("name", "Adam", "lower-case letters, digits, _ . -"),
        ("name", "", "lower-case letters, digits, _ . -"),
        ("name", "a:b", "lower-case letters, digits, _ . -"),
        ("name", "adam\n", "lower-case letters, digits, _ . -"),
        ("name", 3, "lower-case letters, digits, _ . -"),
        ("name", "auto", "another name: 'auto' means «let Renga choose»"),
        ("target", "acme.conv", "'module:attribute'"),
        ("target", "acme conv:x", "'module:attribute'"),
        ("target", "", "'module:attribute'"),
        ("target", None, "'module:attribute'"),
        ("probe", "acme", "'module:attribute'"),
        ("options", "acme:", "'module:attribute'"),
        ("inputs", "acme", "'module:attribute'"),
        ("revision", 0, "a whole number from 1"),
        ("revision", "1", "a whole number from 1"),
        ("revision", True, "a whole number from 1"),
        ("summary", "two\nlines", "one line of text"),
        ("url", None, "one line of text"),
        ("needs", "cupy", "a tuple of top-level module names"),
        ("needs", ("a.b",), "a tuple of top-level module names"),
        ("capabilities", "float16", "a tuple of names"),
    ],
)
def test_wrong_fields(field, value, expected) -> None:
    with pytest.raises(InvalidDescription) as caught:
        Provider(**{**GIVEN, field: value})
    name = value if field == "name" else "conv2d.v1"
    assert str(caught.value) == f"Provider {name!r}: {field} is {value!r}; expected {expected}"
    assert isinstance(caught.value, ValueError)


def test_kernel() -> None:
    kernel = Kernel(op="linear", backend="numpy", target="acme:Linear", supports="acme:is_float", priority=10)
    assert (kernel.name, kernel.revision, kernel.priority) == ("linear.numpy", 1, 10)
    assert Kernel(op="linear", backend="numpy", target="acme:Linear", name="fast").name == "fast"


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("op", "", "lower-case letters, digits, _ . -"),
        ("backend", None, "lower-case letters, digits, _ . -"),
        ("supports", "acme", "'module:function'"),
        ("priority", 1.5, "a whole number"),
        ("target", "acme", "'module:attribute'"),
    ],
)
def test_wrong_kernels(field, value, expected) -> None:
    given = {"op": "linear", "backend": "numpy", "target": "acme:Linear", field: value}
    with pytest.raises(InvalidDescription, match=f"{field} is {value!r}; expected {expected}"):
        Kernel(**given)


def test_kind_derives_its_hook() -> None:
    assert Kind("optimizer_hook").hook == "renga_optimizer_hooks"
    assert Kind("factory", hook="renga_factories").hook == "renga_factories"


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("name", "Detector", "lower-case letters, digits, _ . -"),
        ("hook", "detectors", "'renga_<plural of the name>'"),
        ("revisions", (), "a tuple of whole numbers from 1"),
        ("revisions", (0,), "a tuple of whole numbers from 1"),
        ("protocol", "renga_core.link", "'module:Class'"),
        ("suite", "kit", "'module:Class'"),
        ("spec", dict, "a class of Provider"),
    ],
)
def test_wrong_kinds(field, value, expected) -> None:
    name = value if field == "name" else "detector"
    with pytest.raises(InvalidDescription) as caught:
        Kind(**{"name": "detector", field: value})
    assert str(caught.value) == f"Kind {name!r}: {field} is {value!r}; expected {expected}"
