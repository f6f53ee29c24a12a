/* The version, unique ids, and communicators of one process. */
#include <stdlib.h>

#include "communicator.h"

ncclResult_t ncclGetVersion(int *version) {
    if (!version) return fail(NULL, ncclInvalidArgument, "ncclGetVersion: no place for the version");
    *version = FAKE_NCCL_VERSION;
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
    if (!id) return fail(NULL, ncclInvalidArgument, "ncclGetUniqueId: no place for the id");
    regions_close_complete();
    return region_create(id);
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ndev, const int *devices) {
    int count, before = device_current();
    ncclUniqueId id;
    fakecudaGetDeviceCount(&count);
    if (!comms || ndev < 1) return fail(NULL, ncclInvalidArgument, "ncclCommInitAll: %d devices", ndev);
    ncclResult_t result = ncclGetUniqueId(&id);
    if (result) return result;
    ncclGroupStart();
    for (int rank = 0; rank < ndev && !result; rank++) {
        if (fakecudaSetDevice(devices ? devices[rank] : rank))
            result = fail(NULL, ncclInvalidArgument, "ncclCommInitAll: there is no device %d among %d",
                          devices ? devices[rank] : rank, count);
        else
            result = ncclCommInitRank(&comms[rank], ndev, id, rank);
    }
    group_remember_error(result);
    ncclResult_t end = ncclGroupEnd();
    fakecudaSetDevice(before);
    return result ? result : end;
}
