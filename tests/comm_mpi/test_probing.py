"""Whether MPI can be used: what is said where it cannot."""

import sys
from types import ModuleType

from renga_comm_mpi.probing import why_no_mpi


class NoLibrary(ModuleType):
    """Stands for `renga_comm_mpi.mpi` where mpi4py finds no MPI library; its message is as long as mpi4py's."""

    def __getattr__(self, name):
        if name == "MPI":
            raise RuntimeError("cannot load MPI library\nlibmpi.so: no such file\nlibmpi.so.40: no such file")
        raise AttributeError(name)


def test_no_library_is_told_in_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "renga_comm_mpi.mpi", NoLibrary("renga_comm_mpi.mpi"))
    # What to do next is the provider's install hint, which messages add.
    assert why_no_mpi() == "mpi4py is there, but finds no MPI library it can load: cannot load MPI library"


def test_here_it_can():
    assert why_no_mpi() is None
