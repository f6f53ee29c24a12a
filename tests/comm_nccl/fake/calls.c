/* The calls for communication: their arguments are checked, then they go to the group or to the stream. */
#include <string.h>

#include "communicator.h"

static ncclResult_t check_op(struct ncclComm *comm, const struct signature *what, const char *name) {
    int op = what->op, made = op - ncclNumOps;
    if (op < 0 || made >= MAX_OPERATORS || (made >= 0 && !comm->operators[made].used))
        return fail(comm, ncclInvalidArgument, "%s: there is no operator %d", name, op);
    if (made >= 0 && comm->operators[made].datatype != what->datatype)
        return fail(comm, ncclInvalidArgument, "%s: operator %d was made for another type", name, op);
    if (what->datatype >= ncclFloat8e4m3)
        return fail(comm, ncclInvalidArgument, "%s: the stand-in does not reduce float8", name);
    return ncclSuccess;
}

static ncclResult_t check_call(struct ncclComm *comm, fakecudaStream_t stream, const struct call *call) {
    const struct signature *what = &call->what;
    const char *name = function_names[what->function];
    if (what->datatype < 0 || what->datatype >= ncclNumTypes)
        return fail(comm, ncclInvalidArgument, "%s: there is no type %d", name, what->datatype);
    if (what->root < -1 || what->root >= comm->nranks)
        return fail(comm, ncclInvalidArgument, "%s: there is no rank %d among %d", name, what->root, comm->nranks);
    if (what->function <= Reduce || what->function == ReduceScatter) {
        ncclResult_t result = check_op(comm, what, name);
        if (result) return result;
    }
    int at_root = what->root == comm->rank;
    int needs_send = what->function == Broadcast || what->function == Scatter ? at_root : what->function != Recv;
    int needs_receive = what->function == Reduce || what->function == Gather ? at_root : what->function != Send;
    if (what->count && ((needs_send && !call->send) || (needs_receive && !call->receive)))
        return fail(comm, ncclInvalidArgument, "%s: a buffer is NULL", name);
    uint64_t largest = what->count * datatype_size[what->datatype];
    if (what->function >= ReduceScatter && what->function <= Scatter) largest *= (uint64_t)comm->nranks;
    if (what->function < Send && largest > comm->region->window)
        return fail(comm, ncclSystemError, "%s: %llu bytes; the stand-in takes %llu (FAKE_NCCL_WINDOW_MB)", name,
                    (unsigned long long)largest, (unsigned long long)comm->region->window);
    if (atomic_load(&comm->stop)) return fail(comm, ncclInvalidUsage, "%s: the communicator is revoked", name);
    if (atomic_load(&comm->finalized)) return fail(comm, ncclInvalidUsage, "%s: the communicator is finalized", name);
    if (!stream) return fail(comm, ncclUnhandledCudaError, "%s: not a stream", name);
    if (stream_device(stream) != comm->device)
        return fail(comm, ncclUnhandledCudaError, "%s: the stream is on device %d, the communicator on %d", name,
                    stream_device(stream), comm->device);
    if (next_call_is_refused(comm)) return fail(comm, ncclSystemError, "%s: a fault was asked for", name);
    return ncclSuccess;
}

static ncclResult_t communicate(function_t function, const void *send, void *receive, size_t count, int datatype, int op,
                                int root, struct ncclComm *comm, cudaStream_t handle) {
    struct call call = {{count, function, datatype, op, root}, send, receive, 0, NULL, 0};
    ncclResult_t result = check_communicator(comm, function_names[function]);
    if (result) return group_remember_error(result);
    fakecudaStream_t stream = stream_of_handle(handle, comm->device);
    result = check_call(comm, stream, &call);
    if (result || (count == 0 && function < Send)) return group_remember_error(result);
    if (op >= ncclNumOps) {
        call.scalar = comm->operators[op - ncclNumOps].value;
        call.scalar_pointer = comm->operators[op - ncclNumOps].pointer;
    }
    return group_add_call(comm, stream, &call);
}

ncclResult_t ncclAllReduce(const void *send, void *receive, size_t count, ncclDataType_t datatype, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream) {
    return communicate(AllReduce, send, receive, count, datatype, op, -1, comm, stream);
}

ncclResult_t ncclReduce(const void *send, void *receive, size_t count, ncclDataType_t datatype, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t stream) {
    return communicate(Reduce, send, receive, count, datatype, op, root, comm, stream);
}

ncclResult_t ncclBroadcast(const void *send, void *receive, size_t count, ncclDataType_t datatype, int root,
                           ncclComm_t comm, cudaStream_t stream) {
    return communicate(Broadcast, send, receive, count, datatype, -1, root, comm, stream);
}

ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t datatype, int root, ncclComm_t comm,
                       cudaStream_t stream) {
    return communicate(Broadcast, buffer, buffer, count, datatype, -1, root, comm, stream);
}

ncclResult_t ncclReduceScatter(const void *send, void *receive, size_t count, ncclDataType_t datatype, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t stream) {
    return communicate(ReduceScatter, send, receive, count, datatype, op, -1, comm, stream);
}

ncclResult_t ncclAllGather(const void *send, void *receive, size_t count, ncclDataType_t datatype, ncclComm_t comm,
                           cudaStream_t stream) {
    return communicate(AllGather, send, receive, count, datatype, -1, -1, comm, stream);
}

ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
    return communicate(Send, send, NULL, count, datatype, -1, peer, comm, stream);
}

ncclResult_t ncclRecv(void *receive, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
    return communicate(Recv, NULL, receive, count, datatype, -1, peer, comm, stream);
}

#if FAKE_NCCL_VERSION >= 22800
ncclResult_t ncclAlltoAll(const void *send, void *receive, size_t count, ncclDataType_t datatype, ncclComm_t comm,
                          cudaStream_t stream) {
    return communicate(AlltoAll, send, receive, count, datatype, -1, -1, comm, stream);
}

ncclResult_t ncclGather(const void *send, void *receive, size_t count, ncclDataType_t datatype, int root,
                        ncclComm_t comm, cudaStream_t stream) {
    return communicate(Gather, send, receive, count, datatype, -1, root, comm, stream);
}

ncclResult_t ncclScatter(const void *send, void *receive, size_t count, ncclDataType_t datatype, int root,
                         ncclComm_t comm, cudaStream_t stream) {
    return communicate(Scatter, send, receive, count, datatype, -1, root, comm, stream);
}
#endif

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t datatype,
                                      ncclScalarResidence_t residence, ncclComm_t comm) {
    ncclResult_t result = check_communicator(comm, "ncclRedOpCreatePreMulSum");
    if (result) return result;
    if (!op || !scalar || datatype < 0 || datatype >= ncclFloat8e4m3)
        return fail(comm, ncclInvalidArgument, "ncclRedOpCreatePreMulSum: no operator, no scalar, or no type");
    for (int i = 0; i < MAX_OPERATORS; i++) {
        if (comm->operators[i].used) continue;
        comm->operators[i].used = 1;
        comm->operators[i].datatype = datatype;
        comm->operators[i].pointer = residence == ncclScalarDevice ? scalar : NULL;
        comm->operators[i].value = residence == ncclScalarDevice ? 0 : scalar_value(scalar, datatype);
        *op = ncclNumOps + i;
        return ncclSuccess;
    }
    return fail(comm, ncclInternalError, "ncclRedOpCreatePreMulSum: %d operators are in use", MAX_OPERATORS);
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
    ncclResult_t result = check_communicator(comm, "ncclRedOpDestroy");
    if (result) return result;
    int made = op - ncclNumOps;
    if (made < 0 || made >= MAX_OPERATORS || !comm->operators[made].used)
        return fail(comm, ncclInvalidArgument, "ncclRedOpDestroy: operator %d was not made here", op);
    comm->operators[made].used = 0;
    return ncclSuccess;
}
