import struct
import sys

import pytest

from renga_core.errors import RengaError
from renga_training.extensions import TensorBoardReport

event_pb2 = pytest.importorskip(
    "tensorboardX.proto.event_pb2", reason="tensorboardX is not installed (pip install 'renga[tensorboard]')"
)


def crc32c(data):
    """By the definition: polynomial 0x1EDC6F41, bit by bit, in reflected form."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def events(folder):
    """The events of all files: each is its length, a checksum of that, itself, and a checksum of that."""
    found = []
    for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns):
        data = path.read_bytes()
        while data:
            (length,) = struct.unpack("<Q", data[:8])
            assert struct.unpack("<I", data[8:12])[0] == crc32c(data[:8])
            body, data = data[12 : 12 + length], data[12 + length :]
            assert struct.unpack("<I", data[:4])[0] == crc32c(body)
            data = data[4:]
            found.append(event_pb2.Event.FromString(body))
    return found


def scalars(folder):
    """What TensorBoard would show: what comes after a session's start takes the place of what came before."""
    shown = {}
    for event in events(folder):
        if event.HasField("session_log"):
            shown = {key: value for key, value in shown.items() if key[1] < event.step}
        for value in event.summary.value:
            shown[value.tag, event.step] = value.simple_value
    return shown


def run(report, trainer, iterations):
    for _ in range(iterations):
        trainer.iterate({"main/loss": float(trainer.updater.iteration + 1), "text": "no number"})
        report(trainer)


def test_means_over_intervals(trainer, tmp_path):
    report = TensorBoardReport()
    report.initialize(trainer)
    run(report, trainer, 9)
    # Each value is in the file at once, and not only when training ends.
    assert scalars(tmp_path / "tensorboard") == {("main/loss", 4): 2.5, ("main/loss", 8): 6.5}
    report.finalize()
    assert scalars(tmp_path / "tensorboard") == {("main/loss", 4): 2.5, ("main/loss", 8): 6.5}


def test_chosen_keys_trigger_and_folder(trainer, tmp_path):
    report = TensorBoardReport(["lr"], (1, "iteration"), "curves")
    report.initialize(trainer)
    trainer.iterate({"lr": 0.5, "main/loss": 1.0})
    report(trainer)
    report.finalize()
    assert scalars(tmp_path / "curves") == {("lr", 1): 0.5}


def test_a_resumed_run_takes_the_place_of_what_was_after_its_snapshot(trainer, reload, tmp_path):
    first, second = (TensorBoardReport(trigger=(2, "iteration")) for _ in range(2))
    first.initialize(trainer)
    run(first, trainer, 5)
    reload(first, second)
    run(first, trainer, 4)
    first.finalize()
    trainer.go_to(5)
    second.initialize(trainer)
    assert scalars(tmp_path / "tensorboard") == {("main/loss", 2): 1.5, ("main/loss", 4): 3.5}
    run(second, trainer, 1)
    second.finalize()
    assert scalars(tmp_path / "tensorboard")["main/loss", 6] == 5.5


def test_without_tensorboardx(trainer, monkeypatch):
    monkeypatch.setattr(TensorBoardReport, "available", staticmethod(lambda: False))
    with pytest.raises(RengaError, match=r"pip install 'renga\[tensorboard\]'"):
        TensorBoardReport().initialize(trainer)


def test_it_is_imported_when_training_starts():
    import subprocess

    program = (
        "import renga_training.extensions as e, sys; e.TensorBoardReport(); sys.exit('tensorboardX' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_called_too_early(trainer):
    report = TensorBoardReport(trigger=(1, "iteration"))
    trainer.iterate({"a": 1.0})
    with pytest.raises(RuntimeError, match="before training started"):
        report(trainer)
