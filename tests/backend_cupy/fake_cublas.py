"""A stand-in for libcublas and libcublasLt: C functions, in Python, which compute with NumPy from pointers.

It reads memory column by column, as cuBLAS does, and refuses what cuBLAS refuses: a leading dimension that is too
small, sizes that do not fit, a stream that was not set, algorithms whose alignment the pointers do not have. `calls`
holds the arguments of all calls. Types of arguments are written down here a second time, from NVIDIA's headers.
"""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_int, c_longlong, c_size_t, c_uint64, c_void_p

import numpy as np
from numpy.lib.stride_tricks import as_strided

HANDLE = 4711
DTYPES = {2: np.dtype(np.float16), 0: np.dtype(np.float32), 1: np.dtype(np.float64)}
try:
    import ml_dtypes

    DTYPES[14] = np.dtype(ml_dtypes.bfloat16)
except ImportError:
    pass
FACTORS = {68: np.float32, 77: np.float32, 70: np.float64}
P, N, L = c_void_p, c_int, c_longlong
TYPES = {
    "cublasSetStream_v2": (P, P),
    "cublasSetWorkspace_v2": (P, P, c_size_t),
    "cublasGemmEx": (P, N, N, N, N, N, P, P, N, N, P, N, N, P, P, N, N, N, N),
    "cublasGemmStridedBatchedEx": (P, N, N, N, N, N, P, P, N, N, L, P, N, N, L, P, P, N, N, L, N, N, N),
    "cublasLtMatmulDescCreate": (POINTER(P), N, N),
    "cublasLtMatmulDescSetAttribute": (P, N, P, c_size_t),
    "cublasLtMatrixLayoutCreate": (POINTER(P), N, c_uint64, c_uint64, ctypes.c_int64),
    "cublasLtMatmulPreferenceCreate": (POINTER(P),),
    "cublasLtMatmulPreferenceSetAttribute": (P, N, P, c_size_t),
    "cublasLtMatmulPreferenceDestroy": (P,),
    "cublasLtMatmulAlgoGetHeuristic": (P, P, P, P, P, P, P, N, P, POINTER(N)),
    "cublasLtMatmul": (P, P, P, P, P, P, P, P, P, P, P, P, P, P, c_size_t, P),
}
INVALID_VALUE, NOT_SUPPORTED = 7, 15


class Library:
    """All functions by name, and what they were called with.

    Args:
        launch: Runs a function, or puts it into the graph that is captured.
        epilogues: Whether cublasLt has algorithms.
    """

    def __init__(self, launch):
        self.launch, self.epilogues = launch, True
        self.calls, self.objects = [], {}
        self.stream = self.workspace = None
        self.failures = []
        self.functions = {name: self._function(name, types) for name, types in TYPES.items()}

    def names(self):
        """Of the calls that compute."""
        return [name for name, _ in self.calls if name.startswith(("cublasGemm", "cublasLtMatmul")) and name in COMPUTE]

    def _function(self, name, types):
        method = getattr(self, name)

        def call(*args):
            self.calls.append((name, args))
            try:
                return method(*args) or 0
            except Exception as error:  # what leaves a callback is lost
                self.failures.append(error)
                return INVALID_VALUE

        return CFUNCTYPE(c_int, *types)(call)

    # --- the handle --------------------

    def cublasSetStream_v2(self, handle, stream):
        assert handle == HANDLE
        self.stream, self.workspace = stream, None

    def cublasSetWorkspace_v2(self, handle, pointer, size):
        assert handle == HANDLE
        assert pointer
        assert size >= 4 << 20
        self.workspace = pointer

    # --- products --------------------

    def cublasGemmEx(
        self, handle, ta, tb, m, n, k, alpha, A, at, lda, B, bt, ldb, beta, C, ct, ldc, compute, algorithm
    ):
        args = (
            handle,
            ta,
            tb,
            m,
            n,
            k,
            alpha,
            A,
            at,
            lda,
            0,
            B,
            bt,
            ldb,
            0,
            beta,
            C,
            ct,
            ldc,
            0,
            1,
            compute,
            algorithm,
        )
        return self.cublasGemmStridedBatchedEx(*args)

    def cublasGemmStridedBatchedEx(
        self,
        handle,
        ta,
        tb,
        m,
        n,
        k,
        alpha,
        A,
        at,
        lda,
        sa,
        B,
        bt,
        ldb,
        sb,
        beta,
        C,
        ct,
        ldc,
        sc,
        batch,
        compute,
        algorithm,
    ):
        assert (handle, algorithm) == (HANDLE, -1)
        assert self.workspace, "while a stream is captured cuBLAS may not allocate"
        assert at == bt
        assert ct in (at, 0), "the result has the dtype of the operands, or is float32"
        assert (compute == 70) == (at == 1)
        assert lda >= max(1, k if ta else m), "lda"
        assert ldb >= max(1, n if tb else k), "ldb"
        assert ldc >= max(1, m), "ldc"
        assert min(m, n, k, batch) >= 1
        number = FACTORS[compute]
        factor, rest = read(alpha, number), read(beta, number)
        assert rest == 0

        def run():
            wide = np.float64 if compute == 70 else np.float32
            a = matrices(A, at, (k, m) if ta else (m, k), lda, sa, batch).astype(wide)
            b = matrices(B, bt, (n, k) if tb else (k, n), ldb, sb, batch).astype(wide)
            c = matrices(C, ct, (m, n), ldc, sc, batch)
            product = (a.swapaxes(1, 2) if ta else a) @ (b.swapaxes(1, 2) if tb else b)
            c[...] = (factor * product).astype(c.dtype)

        self.launch(run)

    # --- cublasLt --------------------

    def _made(self, place, value):
        number = len(self.objects) + 1
        self.objects[number] = value
        place[0] = number

    def cublasLtMatmulDescCreate(self, place, compute, scale):
        assert scale == (1 if compute == 70 else 0)
        self._made(place, {"compute": compute})

    def cublasLtMatmulDescSetAttribute(self, description, attribute, value, size):
        kinds = {3: np.int32, 4: np.int32, 7: np.uint32, 8: np.uint64}
        assert np.dtype(kinds[attribute]).itemsize == size
        self.objects[description][attribute] = int(read(value, kinds[attribute]))

    def cublasLtMatrixLayoutCreate(self, place, kind, rows, columns, leading):
        assert leading >= rows
        self._made(place, (kind, rows, columns, leading))

    def cublasLtMatmulPreferenceCreate(self, place):
        self._made(place, {})

    def cublasLtMatmulPreferenceSetAttribute(self, preference, attribute, value, size):
        kinds = {1: np.uint64, 5: np.uint32, 6: np.uint32, 7: np.uint32, 8: np.uint32}
        assert np.dtype(kinds[attribute]).itemsize == size
        self.objects[preference][attribute] = int(read(value, kinds[attribute]))

    def cublasLtMatmulPreferenceDestroy(self, preference):
        del self.objects[preference]
        self.objects[preference] = None  # numbers are not given twice

    def cublasLtMatmulAlgoGetHeuristic(self, handle, description, a, b, c, d, preference, wanted, results, count):
        assert (handle, wanted) == (HANDLE, 1)
        assert self.objects[description][8], "the vector's alignment counts"
        if not self.epilogues:
            count[0] = 0
            return NOT_SUPPORTED
        wishes = self.objects[preference]
        # As an algorithm this library hands out what the pointers have to be divisible by.
        algorithm = (c_uint64 * 8).from_address(results)
        algorithm[:5] = [wishes.get(i, 256) for i in (5, 6, 7, 8)] + [77]
        count[0] = 1
        return 0

    def cublasLtMatmul(
        self, handle, description, alpha, A, al, B, bl, beta, C, cl, D, dl, algorithm, workspace, size, stream
    ):
        assert handle == HANDLE
        assert workspace
        said = self.objects[description]
        number = FACTORS[said["compute"]]
        assert (read(alpha, number), read(beta, number)) == (1, 0)
        chosen = (c_uint64 * 8).from_address(algorithm)
        assert chosen[4] == 77, "no algorithm of this library's"
        for pointer, alignment in zip((A, B, C, D), chosen[:4], strict=True):
            assert pointer % alignment == 0, "misaligned address"
        (at, *sa, lda), (bt, *sb, ldb), (dt, m, n, ldd) = (self.objects[x] for x in (al, bl, dl))
        ta, tb, epilogue, vector = said[3], said[4], said[7], said[8]
        assert at == bt == dt

        def run():
            wide = np.float64 if number is np.float64 else np.float32
            a = matrices(A, at, sa, lda, 0, 1)[0].astype(wide)
            b = matrices(B, bt, sb, ldb, 0, 1)[0].astype(wide)
            a, b = a.T if ta else a, b.T if tb else b
            assert (a.shape[0], b.shape[1], a.shape[1]) == (m, n, b.shape[0])
            d = matrices(D, dt, (m, n), ldd, 0, 1)[0]
            if epilogue in (4, 6):
                sums = a @ b + vector_at(vector, dt, m)[:, None].astype(wide)
                d[...] = (np.maximum(sums, 0) if epilogue == 6 else sums).astype(d.dtype)
            else:
                assert epilogue == 512
                d[...] = (a @ b).astype(d.dtype)
                vector_at(vector, dt, n)[...] = b.sum(axis=0).astype(d.dtype)

        self.launch(run)


COMPUTE = ("cublasGemmEx", "cublasGemmStridedBatchedEx", "cublasLtMatmul")


def read(pointer, kind):
    return np.frombuffer((ctypes.c_char * np.dtype(kind).itemsize).from_address(pointer), kind)[0]


def vector_at(pointer, kind, size):
    return np.frombuffer((ctypes.c_char * (size * DTYPES[kind].itemsize)).from_address(pointer), DTYPES[kind])


def matrices(pointer, kind, shape, leading, stride, batch):
    """A batch of matrices that lie column by column."""
    rows, columns = (int(n) for n in shape)
    size = DTYPES[kind].itemsize
    span = (batch - 1) * stride + (columns - 1) * leading + rows
    flat = vector_at(pointer, kind, span)
    return as_strided(flat, (batch, rows, columns), (stride * size, size, leading * size))
