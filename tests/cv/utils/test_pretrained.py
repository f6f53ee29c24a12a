import numpy as np
import pytest

from renga_core.link import Chain
from renga_core.serializers import FileMismatched
from renga_cv.utils import pretrained
from renga_cv.utils.pretrained import (
    download_model,
    load_pretrained_model,
    prepare_pretrained_model,
    published,
)
from renga_data.datasets.download import DownloadError
from renga_nn.links import Linear
from renga_serializers.npz import save_npz

NOBODY = "http://127.0.0.1:9/folder/net.npz"  # nothing listens there


class Net(Chain):
    def __init__(self, n_class):
        super().__init__()
        with self.init_scope():
            self.body = Linear(3, 4)
            self.head = Chain(score=Linear(4, n_class))


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("RENGA_DATASET_ROOT", str(tmp_path / "root"))
    folder = tmp_path / "root" / "pfnet" / "chainercv" / "models"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def models(root):
    (root / "net.npz").write_bytes(b"")
    return {"voc": {"url": NOBODY, "param": {"n_class": 20, "mean": np.ones(3)}, "overwritable": {"mean"}}}


class TestPrepare:
    def test_a_name_says_what_is_left_open(self, models, root):
        param, path = prepare_pretrained_model({"n_class": None, "mean": None}, "voc", models, {"mean": 5})
        assert param["n_class"] == 20
        assert np.array_equal(param["mean"], np.ones(3))
        assert path == str(root / "net.npz")

    def test_the_same_value_may_be_given_and_an_overwritable_one_differ(self, models):
        param, _ = prepare_pretrained_model({"n_class": 20, "mean": 7}, "voc", models)
        assert param == {"n_class": 20, "mean": 7}

    def test_another_value_is_refused(self, models):
        with pytest.raises(ValueError, match=r"n_class is 20 in the weights 'voc', not 21"):
            prepare_pretrained_model({"n_class": 21, "mean": None}, "voc", models)

    def test_arrays_are_compared(self, models):
        models["voc"]["overwritable"] = ()
        prepare_pretrained_model({"mean": np.ones(3)}, "voc", models)
        with pytest.raises(ValueError, match="mean is"):
            prepare_pretrained_model({"mean": np.zeros(3)}, "voc", models)

    def test_a_name_need_not_say_all(self, models):
        with pytest.raises(ValueError, match=r"n_fg_class must be given: the weights 'voc' do not contain it"):
            prepare_pretrained_model({"n_fg_class": None}, "voc", models)

    def test_defaults_and_no_weights(self, models):
        given = {"n_class": None, "mean": 2}
        assert prepare_pretrained_model(given, None, models, {"n_class": 1000}) == ({"n_class": 1000, "mean": 2}, None)
        assert given["n_class"] is None
        with pytest.raises(ValueError, match="n_class must be given"):
            prepare_pretrained_model(given, None, models)

    @pytest.mark.parametrize("suffix", ["", ".npz"])
    def test_a_file(self, models, tmp_path, suffix):
        file = tmp_path / "mine.npz"
        np.savez(file, W=np.ones(3))
        given = tmp_path / f"mine{suffix}"
        assert prepare_pretrained_model({"n_class": 3}, given, models) == ({"n_class": 3}, str(file))

    @pytest.fixture
    def converted(self, tmp_path):
        np.savez(tmp_path / "net.npz", **{"arguments/mean": np.ones(3), "arguments/arch": np.array("torch")})
        return tmp_path / "net.npz"

    def test_a_file_says_its_arguments(self, models, converted):
        given = {"n_class": None, "mean": None, "arch": "torch"}
        param, _ = prepare_pretrained_model(given, converted, models, {"n_class": 1000, "mean": 5})
        assert param.pop("mean").tolist() == [1, 1, 1]
        assert param == {"n_class": 1000, "arch": "torch"}
        assert prepare_pretrained_model({"mean": 7}, converted, models)[0] == {"mean": 7}

    def test_a_file_of_another_argument(self, models, converted):
        with pytest.raises(ValueError, match=r"arch is 'torch' in the weights '.*net\.npz', not 'fb'\. Pass that"):
            prepare_pretrained_model({"arch": "fb"}, converted, models)

    def test_neither_name_nor_file(self, models):
        with pytest.raises(FileNotFoundError, match=r"'vocc' is neither a file nor .* 'voc'\. Did you mean 'voc'\?"):
            prepare_pretrained_model({"n_class": 3}, "vocc", models)

    def test_figures_of_opencv(self, models, monkeypatch):
        models["voc"]["cv2"] = True
        monkeypatch.setattr(pretrained.importlib.util, "find_spec", lambda name: None)
        with pytest.warns(UserWarning, match="OpenCV"):
            prepare_pretrained_model({}, "voc", models)


def test_published():
    row = published("net.npz", overwritable=("mean",), n_class=3)
    assert row["url"].endswith("/net.npz")
    assert row["param"] == {"n_class": 3}


class TestDownload:
    def test_once(self, root, tmp_path):
        source = tmp_path / "source" / "net.npz"
        source.parent.mkdir()
        source.write_bytes(b"weights")
        path = download_model(source.as_uri())
        assert path == str(root / "net.npz")
        source.unlink()
        assert download_model(source.as_uri()) == path
        assert (root / "net.npz").read_bytes() == b"weights"

    def test_from_a_mirror(self, root, tmp_path, monkeypatch):
        folder = tmp_path / "mirror" / "pfnet" / "chainercv" / "models"
        folder.mkdir(parents=True)
        (folder / "net.npz").write_bytes(b"weights")
        monkeypatch.setenv("RENGA_DATASET_MIRROR", (tmp_path / "mirror").as_uri())
        download_model(NOBODY)
        assert (root / "net.npz").read_bytes() == b"weights"

    def test_no_network(self, root):
        with pytest.raises(DownloadError, match=r"(?s)cannot download .*put it at .*net\.npz"):
            download_model(NOBODY)
        assert list(root.glob("net*")) == []


class TestLoad:
    @pytest.fixture
    def file(self, tmp_path):
        trained = Net(5)
        save_npz(tmp_path / "net.npz", trained)
        self.trained = trained
        return tmp_path / "net.npz"

    def test_all(self, file):
        net = Net(5)
        load_pretrained_model(net, file, heads=("head",))
        assert all(np.array_equal(a.array, b.array) for a, b in zip(net.params(), self.trained.params(), strict=True))

    def test_another_number_of_classes_is_refused(self, file):
        net = Net(2)
        before = net.body.W.array.copy()
        with pytest.raises(FileMismatched, match="head/score/W"):
            load_pretrained_model(net, file)
        assert np.array_equal(net.body.W.array, before)

    def test_heads_stay_where_another_number_is_wanted(self, file):
        net = Net(2)
        W = net.head["score"].W.array.copy()
        with pytest.warns(UserWarning, match=r"head/score/W \(2, 4\), \(5, 4\) in the file; head/score/b \(2,\)"):
            load_pretrained_model(net, file, heads=("head",))
        assert np.array_equal(net.head["score"].W.array, W)
        assert np.array_equal(net.body.W.array, self.trained.body.W.array)

    def test_what_is_no_head_must_fit(self, file):
        net = Net(2)
        net.body = Linear(2, 4)
        W = net.head["score"].W.array
        with pytest.raises(FileMismatched, match="body/W") as refused:
            load_pretrained_model(net, file, heads=("head",))
        assert net.head["score"].W.array is W
        assert len(refused.value.differences) == 1

    def test_what_is_missing(self, file):
        net = Net(5)
        net.add_link("neck", Linear(2, 2))
        with pytest.raises(FileMismatched, match="neck/W is missing"):
            load_pretrained_model(net, file)
        load_pretrained_model(net, file, strict=False)
        assert np.array_equal(net.body.W.array, self.trained.body.W.array)

    def test_no_file(self):
        load_pretrained_model(Net(2), None)
