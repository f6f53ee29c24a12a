"""`renga export RUN FILE`: ONNX files of what each task has trained, and what may go wrong."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import renga
from renga.cli import main
from renga_core.plugin import get_manager

onnx = pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
ort = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

TABLE = "x,y,size,price\n" + "".join(
    f"{x:.3f},{y:.3f},{'big' if x + y > 0 else 'small'},{100 + 10 * x - y:.3f}\n"
    for x, y in np.random.default_rng(0).normal(size=(60, 2))
)

NETWORKS = '''
import numpy as np
import renga
import renga.functions as F
import renga.links as L
from renga.datasets import split_text
from renga_cv.links.model.small.segmenter import SmallSegmenter
from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_models():
    return [Provider(name, f"networks:{cls}", 1) for name, cls in {
        "lstm": "Characters", "window": "Window", "late": "Late", "vae": "Autoencoder", "gan": "Pair",
        "translator": "Translator", "fourier": "Fourier", "fixed": "Fixed"}.items()]


@hookimpl
def renga_datasets():
    return [Provider("sentences", "networks:get_text", 1), Provider("pairs", "networks:get_pairs", 1)]


def get_text(batch_size):
    return split_text("the cat sat on the mat. " * 60, batch_size, 5, test_ratio=0.3)


def get_pairs():
    rng = np.random.default_rng(0)
    made = [(rng.integers(1, 5, n, np.int32), rng.integers(1, 5, n + 1, np.int32)) for n in (3, 2, 3, 4) * 3]
    return made, made[:8]


class Characters(renga.Chain):
    """A state that is kept."""

    def __init__(self, n_out):
        super().__init__()
        with self.init_scope():
            self.embed, self.rnn, self.out = L.EmbedID(n_out, 4), L.LSTM(4, 5), L.Linear(5, n_out)

    def forward(self, rows):
        ys = [self.out(self.rnn(x)) for x in F.separate(self.embed(rows), axis=1)]
        return F.reshape(F.stack(ys, axis=1), (rows.shape[0] * rows.shape[1], -1))


class Window(renga.Chain):
    """No state."""

    def __init__(self, n_out):
        super().__init__()
        with self.init_scope():
            self.embed, self.out = L.EmbedID(n_out, 4), L.Linear(4, n_out)

    def forward(self, rows):
        return self.out(F.reshape(self.embed(rows), (rows.shape[0] * rows.shape[1], 4)))


class Late(Characters):
    """A state that begins with ones."""

    def forward(self, rows):
        if self.rnn.h is None:
            ones = np.ones((len(rows), 5), np.float32)
            self.rnn.set_state(renga.Variable(ones), renga.Variable(ones))
        return super().forward(rows)


class Autoencoder(renga.Chain):
    latent = 2

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.mean, self.spread, self.decoder = L.Linear(64, 2), L.Linear(64, 2), L.Linear(2, 64)

    def encode(self, x):
        return self.mean(x), self.spread(x)

    def decode(self, z):
        return self.decoder(z)


class Pair(renga.Chain):
    noise = 3

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.generator, self.critic = Generator(), Critic()


class Generator(renga.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.which, self.out = L.EmbedID(10, 2), L.Linear(5, 64)

    def forward(self, z, t):
        return F.sigmoid(self.out(F.concat([z, self.which(t)])))


class Critic(renga.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.which, self.out = L.EmbedID(10, 2), L.Linear(66, 1)

    def forward(self, x, t):
        return self.out(F.tanh(F.concat([x, self.which(t)])))


class Translator(renga.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embed, self.out = L.EmbedID(5, 3), L.Linear(3, 5)

    def forward(self, xs, ys):
        sums = [F.sum(self.embed(x), axis=0, keepdims=True) for x in xs]
        return self.out(F.concat([F.tanh(self.embed(y) + F.broadcast_to(h, (len(y), 3))) for h, y in zip(sums, ys)], 0))

    def translate(self, xs, length):
        return [x[:length] for x in xs]


class Fixed(SmallSegmenter):
    """Images of one size."""

    def forward(self, x):
        return super().forward(F.reshape(x, (x.shape[0], 3, 64, 64)))


class Fourier(renga.Chain):
    """A function that has no converter."""

    def __init__(self, n_out=10):
        super().__init__()
        with self.init_scope():
            self.out = L.Linear(None, n_out)

    def forward(self, x):
        return self.out(F.cholesky(F.expand_dims(x[:, :1] * 0 + 1, 2))[:, 0] * x)
'''

DIGITS = '[data]\nuse = "digits"\nbatch_size = 64\n'
SCENES = '[data]\nuse = "digit_scenes"\nnumber = 32\ntest_number = 8\nbatch_size = 8\n'
CSV = '[data]\nuse = "csv"\npath = "table.csv"\nbatch_size = 10\n'
TEXT = '[data]\nuse = "sentences"\nbatch_size = 4\n'


def run_of(task, model, data, more=""):
    return f'[task]\nuse = "{task}"\n{more}[model]\n{model}\n{data}'


RUNS = {
    "images": run_of("classification", 'use = "lenet"', DIGITS + "ndim = 3\n"),
    "rows": run_of("classification", 'use = "mlp"', CSV + 'target = "size"\n'),
    "values": run_of("regression", 'use = "mlp"', CSV + 'target = "price"\n'),
    "text": run_of("language_modelling", 'use = "lstm"', TEXT),
    "window": run_of("language_modelling", 'use = "window"', TEXT),
    "late": run_of("language_modelling", 'use = "late"', TEXT),
    "vae": run_of("autoencoding", 'use = "vae"', DIGITS + "withlabel = false\n"),
    "plain": run_of("autoencoding", 'use = "vae"', DIGITS + "withlabel = false\n"),
    "gan": run_of("adversarial", 'use = "gan"', DIGITS),
    "translation": run_of("sequence_to_sequence", 'use = "translator"', '[data]\nuse = "pairs"\nbatch_size = 4\n'),
    "pixels": run_of("semantic_segmentation", 'use = "small_segmenter"', SCENES),
    "fixed": run_of("semantic_segmentation", 'use = "fixed"', SCENES),
    "boxes": run_of("detection", 'use = "small_detector"', SCENES),
    "masks": run_of("instance_segmentation", 'use = "small_instance_segmenter"', SCENES),
    "fourier": run_of("classification", 'use = "fourier"', DIGITS),
}

HEAD = (
    '[run]\nplugin = "networks.py"\nepochs = 1\nout = "{name}"\nstandard_extensions = []\n[optimizer]\nuse = "adam"\n'
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("runs")
    (made / "table.csv").write_text(TABLE)
    (made / "networks.py").write_text(NETWORKS)
    return made


@pytest.fixture
def trained(folder, monkeypatch):
    """Trains a run, unless a test before has."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(get_manager(), "_registered", [])

    def trained(name):
        if not (folder / name).is_dir():
            (folder / f"{name}.toml").write_text(HEAD.format(name=name) + RUNS[name])
            assert main(["train", f"{name}.toml"]) == 0
        return name

    yield trained
    get_manager().refresh()


def ports(values):
    """Inputs or outputs: their names and shapes."""
    return {
        value.name: tuple(axis.dim_param or axis.dim_value for axis in value.type.tensor_type.shape.dim)
        for value in values
    }


PORTS = {
    "images": ({"images": ("batch", 1, 8, 8)}, {"scores": ("batch", 10)}),
    "rows": ({"rows": ("batch", 3)}, {"scores": ("batch", 2)}),
    "values": ({"rows": ("batch", 4)}, {"values": ("batch", 1)}),
    "text": (
        {"text": ("batch", 1), "state_0": ("batch", 5), "state_1": ("batch", 5)},
        {"scores": ("batch", 11), "next_state_0": ("batch", 5), "next_state_1": ("batch", 5)},
    ),
    "vae": ({"images": ("batch", 64)}, {"code": ("batch", 2), "log_variance": ("batch", 2), "copies": ("batch", 64)}),
    "gan": ({"noise": ("batch", 3), "labels": ("batch",)}, {"images": ("batch", 64)}),
    "translation": (
        {"source": ("source_length",), "target": ("target_length",)},
        {"scores": ("target_length", 5)},
    ),
    "fixed": ({"images": ("batch", 3, 64, 64)}, {"scores": ("batch", 11, 64, 64)}),
    "pixels": ({"images": ("batch", 3, "height", "width")}, {"scores": ("batch", 11, "height", "width")}),
}


@pytest.mark.parametrize("name", PORTS)
def test_each_task(trained, name, capsys):
    assert main(["export", trained(name), f"{name}.onnx", "--check"]) == 0
    model = onnx.load(f"{name}.onnx")
    assert (ports(model.graph.input), ports(model.graph.output)) == PORTS[name]
    out = capsys.readouterr().out
    assert "checked with onnxruntime: " in out
    assert "largest difference" in out


def test_a_language_model_without_a_state_reads_all_steps(trained):
    assert main(["export", trained("window"), "window.onnx", "--check"]) == 0
    assert ports(onnx.load("window.onnx").graph.input) == {"text": ("batch", "steps")}


@pytest.mark.parametrize("name", ["boxes", "masks"])
def test_detectors_end_with_objects(trained, name):
    assert main(["export", trained(name), f"{name}.onnx", "--check"]) == 0
    outputs = [value.name for value in onnx.load(f"{name}.onnx").graph.output]
    assert outputs == ["boxes", "labels", "scores", *(["masks"] if name == "masks" else [])]


def test_the_file_alone_predicts_what_renga_predicts(trained, capsys):
    """Of a table: columns, scales, classes and units are in the file."""
    predicted = {}
    for name in ("rows", "values"):
        assert main(["export", trained(name), f"{name}.onnx"]) == 0
        capsys.readouterr()
        assert main(["predict", name, "table.csv"]) == 0
        predicted[name] = [line.split(",") for line in capsys.readouterr().out.splitlines()[1:]]
    header, *lines = [line.split(",") for line in TABLE.splitlines()]
    for name, expected in predicted.items():
        model = onnx.load(f"{name}.onnx")
        metadata = {each.key: each.value for each in model.metadata_props}
        assert (metadata["model"], model.producer_name, model.producer_version) == ("mlp", "renga", renga.__version__)
        columns = json.loads(metadata["preprocessing"])["columns"]
        rows = []
        for cells in lines:
            row = dict(zip(header, cells, strict=True))
            numbers = [
                [float(row[c["name"]] == value) for value in c["values"]]
                or [(float(row[c["name"]]) - c["shift"]) / c["scale"]]
                for c in columns
            ]
            rows.append(np.concatenate(numbers))
        session = ort.InferenceSession(f"{name}.onnx", providers=["CPUExecutionProvider"])
        (found,) = session.run(None, {"rows": np.array(rows, np.float32)})
        if name == "rows":
            classes = json.loads(metadata["classes"])
            assert [classes[i] for i in found.argmax(1)] == [row[1] for row in expected]
        else:
            np.testing.assert_allclose(found[:, 0], [float(row[1]) for row in expected], rtol=1e-5)


def test_a_number_of_examples_and_an_opset(trained):
    assert main(["export", trained("images"), "four.onnx", "--batch", "4", "--opset", "15", "--check"]) == 0
    model = onnx.load("four.onnx")
    assert ports(model.graph.input) == {"images": (4, 1, 8, 8)}
    assert model.opset_import[0].version == 15


def test_half_precision(trained):
    assert main(["train", f"{trained('images')}.toml", "--out", "half", "--set", "run.dtype=float16"]) == 0
    assert main(["export", "half", "half.onnx", "--check"]) == 0
    assert onnx.load("half.onnx").graph.input[0].type.tensor_type.elem_type == onnx.TensorProto.FLOAT16


def test_batch_normalization_is_folded_unless_not_wanted(trained):
    counts = {}
    for option in ("--fold-batch-norm", "--no-fold-batch-norm"):
        assert main(["export", trained("images"), "model.onnx", option, "--check"]) == 0
        counts[option] = [node.op_type for node in onnx.load("model.onnx").graph.node].count("BatchNormalization")
    assert counts == {"--fold-batch-norm": 0, "--no-fold-batch-norm": 2}


def test_a_file_that_is_not_the_same_is_not_written(trained, monkeypatch, capsys):
    from renga_nn.functions.activation.relu import ReLU
    from renga_onnx.converters import activation

    monkeypatch.setitem(activation.CONVERTERS, ReLU, lambda call: call.op("Tanh", call.inputs, call.outputs))
    assert main(["export", trained("images"), "wrong.onnx", "--check"]) == 1
    said = capsys.readouterr().err
    assert "output 'scores' differs by " in said
    assert "This was the check with 1 example. The file was not written." in said
    assert not Path("wrong.onnx").exists()
    assert not list(Path().glob(".renga*"))


def test_an_old_file_stays_after_an_error(trained, folder):
    (folder / "old.onnx").write_text("old")
    assert main(["export", trained("fourier"), "old.onnx"]) == 1
    assert (folder / "old.onnx").read_text() == "old"


WRONG = [
    (["images", "--out", "a.onnx"], 2, "renga export has no option --out. Next: renga export RUN FILE"),
    (["a.onnx", "images"], 2, "RUN comes first. Next: renga export images a.onnx"),
    (["images", "."], 2, "FILE is a folder: .. Next: name a file in it: ./network.onnx"),
    (["images", "a.pt"], 2, "its suffix is '.pt', and must be one of .onnx, .npz, "),
    (["images", "a"], 2, "it has no suffix, and must be one of"),
    (["images", "a.npz", "--check"], 2, "--check is for .onnx files"),
    (["images", "a.onnx", "--tolerance", "1"], 2, "--tolerance needs --check. Next: add --check."),
    (["images", "a.onnx", "--check", "--tolerance", "1e-12"], 1, "of its largest value; 1e-12 is allowed"),
    (["images", "no/a.onnx"], 1, "there is no folder no. Next: mkdir -p no"),
    (["images", "/proc/a.onnx"], 1, "no file can be written in the folder /proc"),
    (["images", "a.onnx", "--opset", "12"], 1, "--opset 12: Renga writes 13 to 21."),
    (["images", "a.onnx", "--batch", "0"], 2, "--batch must be at least 1"),
    (["nowhere", "a.onnx"], 1, "nowhere is not a folder of a run: it does not exist."),
    (["translation", "a.onnx", "--batch", "2"], 1, "this network takes one example at a time"),
    (["late", "a.onnx"], 1, "Late has an initial state other than zeros"),
    (["fourier", "a.onnx"], 1, "1 function has no converter to ONNX:\n  - Cholesky"),
]


@pytest.mark.parametrize(
    ("words", "status", "told"), WRONG, ids=lambda value: value if isinstance(value, str) else None
)
def test_what_is_wrong(trained, folder, capsys, words, status, told):
    for word in words:
        if word in RUNS:
            trained(word)
    capsys.readouterr()
    assert main(["export", *words]) == status
    said = capsys.readouterr()
    assert told in said.err
    assert said.out == ""
    assert not (folder / "a.onnx").exists()


def test_data_that_are_elsewhere(trained, folder, capsys):
    trained("rows")
    (folder / "table.csv").rename(folder / "moved.csv")
    try:
        assert main(["export", "rows", "a.onnx"]) == 1
        assert "Next, if the data have moved: --set data.path=PATH" in capsys.readouterr().err
        assert main(["export", "rows", "a.onnx", "--set", "data.path=moved.csv"]) == 0
    finally:
        (folder / "moved.csv").rename(folder / "table.csv")
        (folder / "a.onnx").unlink(missing_ok=True)


def test_a_run_without_a_snapshot(trained, folder, capsys):
    (folder / "bare").mkdir(exist_ok=True)
    (folder / "bare" / "run.toml").write_text((folder / trained("rows") / "run.toml").read_text())
    assert main(["export", "bare", "a.onnx"]) == 1
    assert "there is no snapshot in bare: nothing has been trained there yet." in capsys.readouterr().err


BLOCKED = """
import sys
sys.modules[sys.argv[1]] = None
from renga.cli import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("missing", "status", "told"),
    [("onnx", 2, "pip install 'renga[onnx]'"), ("onnxruntime", 1, "pip install onnxruntime")],
)
def test_what_is_not_installed(trained, folder, missing, status, told):
    words = ["export", trained("rows"), "a.onnx", "--check"]
    done = subprocess.run([sys.executable, "-c", BLOCKED, missing, *words], capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert told in done.stderr
    assert not (folder / "a.onnx").exists()
