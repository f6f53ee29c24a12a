import numpy as np
import pytest

from renga_nn.links.caffe.wire import Field, Malformed, read_message

SCHEMA = {
    1: Field("number", "int", default=7),
    2: Field("name", "string", default=""),
    3: Field("flag", "bool", default=True),
    4: Field("x", "float", default=0.5),
    5: Field("numbers", "int", repeated=True),
    6: Field("weights", "float", repeated=True),
    7: Field("inner", {1: Field("number", "int", default=3)}),
    8: Field("others", {1: Field("number", "int")}, repeated=True),
    9: Field("wide", "double", repeated=True),
    10: Field("y", "double"),
}


def read(data):
    return read_message(memoryview(bytes(data)), SCHEMA)


def test_an_empty_message_has_the_defaults():
    message = read(b"")
    assert (message.number, message.name, message.flag, message.x) == (7, "", True, 0.5)
    assert (message.numbers, message.others, message.inner.number, message.y) == ([], [], 3, None)
    assert message.weights.shape == message.wide.shape == (0,)


# Bytes as the documentation of the format explains them.
@pytest.mark.parametrize(
    ("data", "name", "value"),
    [
        ([0x08, 0x96, 0x01], "number", 150),
        ([0x08, 0x01, 0x08, 0x02], "number", 2),  # the last one counts
        ([0x08, *[0xFF] * 9, 0x01], "number", -1),
        ([0x12, 0x07, *b"testing"], "name", "testing"),
        ([0x18, 0x00], "flag", False),
        ([0x25, 0x00, 0x00, 0xC0, 0x3F], "x", 1.5),
        ([0x2A, 0x03, 0x03, 0x8E, 0x02], "numbers", [3, 270]),  # packed
        ([0x28, 0x03, 0x28, 0x8E, 0x02], "numbers", [3, 270]),  # and not
        ([0x51, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F], "y", 1.5),
    ],
)
def test_a_field(data, name, value):
    assert getattr(read(data), name) == value


def test_floats_are_views_of_the_file():
    data = bytes([0x32, 8, 0, 0, 0x80, 0x3F, 0, 0, 0, 0x40])
    weights = read(data).weights
    assert weights.dtype == np.float32
    assert weights.tolist() == [1, 2]
    assert read(data + bytes([0x35, 0, 0, 0x40, 0x40])).weights.tolist() == [1, 2, 3]
    assert read([0x4A, 8, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F]).wide.tolist() == [1.5]


def test_messages_in_messages():
    message = read([0x3A, 2, 0x08, 5, 0x42, 0, 0x42, 2, 0x08, 6])
    assert message.inner.number == 5
    assert [other.number for other in message.others] == [None, 6]


def test_unknown_fields_are_skipped():
    skipped = [0xA0, 0x06, 0x01, 0xA2, 0x06, 1, 0, 0xA5, 0x06, 0, 0, 0, 0, 0xA1, 0x06, *[0] * 8]
    assert read([*skipped, 0x08, 1]).number == 1


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ([0x08], "an integer does not end"),
        ([0x08, 0x80], "an integer does not end"),
        ([0x08, *[0xFF] * 11], "an integer does not end"),
        ([0x12, 0x05, 0x61], "field 2 has 5 bytes, but only 1 are left"),
        ([0x25, 0x00], "field 4 has 4 bytes"),
        ([0x0B], "field 1 has the unknown wire type 3"),
        ([0x10, 0x01], "field 'name' should be a string, but has wire type 0"),
        ([0x38, 0x01], "field 'inner' should be a message"),
        ([0x32, 3, 0, 0, 0], "field 'weights' should be a float"),
        ([0x0D, 0, 0, 0, 0], "field 'number' should be a int"),
    ],
)
def test_bytes_that_are_no_message(data, problem):
    with pytest.raises(Malformed, match=problem):
        read(data)
