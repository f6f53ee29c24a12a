/* The ends of a communicator: finalize, destroy, abort, revoke. */
#include "communicator.h"

int drain(struct ncclComm *comm) {
    struct patience patience = {0};
    while (atomic_load(&comm->finished) < atomic_load(&comm->issued)) {
        if (atomic_load(&comm->stop) || has_failed(comm)) break;
        relax_and_watch(comm, &patience, "the calls before ncclCommFinalize");
    }
    return atomic_load(&comm->stop) != RUNNING;
}

void wait_until_nothing_runs(struct ncclComm *comm) {
    struct patience patience = {0};
    while (atomic_load(&comm->running)) relax(&patience);
}

/* Waits for the ranks in other processes to end too, dead ones included: that takes for ever, as with NCCL. Ranks of
 * this process do not count, or one thread could not destroy several communicators. */
static void wait_for_others(struct ncclComm *comm) {
    struct seat *seats = comm->region->seats;
    atomic_store(&seats[comm->rank].quiet, 1);
    for (int rank = 0; rank < comm->nranks; rank++) {
        struct patience patience = {0};
        while (seats[rank].pid != seats[comm->rank].pid && !atomic_load(&seats[rank].quiet) &&
               atomic_load(&seats[rank].state) < LEFT && !atomic_load(&comm->stop))
            relax_and_watch(comm, &patience, "ncclCommFinalize or ncclCommDestroy");
    }
}

static void *finalize(void *argument) {
    struct ncclComm *comm = argument;
    drain(comm);
    wait_for_others(comm);
    int expected = ncclInProgress;
    atomic_compare_exchange_strong(&comm->asynchronous, &expected, ncclSuccess);
    atomic_fetch_sub(&comm->running, 1);
    return NULL;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
    if (!comm) return ncclSuccess;
    ncclResult_t result = check_communicator(comm, "ncclCommFinalize");
    if (result) return result;
    if (atomic_load(&comm->stop) || atomic_exchange(&comm->finalized, 1))
        return fail(comm, ncclInvalidUsage, "ncclCommFinalize: the communicator is finalized or revoked already");
    atomic_fetch_add(&comm->running, 1);
    if (comm->blocking) {
        finalize(comm);
        return ncclSuccess;
    }
    atomic_store(&comm->asynchronous, ncclInProgress);
    run_in_background(finalize, comm);
    return ncclInProgress;
}

static void leave(struct ncclComm *comm, int state) {
    if (!atomic_exchange(&comm->alive, 0) || !comm->region) return;
    atomic_store(&comm->region->seats[comm->rank].state, state);
    region_release_windows(comm);
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    if (!comm) return ncclSuccess;
    ncclResult_t result = check_communicator(comm, "ncclCommDestroy");
    /* A failed communicator may be destroyed, and hangs if a rank is dead. */
    if (result && (!atomic_load(&comm->alive) || result == ncclInvalidArgument)) return result;
    if (!atomic_load(&comm->stop)) {
        if (!atomic_exchange(&comm->finalized, 1)) drain(comm);
        wait_for_others(comm);
    }
    wait_until_nothing_runs(comm);
    leave(comm, LEFT);
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
    ncclResult_t state;
    if (!comm) return ncclSuccess;
    ncclResult_t result = ncclCommGetAsyncError(comm, &state);
    if (result) return result;
    atomic_store(&comm->stop, STOPPED_BY_ABORT);
    wait_until_nothing_runs(comm);
    leave(comm, ABORTED);
    return ncclSuccess;
}

#if FAKE_NCCL_VERSION >= 22807
ncclResult_t ncclCommRevoke(ncclComm_t comm, int flags) {
    ncclResult_t state;
    if (!comm) return ncclSuccess;
    ncclResult_t result = ncclCommGetAsyncError(comm, &state);
    if (result) return result;
    if (flags != NCCL_REVOKE_DEFAULT) return fail(comm, ncclInvalidArgument, "ncclCommRevoke: flags must be 0");
    if (atomic_exchange(&comm->stop, STOPPED_BY_REVOKE))
        return fail(comm, ncclInvalidUsage, "ncclCommRevoke: the communicator is revoked already");
    wait_until_nothing_runs(comm);
    atomic_store(&comm->asynchronous, ncclSuccess);
    return ncclSuccess;
}
#endif
