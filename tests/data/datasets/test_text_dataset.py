import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_data.datasets import TextDataset
from renga_data.iterators import MultiprocessIterator

TEXTS = st.text(st.sampled_from("ab é漢\n\r\t "), max_size=30)


@given(TEXTS, st.sampled_from(["utf-8", "utf-16", "shift_jis"]), st.sampled_from([None, "", "\n", "\r\n"]))
def test_lines_are_those_that_python_reads(tmp_path_factory, text, encoding, newline):
    text = text.replace("é", "あ")
    path = tmp_path_factory.mktemp("text") / "text"
    path.write_bytes(text.encode(encoding))
    with open(path, encoding=encoding, newline=newline) as file:
        lines = list(file)
    dataset = TextDataset(path, encoding, newline=newline)
    assert len(dataset) == len(lines)
    assert [dataset[i] for i in reversed(range(len(lines)))] == lines[::-1]
    assert pickle.loads(pickle.dumps(dataset))[:] == lines


@pytest.fixture
def pair(tmp_path):
    (tmp_path / "en").write_text("one\n\nthree\nfour")
    (tmp_path / "ja").write_bytes("一\n二\n三\n四\n".encode("euc_jp"))
    return [tmp_path / "en", tmp_path / "ja"]


def test_files_side_by_side(pair):
    dataset = TextDataset(pair, ["utf-8", "euc_jp"])
    assert dataset[:] == [("one\n", "一\n"), ("\n", "二\n"), ("three\n", "三\n"), ("four", "四\n")]
    assert dataset[-1] == ("four", "四\n")
    with pytest.raises(IndexError):
        dataset[4]
    assert TextDataset(pair[:1])[0] == "one\n"


def test_a_filter(pair):
    dataset = TextDataset(pair, ["utf-8", "euc_jp"], filter_func=lambda en, ja: en != "\n" and ja != "三\n")
    assert dataset[:] == [("one\n", "一\n"), ("four", "四\n")]


def test_files_of_different_length(pair):
    pair[1].write_text("1\n2\n")
    with pytest.raises(ValueError, match=r"different numbers of lines: .*ja ends after 2$"):
        TextDataset(pair)


def test_bad_arguments(pair, tmp_path):
    with pytest.raises(ValueError, match="at least one file"):
        TextDataset([])
    with pytest.raises(ValueError, match="errors has 1 entries for 2 files"):
        TextDataset(pair, errors=["strict"])
    with pytest.raises(FileNotFoundError, match="nobody"):
        TextDataset([pair[0], tmp_path / "nobody"])
    with pytest.raises(UnicodeDecodeError) as caught:
        TextDataset(pair[1], "ascii")
    assert caught.value.__notes__ == [f"This was in {pair[1]}."]
    assert TextDataset(pair[1], "ascii", errors="replace")[0].endswith("\n")


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_threads_and_processes_share_it(tmp_path):
    lines = [f"line {i}\n" * (i % 3 == 0) or f"{i}\n" for i in range(200)]
    lines = [line.splitlines(True)[0] for line in lines]
    (tmp_path / "text").write_text("".join(lines))
    dataset = TextDataset(str(tmp_path / "text"))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(dataset.get_example, range(200))) == lines
    with MultiprocessIterator(dataset, 40, repeat=False, shuffle=False, n_processes=4, start_method="fork") as batches:
        assert [line for batch in batches for line in batch] == lines
    dataset.close()
    with pytest.raises(ValueError, match="text: this TextDataset has been closed"):
        dataset[3]
    assert pickle.loads(pickle.dumps(dataset))[3] == lines[3]
