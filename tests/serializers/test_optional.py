import subprocess
import sys

import pytest

from renga_core.errors import RengaError
from renga_serializers.optional import require


def test_what_is_there_is_no_error_and_is_not_imported():
    program = "import sys; from renga_serializers.optional import require; require('sqlite3', 'it', 'x')"
    asking = [sys.executable, "-c", f"{program}; print('sqlite3' in sys.modules)"]
    result = subprocess.run(asking, capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


def test_what_is_missing_is_named_with_the_way_to_get_it():
    with pytest.raises(RengaError) as caught:
        require("nowhere_to_be_found", "save_it", "extra")
    assert str(caught.value) == (
        "save_it needs the module 'nowhere_to_be_found', which is not installed.\nNext: pip install 'renga[extra]'"
    )
