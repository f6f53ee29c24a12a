"""Tables: what becomes of cells, and what is said of those that cannot be used."""

import numpy as np
import pytest

from renga_core.errors import RengaError
from renga_core.serializers import FileDamaged
from renga_data.datasets import get_csv
from renga_data.preprocessing import read_preprocessing, write_preprocessing

ROWS = [f"{20 + i},{('Oslo' if i % 3 else 'Lima')},{('a' if i % 2 else 'b')}\n" for i in range(20)]
TABLE = "age,town,kind\n" + "".join(ROWS)


@pytest.fixture
def write(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_numbers_are_scaled_and_text_is_categories(write):
    train, test = pair = get_csv(write(TABLE), "kind")
    assert (len(train), len(test)) == (16, 4)
    x = np.stack([x for x, _ in train])
    assert x.dtype == np.float32
    assert x.shape == (16, 3)
    assert (x[:, 0].mean(), x[:, 0].std()) == (pytest.approx(0, abs=1e-6), pytest.approx(1, rel=1e-5))
    assert set(map(tuple, x[:, 1:])) == {(0, 1), (1, 0)}
    assert pair.preprocessing.classes == ("a", "b")
    assert sorted(int(t) for _, t in test) == [0, 0, 1, 1]


def test_a_number_is_scaled_and_can_be_had_back(write):
    pair = get_csv(write(TABLE), "age", columns=["kind"])
    made = pair.preprocessing
    ages = sorted(float(t[0]) * made.target_scale + made.target_shift for part in pair for _, t in part)
    assert ages == pytest.approx([*range(20, 40)], rel=1e-5)
    assert made.outputs == 1


def test_codes_can_be_categories(write):
    pair = get_csv(write("code,y\n" + "10,1\n20,0\n9,1\n" * 5), "y", categories=["code"], target_type="class")
    assert pair.preprocessing.columns[0].values == ("9", "10", "20")
    assert pair.preprocessing.classes == ("0", "1")


def test_a_file_for_testing(write):
    train, test = get_csv(write(TABLE), "kind", test_path=write("town,kind,age\nOslo,a,3\n", "test.csv"))
    assert (len(train), len(test)) == (20, 1)


@pytest.mark.parametrize(
    ("text", "options", "told"),
    [
        (TABLE.replace("\n25,", "\n,"), {}, r"table\.csv, line 7, column 'age': a missing value \(''\)"),
        (TABLE.replace("\n25,", "\nNA,"), {}, "line 7, column 'age': a missing value"),
        (TABLE.replace("\n25,", "\ninf,"), {}, "line 7, column 'age': 'inf' is not a finite number"),
        (TABLE.replace("Oslo,b\n", "Oslo\n", 1), {}, r"line 4: 2 cells, but 3 columns"),
        (TABLE.replace("town", "age", 1), {}, "line 1: two columns have the name 'age'"),
        (TABLE, {"target": "knd"}, "no column 'knd', the column to predict. Did you mean 'kind'"),
        (TABLE, {"columns": ["ag"]}, "no column 'ag', an input column. Did you mean 'age'"),
        (TABLE, {"columns": ["kind"]}, "'kind' is the target and cannot be an input"),
        (TABLE, {"test_ratio": 2.0}, "test_ratio must be between 0 and 1"),
        ("1,2\n3,4\n", {"target": "1"}, "line 1: found numbers instead of the names .* header = false"),
        ("age,kind\n", {}, "no rows below the line with the names"),
        ("", {}, "has no rows"),
    ],
)
def test_what_cannot_be_used(write, text, options, told):
    with pytest.raises(RengaError, match=told):
        get_csv(write(text), **{"target": "kind", **options})


def test_a_value_that_only_the_testing_part_has_is_known(write):
    for seed in range(10):
        train, test = pair = get_csv(write(TABLE + "30,Bern,c\n"), "kind", seed=seed)
        assert pair.preprocessing.classes == ("a", "b", "c")
        assert pair.preprocessing.columns[1].values == ("Bern", "Lima", "Oslo")
        ages = np.array([x[0] for x, _ in train])
        assert ages.mean() == pytest.approx(0, abs=1e-5)
        assert len(train) + len(test) == 21


def test_no_such_file():
    with pytest.raises(RengaError, match=r"missing\.csv: no such file. Relative paths start in the working folder"):
        get_csv("missing.csv", "kind")


def test_no_header(write):
    pair = get_csv(write("1,2\n2,4\n3,6\n4,8\n5,10\n"), "2", header=False)
    assert pair.preprocessing.columns[0].name == "1"


def test_new_rows_are_read_as_those_of_training_were(write, tmp_path):
    train, _ = pair = get_csv(write(TABLE), "kind")
    kept = tmp_path / "preprocessing.json"
    write_preprocessing(kept, pair.preprocessing)
    made = read_preprocessing(kept)
    assert made == pair.preprocessing
    ((name, vector),) = made.read(write("town,more,age\nLima,?,20\n", "new.csv"))
    assert name.endswith("new.csv:2")
    ages = [20 + i for i in range(20)]
    same = [x for x, _ in train if x[0] == pytest.approx((20 - made.columns[0].shift) / made.columns[0].scale)]
    assert vector[1:].tolist() == [1, 0]
    assert not same or np.array_equal(same[0], vector)
    assert min(ages) <= made.columns[0].shift <= max(ages)
    with pytest.raises(RengaError, match=r"line 2, column 'town': 'Oslow' is not among .* Did you mean 'Oslo'"):
        list(made.read(write("town,age\nOslow,20\n", "new.csv")))
    kept.write_text('{"kind": "table"}')
    with pytest.raises(FileDamaged, match="preprocessing"):
        read_preprocessing(kept)
