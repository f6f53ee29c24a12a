import json


def test_a_run_is_profiled_and_nothing_else_written(shell):
    outcome = shell.renga("profile", "mlp", "--steps", "2", "--trace", "trace.json", "--stacks", "stacks.txt")
    assert outcome.status == 0, outcome.err
    assert outcome.out.startswith("a training step, mean of 2: ")
    rows = [line.split() for line in outcome.out.splitlines()[3:]]
    linear = [row for row in rows if "Linear" in row]
    assert {row[6] for row in linear} == {"forward", "backward"}
    for section in ("next batch", "convert batch", "update parameters", "clear gradients"):
        assert section in outcome.out
    assert shell.files() == ["stacks.txt", "trace.json"]
    names = [event["name"] for event in json.loads((shell.folder / "trace.json").read_text())["traceEvents"]]
    assert names.count("update parameters") == 2
    assert "Linear backward" in names


def test_rows_by_link(shell):
    outcome = shell.renga("profile", "mlp", "--steps", "1", "--by", "link")
    assert "/predictor" in outcome.out, outcome.err


def test_an_evaluation_has_no_backward(shell):
    outcome = shell.renga("profile", "mlp", "--evaluation")
    assert outcome.status == 0, outcome.err
    assert "forward" in outcome.out
    assert "backward" not in outcome.out


def test_steps_are_a_number(shell):
    outcome = shell.renga("profile", "mlp", "--steps", "0")
    assert outcome.status == 2
    assert "expected a number from 1 on, got '0'" in outcome.err


def test_where_nothing_can_be_written_is_said_before_anything_is_measured(shell):
    (shell.folder / "folder").mkdir()
    for option in "--trace", "--stacks":
        outcome = shell.renga("profile", "mlp", "--steps", "1", option, "missing/out.json")
        assert outcome.status != 0
        assert outcome.out == ""
        assert "missing/out.json: there is no folder missing. Next: mkdir -p missing" in outcome.err
        assert "folder is a folder" in shell.renga("profile", "mlp", option, "folder").err
