"""The example of a classifier of digits, for a few epochs."""


def test_it_learns_and_leaves_its_log(program, tmp_path, capsys):
    accuracy = program("digits").run(channels=8, units=32, epochs=3, alpha=0.01, out=str(tmp_path))
    assert accuracy > 0.9
    assert "validation/main" in capsys.readouterr().out
    assert (tmp_path / "log.jsonl").exists()
    assert list(tmp_path.glob("snapshot_*"))
    assert (tmp_path / "curves.png").stat().st_size > 5000
