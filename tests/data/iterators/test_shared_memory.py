import os

import numpy as np
import pytest

from renga_data.iterators.shared_memory import Slot, pack, unpack

EXAMPLES = [(np.arange(6.0).reshape(2, 3), 1), (np.ones(3, np.float32), "two")]


def same(ours):
    assert [t for _, t in ours] == [1, "two"]
    for (x, _), (y, _) in zip(ours, EXAMPLES, strict=True):
        np.testing.assert_array_equal(x, y, strict=True)
        x += 1  # it is the receiver's own


def test_a_slot_grows_and_is_used():
    slot, attached = Slot(0, 0, fixed=False), {}
    same(unpack(pack(EXAMPLES, slot.address, attached), slot))
    assert slot.address.capacity
    packet = pack(EXAMPLES, slot.address, attached)
    assert packet.lengths == (48, 12)
    same(unpack(packet, slot))
    first = slot.address
    slot.grow(10_000)
    assert slot.address.capacity == 12_500
    packet = pack(EXAMPLES, slot.address, attached)
    assert packet.lengths
    same(unpack(packet, slot))
    assert attached[0].inode == slot.address.inode != first.inode


def test_its_memory_has_no_name():
    slot = Slot(0, 100, fixed=True)
    assert os.readlink(slot.address.path).endswith(" (deleted)")


def test_memory_that_a_worker_may_not_open_is_done_without():
    slot = Slot(0, 1000, fixed=True)
    packet = pack(EXAMPLES, slot.address._replace(path="/proc/1/fd/none"), {})
    assert packet.lengths is None
    same(unpack(packet, slot))


def test_another_file_with_the_same_descriptor_is_left_alone(tmp_path):
    slot = Slot(0, 1000, fixed=True)
    address = slot.address
    slot.free()
    assert slot.address.capacity == 0
    (tmp_path / "file").write_bytes(bytes(2000))
    other = tmp_path / "file"
    packet = pack(EXAMPLES, address._replace(path=str(other)), {})
    same(unpack(packet, None))
    assert other.read_bytes() == bytes(2000)


def test_freed_memory_is_closed():
    slot = Slot(0, 1000, fixed=True)
    path = slot.address.path
    del slot
    with pytest.raises(OSError, match="No such file"):
        os.readlink(path)
