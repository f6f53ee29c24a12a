/* Codes, messages and settings. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "communicator.h"

const size_t datatype_size[ncclNumTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
const char *const function_names[] = {"AllReduce", "Reduce", "Broadcast", "ReduceScatter", "AllGather",
                                      "AlltoAll",  "Gather", "Scatter",   "Send",          "Recv"};
static const char *const datatype_names[ncclNumTypes] = {
    "int8",    "uint8",   "int32",   "uint32",   "int64",      "uint64",
    "float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2"};
static const char *const op_names[ncclNumOps] = {"sum", "prod", "max", "min", "avg"};

static _Thread_local char last_error[512];
static pthread_mutex_t text_lock = PTHREAD_MUTEX_INITIALIZER;

const char *ncclGetErrorString(ncclResult_t result) {
    switch (result) {
    case ncclSuccess: return "no error";
    case ncclUnhandledCudaError: return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError: return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError: return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument: return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage: return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError: return "remote process exited or there was a network error";
    case ncclInProgress: return "NCCL operation in progress";
    default: return "unknown result code";
    }
}

int has_failed(struct ncclComm *comm) {
    int state = atomic_load(&comm->asynchronous);
    return state != ncclSuccess && state != ncclInProgress;
}

const char *ncclGetLastError(ncclComm_t comm) {
    /* An error of the asynchronous part wins: it is what the caller cannot know yet. */
    if (comm && has_failed(comm)) {
        pthread_mutex_lock(&text_lock);
        snprintf(last_error, sizeof(last_error), "%s", comm->error);
        pthread_mutex_unlock(&text_lock);
    }
    return last_error;
}

static int debug;
static pthread_once_t debug_once = PTHREAD_ONCE_INIT;

static void read_debug(void) { debug = getenv("NCCL_DEBUG") != NULL; }

ncclResult_t fail(struct ncclComm *comm, ncclResult_t code, const char *format, ...) {
    (void)comm;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof(last_error), format, arguments);
    va_end(arguments);
    pthread_once(&debug_once, read_debug);
    if (debug) fprintf(stderr, "fake NCCL: %s: %s\n", ncclGetErrorString(code), last_error);
    return code;
}

void fail_asynchronously(struct ncclComm *comm, ncclResult_t code, const char *format, ...) {
    char text[sizeof(comm->error)];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&text_lock);
    memcpy(comm->error, text, sizeof(text));
    pthread_mutex_unlock(&text_lock);
    atomic_store(&comm->asynchronous, code);
    fprintf(stderr, "fake NCCL: rank %d of %d: %s\n", comm->rank, comm->nranks, text);
    if (code == ncclInvalidUsage || !comm->settings.stops_silently) stream_fail_current();
}

void describe(const struct signature *call, char *text, size_t size) {
    const char *datatype = call->datatype < ncclNumTypes ? datatype_names[call->datatype] : "?";
    const char *op = call->op < 0 ? "" : call->op < ncclNumOps ? op_names[call->op] : "premulsum";
    int length = snprintf(text, size, "%s(count=%llu, %s%s%s", function_names[call->function],
                          (unsigned long long)call->count, datatype, *op ? ", " : "", op);
    if (call->root >= 0 && length >= 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, ", %s=%d)", call->function >= Send ? "peer" : "root",
                 call->root);
    else if (length >= 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, ")");
}
