"""Write onnx-models.md: whole networks that are exported to ONNX and loaded again, and how far results are apart.

The networks are those of tests/support/onnx_zoo. Writing the whole page takes some minutes: the large ones are among
them. With names of networks, only their rows are measured; the others stay as they are.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = Path(__file__).with_name("onnx-models.md")

sys.path.insert(0, str(ROOT / "tests" / "support"))

from onnx_zoo import MODELS, Model  # noqa: E402  # after the path
from onnx_zoo.comparing import Compared, compare  # noqa: E402  # the same

HEAD = """# Networks in ONNX

This page says how exactly whole networks are exported to ONNX, and loaded again. `onnx_models.py` writes it from the
networks of `tests/support/onnx_zoo`, which the tests compare in the same way. How to
[export](../how-to/export-to-onnx.md) and to [load](../how-to/load-an-onnx-file.md) a network.

Each network has random weights. It is exported with each opset, checked by `onnx.checker` with shape inference, run by
onnxruntime, and loaded by `renga.onnx.load`. Results are compared for other values and other sizes of the named axes
than those of the export. Detectors are exported with decoding and non-maximum suppression. The columns are:

- `parameters`, `nodes`: how many there are. Nodes are those of the newest opset in the row.
- `named axes`: axes of inputs that may have any size.
- `opsets`: the versions of ONNX's operators.
- `onnxruntime`: the largest difference between an output of onnxruntime and of the network, in float32.
- `loaded`: the same, of the loaded network.
- `gradients`: the largest difference between gradients of a parameter, in float64. In float32, rounding decides which
  units next to zero a ReLU cuts off.
- `limit`: the difference from onnxruntime that the tests allow. It is 1e-4 for networks of fifty layers, where rounding
  grows: both Renga and onnxruntime are 1e-5 to 6e-5 away from the same network in float64. It is 1e-4 for detectors on
  a pyramid, too, whose boxes grow exponentially with an output.

Differences are relative to the largest element of an array, and are the largest of all opsets. Networks marked with `*`
are large. Their tests are marked `slow`, and run with one opset.

"""

COLUMNS = ("network", "parameters", "nodes", "named axes", "opsets", "onnxruntime", "loaded", "gradients", "limit")


def qualities(name: str, model: Model) -> dict[str, str]:
    """The columns that need no computing."""
    return {
        "network": name + (" *" if model.slow else ""),
        "named axes": ", ".join(model.sizes) or "-",
        "opsets": ", ".join(map(str, model.opsets)),
        "limit": f"{model.tolerance:.0e}".replace("e-0", "e-"),
    }


def row(name: str, model: Model) -> dict[str, str]:
    """All columns of a network."""
    network = model.network()
    found: list[Compared] = []
    for opset in model.opsets:
        with tempfile.TemporaryDirectory() as folder:
            found.append(compare(model, network, opset, Path(folder)))
    differences = {
        column: max(getattr(each, column) for each in found) for column in ("onnxruntime", "loaded", "gradients")
    }
    return {
        **qualities(name, model),
        "parameters": f"{found[-1].parameters:,}",
        "nodes": f"{found[-1].nodes:,}",
        **{column: f"{value:.0e}".replace("e-0", "e-") if value else "0" for column, value in differences.items()},
    }


def rows_on_page() -> dict[str, str]:
    """The lines of the page by the name of the network."""
    lines = PAGE.read_text("utf-8").splitlines() if PAGE.exists() else []
    return {line.split("|")[1].strip(" *"): line for line in lines if line.startswith("| ")}


def main(names: list[str]) -> None:
    """Write the page."""
    lines = rows_on_page()
    for name in names or MODELS:
        cells = row(name, MODELS[name])
        lines[name] = f"| {' | '.join(cells[column] for column in COLUMNS)} |"
        print(lines[name], flush=True)
    table = [f"| {' | '.join(COLUMNS)} |", "|---|" + "---:|" * 2 + "---|" * 2 + "---:|" * 4]
    table += [lines[name] for name in MODELS if name in lines]
    PAGE.write_text(HEAD + "\n".join(table) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
