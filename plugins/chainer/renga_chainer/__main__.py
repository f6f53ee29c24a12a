"""``python -m renga_chainer SCRIPT …``: `renga_chainer.runner`."""

import sys

from renga_chainer.runner import run

sys.exit(run(sys.argv[1:]))
