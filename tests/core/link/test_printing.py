from renga_core.link import Chain, ChainList, Link, Sequential


class Layer(Link):
    def __init__(self, size):
        super().__init__()
        self.size = size

    @property
    def printable_specs(self):
        yield "size", self.size


def relu(x):
    return x


def test_a_tree_in_the_order_of_the_program():
    net = Chain(
        conv2=Layer(1), conv10=Layer(2), blocks=ChainList(Layer(3)), head=Sequential(Layer(4), relu), last=Link()
    )
    assert str(net) == repr(net)
    assert (
        repr(net)
        == """\
Chain(
  (conv2): Layer(size=1),
  (conv10): Layer(size=2),
  (blocks): ChainList(
    (0): Layer(size=3),
  ),
  (head): Sequential(
    (0): Layer(size=4),
    (1): relu,
  ),
  (last): Link(),
)"""
    )


def test_parameters_by_shape():
    assert repr(Link(W=(2, 3), b=None)) == "Link(W=(2, 3), b=?)"


def test_parameters_and_children():
    chain = Chain(child=Link())
    chain.add_param("scale", 1)
    assert repr(chain) == "Chain(scale=(1,)\n  (child): Link(),\n)"
