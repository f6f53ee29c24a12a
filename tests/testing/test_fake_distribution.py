"""What `write_distribution` writes is what installers write."""

import importlib.metadata

from renga_testing.fake_distribution import write_distribution


def test_distribution_is_read_back(tmp_path) -> None:
    info = write_distribution(
        tmp_path,
        "acme-optim",
        "2.1",
        {"acme.plugin": "    x = 1\n    y = 2\n", "single": "", "acme": "z = 3"},
        {"acme": "acme.plugin"},
        ["renga>=0.1", "numpy"],
    )
    assert info.name == "acme_optim-2.1.dist-info"
    (found,) = importlib.metadata.distributions(path=[str(tmp_path)])
    assert (found.metadata["Name"], found.version, found.requires) == ("acme-optim", "2.1", ["renga>=0.1", "numpy"])
    assert [(point.group, point.name, point.value) for point in found.entry_points] == [
        ("renga", "acme", "acme.plugin")
    ]
    assert (tmp_path / "acme" / "plugin.py").read_text() == "x = 1\ny = 2\n"
    assert (tmp_path / "acme" / "__init__.py").read_text() == "z = 3"
    assert (tmp_path / "single.py").exists()
    for file in found.files:
        path = tmp_path / str(file)
        assert path.exists()
        assert file.size in (None, path.stat().st_size)


def test_name_twice(tmp_path) -> None:
    write_distribution(tmp_path, "acme", entry_points=[("a", "x"), ("a", "y")])
    (found,) = importlib.metadata.distributions(path=[str(tmp_path)])
    assert [point.value for point in found.entry_points] == ["x", "y"]
