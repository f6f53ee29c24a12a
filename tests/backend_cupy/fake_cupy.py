"""A stand-in for CuPy on machines without a GPU: NumPy's arrays, and kernels compiled for the CPU.

It is honest about one thing only: the package's own code, on the host and inside kernels, computes what it should if
CuPy does what it documents. The sources of kernels are compiled by g++ and run in a loop, thread by thread.
Streams and devices are names; a captured graph holds the launches of kernels (not NumPy's functions), to be repeated.
"""

import contextlib
import ctypes
import hashlib
import os
import re
import subprocess
import tempfile
import types
from pathlib import Path

import numpy as np

TYPES = {
    "float16": ("float16", None),
    "bfloat16": ("bfloat16", None),
    "float32": ("float", ctypes.c_float),
    "float64": ("double", ctypes.c_double),
    "int32": ("int", ctypes.c_int32),
    "int64": ("long long", ctypes.c_int64),
    "uint64": ("unsigned long long", ctypes.c_uint64),
}
PRELUDE = """
#include <cmath>
#include <cstddef>
using std::sqrt; using std::log; using std::pow; using std::sin; using std::cos;
using std::exp; using std::expm1; using std::log1p; using std::tanh; using std::fabs;
#define __device__
#define __global__
static float __fmul_rn(float a, float b) { return a * b; }
static double __dmul_rn(double a, double b) { return a * b; }
// As <immintrin.h> converts, which takes half a second to read, for each kernel.
typedef float Four_ __attribute__((vector_size(16)));
typedef short Eight_ __attribute__((vector_size(16)));
struct float16 {
  unsigned short bits;
  float16() {}
  float16(float x) : bits(__builtin_ia32_vcvtps2ph(Four_{x}, 0)[0]) {}
  operator float() const { return __builtin_ia32_vcvtph2ps(Eight_{(short)bits})[0]; }
};
typedef float16 __half;
#include <cstring>
struct bfloat16 {
  unsigned short bits;
  bfloat16() {}
  bfloat16(float x) {
    unsigned int all;
    std::memcpy(&all, &x, 4);
    bits = x != x ? 0x7fff : (all + 0x7fff + (all >> 16 & 1)) >> 16;
  }
  operator float() const {
    const unsigned int all = (unsigned int)bits << 16;
    float x;
    std::memcpy(&x, &all, 4);
    return x;
  }
};
typedef bfloat16 __nv_bfloat16;
#include <cstdlib>
// The order in which threads, or blocks, run: by number, or another that RENGA_THREAD_ORDER chooses.
struct Order_ {
  long long count, step, start;
  explicit Order_(long long n) : count(n), step(1), start(0) {
    const char* said = std::getenv("RENGA_THREAD_ORDER");
    const long long seed = said ? std::atoll(said) : 0;
    if (seed == 0 || n < 2) return;
    step = n - 1 - seed % (n / 2 + 1), start = n - 1;
    while (common(step, n) != 1) ++step;
  }
  static long long common(long long a, long long b) { return b ? common(b, a % b) : a; }
  long long at(long long k) const { return (start + k * step) % count; }
};
#ifdef RENGA_REAL_THREADS
#include <thread>
#include <vector>
template <class Body> static void run_together_(int n, const Body& body) {
  std::vector<std::thread> all;
  for (int t = 0; t < n; ++t) all.emplace_back([&body, t] { body(t); });
  for (auto& one : all) one.join();
}
template <class Body> static void run_each_(long long n, const Body& body) {
  run_together_(4, [&](int t) { for (long long i = t; i < n; i += 4) body(i); });
}
#else
template <class Body> static void run_each_(long long n, const Body& body) {
  const Order_ order(n);
  for (long long k = 0; k < n; ++k) body(order.at(k));
}
#endif
"""
# Threads of a block take turns: each runs to its next __syncthreads() or to its end. With RENGA_REAL_THREADS, for
# ThreadSanitizer, they are threads, and __syncthreads() is a barrier; blocks that share memory run one after another.
BLOCKS = """
struct Three { int x, y, z; };
#define __shared__ static
static Three gridDim, blockDim;
#ifdef RENGA_REAL_THREADS
#include <pthread.h>
static thread_local Three blockIdx, threadIdx;
static pthread_barrier_t barrier_;
static void __syncthreads() { pthread_barrier_wait(&barrier_); }
static void run_block_(void (*body)(void**), void** args, Three block) {
  const int n = blockDim.x * blockDim.y;
  pthread_barrier_init(&barrier_, nullptr, n);
  run_together_(n, [=](int t) { blockIdx = block, threadIdx = {t % blockDim.x, t / blockDim.x, 0}, body(args); });
  pthread_barrier_destroy(&barrier_);
}
static void run_alone_(void (*body)(void**), void** args, Three block) {
  run_each_(blockDim.x * blockDim.y, [=](long long t) {
    blockIdx = block, threadIdx = {(int)t % blockDim.x, (int)t / blockDim.x, 0}, body(args);
  });
}
#else
#include <setjmp.h>
#include <ucontext.h>
static Three blockIdx, threadIdx;
// A thread begins in a context of its own. From then on jumps lead in and out: unlike contexts, they ask the system for
// nothing, which took half of the time.
static ucontext_t plain_, threads_[1024];
static jmp_buf scheduler_, waiting_[1024];
static bool begun_[1024], done_[1024];
static int running_;
static void* stack_ = std::malloc(1024 * 65536);
static void (*body_)(void**);
static void** args_;
static void __syncthreads() { if (!_setjmp(waiting_[running_])) _longjmp(scheduler_, 1); }
static void thread_() { body_(args_), done_[running_] = true, _longjmp(scheduler_, 1); }
static void run_block_(void (*body)(void**), void** args, Three block) {
  body_ = body, args_ = args, blockIdx = block;
  const int n = blockDim.x * blockDim.y;
  getcontext(&plain_);
  for (int t = 0; t < n; ++t) {
    threads_[t] = plain_;
    threads_[t].uc_stack.ss_sp = (char*)stack_ + t * 65536;
    threads_[t].uc_stack.ss_size = 65536;
    makecontext(&threads_[t], thread_, 0);
    begun_[t] = done_[t] = false;
  }
  for (bool any = true; any;) {
    any = false;
    const Order_ order(n);
    for (int k = 0; k < n; ++k) {
      const int t = order.at(k);
      if (done_[t]) continue;
      any = true, running_ = t;
      threadIdx.x = t % blockDim.x, threadIdx.y = t / blockDim.x;
      if (_setjmp(scheduler_)) continue;
      if (begun_[t]) _longjmp(waiting_[t], 1);
      begun_[t] = true;
      setcontext(&threads_[t]);
    }
  }
}
static void run_alone_(void (*body)(void**), void** args, Three block) {
  blockIdx = block;
  run_each_(blockDim.x * blockDim.y, [=](long long t) {
    threadIdx = {(int)t % blockDim.x, (int)t / blockDim.x, 0}, body(args);
  });
}
#endif
static void run_(void (*body)(void**), bool shared, int gx, int gy, int bx, int by, void** args) {
  gridDim = {gx, gy, 1}, blockDim = {bx, by, 1};
  const Order_ order(gx * gy);
  for (int k = 0; k < gx * gy; ++k) {
    const int b = order.at(k);
    (shared ? run_block_ : run_alone_)(body, args, {b % gx, b / gx, 0});
  }
}
"""


class FakeError(RuntimeError):
    """Stands for CUDARuntimeError."""


class Pointer:
    def __init__(self, ptr):
        self.ptr = ptr


class ndarray(np.ndarray):
    """An array that says where it is."""

    _device = 0

    def __array_finalize__(self, source):
        self._device = getattr(source, "_device", state.device)

    @property
    def device(self):
        return Device(self._device)

    @property
    def data(self):
        return Pointer(self.ctypes.data)

    def copy(self, order="K"):
        made = super().copy(order)
        made._device = state.device
        return made

    def get(self, stream=None, order="C", out=None, blocking=True):
        made = np.array(self, order=order) if out is None else out
        made[...] = self
        return made.view(np.ndarray)

    def set(self, value, stream=None):
        assert value.dtype == self.dtype
        self[...] = value


class PinnedMemoryPointer(bytearray):
    """Host memory that a GPU reads by itself."""


class State:
    device = 0
    devices = 2
    captured = None
    log: list
    memory = (3 << 30, 4 << 30)
    version = 12090  # of CUDA
    model = b"a GPU"


state = State()
state.log = []


class Device:
    capability = "90"

    def __init__(self, device=None):
        self.id = state.device if device is None else device
        self.mem_info = state.memory
        self.compute_capability = self.capability

    def __enter__(self):
        self._before, state.device = state.device, self.id

    def __exit__(self, *error):
        state.device = self._before

    def use(self):
        state.device = self.id

    def __eq__(self, other):
        return self.id == other.id

    __hash__ = None

    def synchronize(self):
        state.log.append(("synchronize", self.id))


class Event:
    done = True

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.of = None

    def record(self, stream=None):
        self.of = (stream or current()).name

    def synchronize(self):
        state.log.append(("wait on host", self.of))


class Graph:
    def __init__(self, launches):
        self.launches = launches

    def launch(self, stream=None):
        for run in self.launches:
            run()


class Stream:
    count = 0
    ptr = 0

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        Stream.count += 1
        self.name = f"stream {Stream.count}"

    def __enter__(self):
        streams.append(self)
        return self

    def __exit__(self, *error):
        streams.pop()

    def record(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        state.log.append((self.name, "waits for", event.of))

    def is_capturing(self):
        return state.captured is not None

    def begin_capture(self, mode=None):
        state.captured = []

    def end_capture(self):
        launches, state.captured = state.captured, None
        return Graph(launches)


def current(device_id=-1):
    return streams[-1]


streams = [Stream()]
streams[0].name = "default"


def launch(run):
    """Run a kernel now, or put it into the graph that is being captured."""
    run() if state.captured is None else state.captured.append(run)


def build(source):
    """Compile C++ for this machine, with the options in RENGA_KERNEL_FLAGS; a library is made once."""
    options = os.environ.get("RENGA_KERNEL_FLAGS", "").split()
    folder = Path(tempfile.gettempdir()) / "renga-kernels-on-the-host"
    folder.mkdir(exist_ok=True)
    path = folder / f"{hashlib.sha256(repr((source, options)).encode()).hexdigest()}.so"
    if not path.exists():
        scratch = Path(tempfile.mkdtemp(dir=folder))
        (scratch / "kernel.cpp").write_text(source)
        command = [
            "g++",
            "-std=c++17",
            "-mf16c",
            "-O1",
            "-shared",
            "-fPIC",
            "-w",
            *options,
            "-o",
            str(scratch / "kernel.so"),
            "kernel.cpp",
        ]
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{done.stderr}\n{source}"
        (scratch / "kernel.so").replace(path)
    return ctypes.CDLL(str(path))


class ElementwiseKernel:
    """The kernel's body in a loop over `i`; only raw arrays without gaps. `made` holds all there are."""

    made: list

    def __init__(self, in_params, out_params, operation, name="kernel", preamble=""):
        declared = [p.split() for p in f"{in_params},{out_params}".split(",") if p.strip()]
        self.params = [(words[-2], words[-1], words[0] == "raw") for words in declared]
        self.operation, self.name, self.preamble = operation, name, preamble
        self.outputs = [p.split()[-1] for p in out_params.split(",")]
        self.functions = {}
        ElementwiseKernel.made.append(self)

    def __call__(self, *args, size):
        known = {}
        for (kind, name, raw), value in zip(self.params, args, strict=True):
            if raw:
                assert isinstance(value, ndarray), name
                assert value.flags.c_contiguous, name
                assert known.setdefault(kind, value.dtype.name) == value.dtype.name or kind == value.dtype.name, name
        types = {kind: known[kind] if kind not in TYPES else kind for kind, _, _ in self.params}
        function = self.function(types)
        values = [
            ctypes.c_void_p(value.ctypes.data)
            if raw
            else TYPES[kind][1](value.item() if hasattr(value, "item") else value)
            for (kind, _, raw), value in zip(self.params, args, strict=True)
        ]
        launch(lambda: (args, function(ctypes.c_int64(size), *values)))

    def function(self, types):
        key = tuple(types.items())
        if key not in self.functions:
            typedefs = "".join(f"typedef {TYPES[t][0]} {kind};\n" for kind, t in types.items() if kind not in TYPES)
            params = [f"{TYPES[types[kind]][0]} {'*' if raw else ''}{name}" for kind, name, raw in self.params]
            loop = f"run_each_(n_, [&](std::ptrdiff_t i) {{\n{self.operation};\n}});"
            entry = f'extern "C" void run(long long n_, {", ".join(params)}) {{ {loop} }}'
            self.functions[key] = build(PRELUDE + typedefs + self.preamble + entry).run
        return self.functions[key]


class RawModule:
    """Kernels by name; arguments are arrays, numbers of NumPy, and structures by value. `made` holds all there are."""

    made: list = []

    def __init__(self, code):
        RawModule.made.append(code)
        theirs = ("#include <cuda_fp16.h>", "#include <cuda_bf16.h>", "typedef __half float16;")
        self.code = code
        for line in (*theirs, "typedef __nv_bfloat16 bfloat16;"):
            self.code = self.code.replace(line, "")
        self.library = None

    def get_function(self, name):
        kernels = re.findall(r'extern "C" __global__ void (\w+)\(([^)]*)\)', self.code)
        params = {kernel: [p.strip().rpartition(" ")[0] for p in given.split(",")] for kernel, given in kernels}
        if self.library is None:
            shared = "true" if "__syncthreads" in self.code else "false"
            runs = ""
            for kernel, types in params.items():
                given = ", ".join(f"*({kind}*)args[{k}]" for k, kind in enumerate(types))
                runs += f"""
                static void body_{kernel}(void** args) {{ {kernel}({given}); }}
                extern "C" void run_{kernel}(int gx, int gy, int bx, int by, void** args) {{
                  run_(body_{kernel}, {shared}, gx, gy, bx, by, args);
                }}"""
            # Tables of many addresses, of which a GPU has one for all threads, are not copied to each thread's stack.
            code = re.sub(r"(?<=[(,])( ?)(\w+<\w+>|Numbers) (\w+)(?=[,)][^{;]*\{)", r"\1const \2& \3", self.code)
            self.library = build(PRELUDE + BLOCKS + code + runs)
        function = getattr(self.library, f"run_{name}")

        def start(grid, block, args):
            assert len(args) == len(params[name])
            held = [_bytes(value, kind) for value, kind in zip(args, params[name], strict=True)]
            pointers = (ctypes.c_void_p * len(held))(*[x.ctypes.data for x in held])
            (gx, gy), (bx, by) = ((*sizes, 1)[:2] for sizes in (grid, block))
            assert bx * by <= 1024
            launch(lambda: (args, held, function(gx, gy, bx, by, pointers)))

        return start


def _bytes(value, kind):
    """What a kernel is given for an argument of that type: the address of an array, else the value itself."""
    if isinstance(value, ndarray):
        assert value.flags.c_contiguous
        assert kind.endswith("*"), kind
        wanted = kind.removeprefix("const ").removesuffix("*").strip().removeprefix("Wide<").removesuffix(">::type")
        names = {half: "float32" if "Wide" in kind else half for half in ("float16", "bfloat16")}
        names.update(
            {"float": "float32", "double": "float64", "char": "int8", "unsigned char": "uint8", "int": "int32"}
        )
        assert names.get(wanted, "int64") == value.dtype.name, (kind, value.dtype)
        return np.array([value.ctypes.data], np.uint64)
    if not isinstance(value, np.ndarray):
        assert isinstance(value, np.generic), f"{value!r} is no number of NumPy"
        assert {"long long": "int64", "double": "float64"}[kind] == value.dtype.name
    return np.array(value)


@contextlib.contextmanager
def using_allocator(allocator=None):
    state.log.append("own memory")
    yield


def get_device_count():
    if isinstance(state.devices, Exception):
        raise state.devices
    return state.devices


def made(function):
    """The same function of NumPy, returning arrays that are this module's."""

    def wrapped(*args, **kwargs):
        result = function(*args, **kwargs).view(ndarray)
        result._device = state.device if not isinstance(args[0], ndarray) else args[0]._device
        return result

    return wrapped


class Pool:
    malloc = None

    def used_bytes(self):
        return 10

    def total_bytes(self):
        return 20

    def n_free_blocks(self):
        return 3


def cupy():
    """The module `cupy`, and those in it that the package imports."""
    module = types.ModuleType("cupy")
    for name in ("asarray", "array", "empty", "zeros", "ascontiguousarray", "argsort", "broadcast_to"):
        setattr(module, name, made(getattr(np, name)))
    module.asnumpy = lambda x: np.array(x).view(np.ndarray)
    module.uint8 = np.uint8
    module.add = np.add
    module.ndarray, module.__version__ = ndarray, "14.0.0"
    module.ElementwiseKernel, module.RawModule = ElementwiseKernel, RawModule
    module.get_default_memory_pool = module.get_default_pinned_memory_pool = Pool
    runtime = types.SimpleNamespace(
        getDeviceCount=get_device_count,
        getDeviceProperties=lambda device: {
            "name": state.model,
            "major": 8,
            "minor": 0,
            "multiProcessorCount": 108,
            "totalGlobalMem": 1 << 34,
        },
        CUDARuntimeError=FakeError,
        driverGetVersion=lambda: state.version,
        runtimeGetVersion=lambda: state.version,
    )
    module.cuda = types.SimpleNamespace(
        Device=Device,
        Event=Event,
        MemoryPool=Pool,
        PinnedMemoryPointer=PinnedMemoryPointer,
        Stream=Stream,
        get_current_stream=current,
        get_cublas_handle=lambda: 4711,
        runtime=runtime,
        using_allocator=using_allocator,
    )
    tricks = types.ModuleType("cupy.lib.stride_tricks")
    tricks.as_strided = lambda x, shape, strides: np.lib.stride_tricks.as_strided(x, shape, strides, subok=True)
    cupyx = types.ModuleType("cupyx")
    cupyx.empty_pinned = lambda shape, dtype: np.empty(shape, dtype)
    return {"cupy": module, "cupy.lib": types.ModuleType("cupy.lib"), "cupy.lib.stride_tricks": tricks, "cupyx": cupyx}
