"""Small things: `renga_core.utils`; sparse matrices, sizes of convolutions, drawing from a table of probabilities."""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.utils": (
            "enable_final experimental final force_array force_type nondeterministic size_of_shape sum_to tempdir "
        ),
    },
)
