"""Plugins that are each wrong in one way: source of the thin module, by name; and the test that must notice.

`{target}` is a module of the same distribution with an optimizer, `Made`, and what else targets may name.
"""

HEAD = "from renga import Provider, hookimpl\n"
HOOK = HEAD + "@hookimpl\ndef renga_optimizers():\n    return [Provider({fields})]\n"
PLAIN = 'name="{name}", target="{target}:Made", revision=1, summary="for a test"'


def described(**fields: str) -> str:
    """A thin module whose description has these fields instead."""
    given = {"name": '"{name}"', "target": '"{target}:Made"', "revision": "1", "summary": '"for a test"', **fields}
    return HOOK.replace("{fields}", ", ".join(f"{key}={value}" for key, value in given.items()))


TARGET = """
import dataclasses
from renga_core.optimizer import GradientMethod

class Made(GradientMethod):
    def __init__(self, lr: float = 0.1):
        super().__init__()

def swallow(**options):
    return Made()

@dataclasses.dataclass
class Options:
    rate: float = 0.1

def raises():
    raise RuntimeError("no driver")

def hangs():
    import time
    time.sleep(30)

def says_true():
    return True
"""

NAMESPACE = """from renga import Namespace, hookimpl
@hookimpl
def renga_namespaces():
    return [Namespace("renga.optimizers", names={"{target}": "swallow Swallow"})]
"""

PLUGINS = {
    "nothing_wrong": ("nothing: the others are this one and a fault", "", described()),
    "broken": ("importing it raises", "test_loads", "raise RuntimeError('no licence')\n"),
    "misspelt": ("a hook is misspelt", "test_hooks", described().replace("renga_optimizers", "renga_optimisers")),
    "bad_name": ("a name has capital letters", "test_hooks", described(name='"Lion"')),
    "empty": ("it offers nothing", "test_offers_something", "# nothing yet\n"),
    "eager": ("it imports what it describes", "test_imports_nothing_heavy", "import {target}\n" + described()),
    "heavy": ("it imports a large library", "test_imports_nothing_heavy", "import faulty_library\n" + described()),
    "loud": ("it prints", "test_imports_silently", "print('Welcome to loud 1.0!')\n" + described()),
    "slow": ("importing it takes long", "test_imports_quickly", "import time\ntime.sleep(0.6)\n" + described()),
    "outdated": ("it is for a revision that there is not", "test_descriptions", described(revision="9")),
    "speechless": ("it has no summary", "test_descriptions", described(summary='""')),
    "helpless": ("it needs a module, and says not how to get it", "test_descriptions", described(needs='("nowhere",)')),
    "aimless": ("its target does not exist", "test_targets", described(target='"{target}:Missing"')),
    "misnamed": ("a namespace lists a name that there is not", "test_targets", NAMESPACE),
    "swallowing": ("its target takes any option", "test_options", described(target='"{target}:swallow"')),
    "fanciful": ("it describes an option that there is not", "test_options", described(options='"{target}:Options"')),
    "raising_probe": ("its probe raises", "test_probes", described(probe='"{target}:raises"')),
    "hanging_probe": ("its probe does not return", "test_probes", described(probe='"{target}:hangs"')),
    "wordless_probe": ("its probe returns True", "test_probes", described(probe='"{target}:says_true"')),
}
