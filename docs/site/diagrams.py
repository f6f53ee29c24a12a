"""The diagrams of the pages: `python docs/site/diagrams.py` draws them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from svg import Drawing

IMAGES = Path(__file__).parents[1] / "images"


def pictures() -> Iterator[tuple[str, str]]:
    """Yield the file name and the text of each diagram."""
    yield "graph.svg", str(_graph())
    yield "plugins.svg", str(_plugins())
    yield "training-step.svg", str(_training_step())


def _graph() -> Drawing:
    """``y = exp(x * w)``: variables, nodes and functions."""
    drawing = Drawing(344, "The graph of y = exp(x * w): forward from x and w to y, references and gradients back")
    drawing.text(10, 20, "y = exp(x * w)", "bold")
    drawing.text(138, 20, "you hold Variables; the graph consists of nodes", "small muted")
    for x, name in ((10, "x"), (144, "w")):
        drawing.box(x, 36, 124, 42, f"`{name}`", "array, grad", style="accent")
        drawing.box(x, 112, 124, 42, "VariableNode", "shape, dtype")
        drawing.arrow((x + 62, 78), (x + 62, 109))
    drawing.box(74, 206, 130, 46, "Multiply", "retains x and w", style="box")
    drawing.box(234, 206, 108, 46, "VariableNode", "no array is kept")
    drawing.box(376, 206, 124, 46, "Exp", "retains its output")
    drawing.box(376, 112, 124, 42, "VariableNode", "shape, dtype")
    drawing.box(376, 36, 124, 42, "`y`", "array, grad", style="accent")
    drawing.arrow((70, 154), (112, 203))
    drawing.arrow((200, 154), (158, 203))
    drawing.arrow((204, 224), (233, 224))
    drawing.arrow((340, 224), (373, 224))
    drawing.arrow((430, 206), (430, 157))
    drawing.arrow((430, 112), (430, 81))
    drawing.arrow((452, 78), (452, 109), back=True)
    drawing.arrow((452, 154), (452, 203), back=True)
    drawing.arrow((373, 240), (343, 240), back=True)
    drawing.arrow((233, 240), (207, 240), back=True)
    drawing.arrow((96, 206), (54, 157), back=True)
    drawing.arrow((176, 206), (218, 157), back=True)
    drawing.arrow((20, 292), (60, 292))
    drawing.text(70, 296, "forward: each call computes, and adds a function and a node", "small")
    drawing.arrow((20, 320), (60, 320), back=True)
    drawing.text(70, 324, "references lead from results to inputs, and gradients go that way", "small")
    return drawing


def _plugins() -> Drawing:
    """From entry points to what a program uses."""
    drawing = Drawing(420, "Plugins register providers by entry points; registries by kind choose one; programs use it")
    drawing.text(10, 20, "Distributions, each with an entry point in the group renga", "bold")
    for number, (name, parts) in enumerate(
        (("renga", "its own plugins"), ("renga-backend-torch", "an array backend"), ("your-plugin", "an optimizer"))
    ):
        x = 10 + 170 * number
        drawing.box(x, 34, 160, 46, f"`{name}`", parts)
        drawing.arrow((x + 80, 80), (x + 80, 117))
    drawing.text(270, 103, "hooks return Providers", "small muted")
    drawing.box(
        10, 120, 500, 44, "Plugin manager", "finds plugins, checks them, keeps the reason if one cannot be used"
    )
    for number, kind in enumerate(("array_backend", "kernel", "optimizer", "…")):
        x = 10 + 127 * number
        drawing.arrow((x + 59, 164), (x + 59, 197))
        drawing.box(
            x, 200, 119, 44, f"`{kind}`" if kind != "…" else kind, "registry of a kind" if kind != "…" else "any kind"
        )
    drawing.text(260, 272, "one name, one choice; settings decide if several plugins offer it", "small muted", "middle")
    for x in (90, 260, 430):
        drawing.arrow((x, 282), (x, 307))
    drawing.box(10, 310, 160, 62, "In a program", "`renga.optimizers.Adam`", style="accent")
    drawing.box(180, 310, 160, 62, "In a run file", '`use = "adam"`', style="accent")
    drawing.box(350, 310, 160, 62, "Command line", "`--backend cupy:0`", style="accent")
    drawing.text(266, 400, "The code of a part is imported here, when it is first used", "small muted", "middle")
    return drawing


def _training_step() -> Drawing:
    """The way of the data through one iteration of the trainer."""
    drawing = Drawing(430, "One iteration: data set, iterator, converter, model, loss, backward, optimizer, extensions")
    drawing.text(10, 20, "One iteration of the trainer", "bold")
    drawing.box(10, 36, 150, 46, "Data set", "examples by number")
    drawing.box(185, 36, 150, 46, "Iterator", "a list of 64 examples")
    drawing.box(360, 36, 150, 46, "Converter", "arrays, on the device")
    drawing.arrow((160, 59), (182, 59))
    drawing.arrow((335, 59), (357, 59))
    drawing.box(10, 118, 500, 184, style="ground box")
    drawing.text(24, 140, "Updater", "bold")
    drawing.text(92, 140, "one step", "small muted")
    drawing.box(30, 156, 210, 50, "Model", "y = network(x)", style="accent")
    drawing.box(280, 156, 210, 50, "Loss", "one number, from y and t", style="accent")
    drawing.box(280, 236, 210, 50, "Backward", "a gradient for each parameter")
    drawing.box(30, 236, 210, 50, "Optimizer", "changes the parameters")
    drawing.arrow((435, 82), (435, 104), (135, 104), (135, 153))
    drawing.arrow((240, 181), (277, 181))
    drawing.arrow((385, 206), (385, 233), back=True)
    drawing.arrow((280, 261), (243, 261), back=True)
    drawing.arrow((135, 236), (135, 209))
    drawing.arrow((260, 302), (260, 333))
    drawing.text(270, 322, "values that were reported: the observation", "small muted")
    drawing.box(
        10,
        336,
        500,
        56,
        "Extensions whose trigger fires, by priority",
        "evaluate · log · print · draw · save a snapshot · change the learning rate",
    )
    drawing.text(260, 416, "then the next iteration, until the stop trigger ends training", "small muted", "middle")
    return drawing


def main() -> None:
    """Write the diagrams to docs/images."""
    for name, text in pictures():
        (IMAGES / name).write_text(text, encoding="utf-8")
        print(IMAGES / name)


if __name__ == "__main__":
    main()
