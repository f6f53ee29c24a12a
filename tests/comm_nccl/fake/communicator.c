/* Making, asking, ending communicators. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "communicator.h"

static struct ncclComm *all_communicators; /* kept for ever, so that a stale handle can be told */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

struct ncclComm *make_communicator(void) {
    struct ncclComm *comm = calloc(1, sizeof(*comm));
    if (!comm) abort();
    read_settings(&comm->settings);
    comm->blocking = 1;
    comm->device = device_current();
    atomic_store(&comm->alive, 1);
    pthread_mutex_lock(&list_lock);
    comm->next = all_communicators;
    all_communicators = comm;
    pthread_mutex_unlock(&list_lock);
    return comm;
}

/* A handle that is NULL, unknown, or of a communicator that is gone. */
static ncclResult_t check_handle(struct ncclComm *comm, const char *function) {
    struct ncclComm *found;
    pthread_mutex_lock(&list_lock);
    for (found = all_communicators; found && found != comm;) found = found->next;
    pthread_mutex_unlock(&list_lock);
    if (!found) return fail(NULL, ncclInvalidArgument, "%s: not a communicator", function);
    if (!atomic_load(&comm->alive))
        return fail(comm, ncclInvalidArgument, "%s: the communicator was destroyed or aborted", function);
    return ncclSuccess;
}

ncclResult_t check_communicator(struct ncclComm *comm, const char *function) {
    ncclResult_t result = check_handle(comm, function);
    if (result) return result;
    ncclResult_t state;
    ncclCommGetAsyncError(comm, &state);
    if (state == ncclInProgress)
        return fail(comm, ncclInvalidArgument, "%s: the previous call on this communicator is still in progress; ask "
                    "ncclCommGetAsyncError until it says ncclSuccess", function);
    if (state) return fail(comm, state, "%s: the communicator has failed before: %s", function, comm->error);
    return ncclSuccess;
}

/* The size of ncclConfig_t in each version that made it longer. */
static const struct {
    unsigned int version;
    size_t size;
} config_sizes[] = {{21400, 24}, {21700, 40}, {21800, 48}, {22700, 72}, {22800, 80}, {22900, 88}};

ncclResult_t read_config(const ncclConfig_t *config, struct ncclComm *comm) {
    if (!config) return ncclSuccess;
    if (config->magic != NCCL_CONFIG_MAGIC)
        return fail(NULL, ncclInvalidArgument, "ncclConfig_t is not initialized: its magic number is %#x",
                    config->magic);
    size_t expected = 0;
    for (size_t i = 0; i < sizeof(config_sizes) / sizeof(*config_sizes); i++)
        if (config->version >= config_sizes[i].version) expected = config_sizes[i].size;
    if (config->size != expected)
        return fail(NULL, ncclInvalidArgument, "ncclConfig_t says version %u and size %zu; in that version it has %zu",
                    config->version, config->size, expected);
    if (config->blocking != NCCL_CONFIG_UNDEF_INT) {
        if (config->blocking != 0 && config->blocking != 1)
            return fail(NULL, ncclInvalidArgument, "ncclConfig_t.blocking is %d, not 0 or 1", config->blocking);
        comm->blocking = config->blocking;
    }
    return ncclSuccess;
}

static ncclResult_t refuse(struct region *region, ncclResult_t code, const char *text) {
    snprintf(region->reason, sizeof(region->reason), "%s", text);
    atomic_store(&region->refused, code);
    return fail(NULL, code, "%s", text);
}

static ncclResult_t check_devices(struct ncclComm *comm) {
    for (int a = 0; a < comm->nranks; a++)
        for (int b = 0; b < a; b++) {
            struct seat *one = &comm->region->seats[b], *other = &comm->region->seats[a];
            if (one->device != other->device || one->host != other->host) continue;
            if (!comm->settings.multi_rank)
                return fail(comm, ncclInvalidUsage, "Duplicate GPU detected: rank %d and rank %d are both on device %d",
                            b, a, one->device);
            if (a == comm->rank || b == comm->rank) comm->shared_device = 1;
        }
    return ncclSuccess;
}

ncclResult_t join(struct ncclComm *comm, int nranks, const ncclUniqueId *id, int rank) {
    char text[256];
    ncclResult_t why = ncclSuccess;
    comm->region = region_attach(id, &comm->windows, &comm->pipes, &why);
    if (!comm->region) return why;
    struct region *region = comm->region;
    struct seat *seat = &region->seats[rank];
    int none = 0, absent = ABSENT;
    comm->rank = rank;
    comm->nranks = nranks;
    if (!atomic_compare_exchange_strong(&region->nranks, &none, nranks) && none != nranks) {
        snprintf(text, sizeof(text), "rank %d was given %d ranks, another %d", rank, nranks, none);
        return refuse(region, ncclInvalidArgument, text);
    }
    if (!atomic_compare_exchange_strong(&seat->state, &absent, JOINING)) {
        snprintf(text, sizeof(text), "rank %d has joined twice", rank);
        return refuse(region, ncclInvalidUsage, text);
    }
    process_born(&seat->pid, &seat->born);
    seat->device = device_physical(comm->device);
    seat->host = comm->settings.host;
    atomic_store(&seat->state, JOINED);
    for (int other = 0; other < nranks; other++) {
        struct patience patience = {0};
        while (atomic_load(&region->seats[other].state) < JOINED) {
            if (atomic_load(&region->refused)) return fail(comm, atomic_load(&region->refused), "%s", region->reason);
            if (atomic_load(&comm->stop)) return fail(comm, ncclInternalError, "the communicator was aborted");
            if (has_failed(comm)) return fail(comm, atomic_load(&comm->asynchronous), "%s", comm->error);
            int dead = patience.turns % 64 == 63 ? dead_among_awaited(comm) : -1;
            if (dead >= 0) return fail(comm, ncclRemoteError, "rank %d of the parent died meanwhile", dead);
            relax_and_watch(comm, &patience, "ncclCommInitRank");
        }
    }
    atomic_fetch_add(&region->joined, 1);
    regions_close_complete();
    return check_devices(comm);
}

static void *join_in_background(void *argument) {
    struct init *init = argument;
    ncclResult_t result = join(init->comm, init->nranks, &init->id, init->rank);
    if (result) snprintf(init->comm->error, sizeof(init->comm->error), "%s", ncclGetLastError(NULL));
    atomic_store(&init->comm->asynchronous, result);
    atomic_fetch_sub(&init->comm->running, 1);
    free(init);
    return NULL;
}

void run_in_background(void *(*function)(void *), void *argument) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, argument)) abort();
    pthread_detach(thread);
}

ncclResult_t begin_join(ncclComm_t *handle, const struct init *init) {
    ncclResult_t result = ncclSuccess;
    *handle = init->comm;
    if (group_active()) {
        group_add_init(init);
    } else if (init->comm->blocking) {
        result = join(init->comm, init->nranks, &init->id, init->rank);
        if (result) {
            atomic_store(&init->comm->alive, 0);
            *handle = NULL;
        }
    } else {
        atomic_store(&init->comm->asynchronous, ncclInProgress);
        atomic_fetch_add(&init->comm->running, 1);
        run_in_background(join_in_background, request_copy(init, sizeof(*init)));
        result = ncclInProgress;
    }
    return result;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *handle, int nranks, ncclUniqueId id, int rank, ncclConfig_t *config) {
    if (!handle) return fail(NULL, ncclInvalidArgument, "ncclCommInitRank: no place for the communicator");
    if (nranks < 1 || nranks > MAX_RANKS || rank < 0 || rank >= nranks)
        return fail(NULL, ncclInvalidArgument, "ncclCommInitRank: rank %d of %d (the stand-in takes up to %d ranks)", rank,
                    nranks, MAX_RANKS);
    struct ncclComm *comm = make_communicator();
    ncclResult_t result = read_config(config, comm);
    if (result) return result;
    fault_set_world_rank(rank);
    struct init init = {comm, nranks, rank, id};
    return begin_join(handle, &init);
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank) {
    return ncclCommInitRankConfig(comm, nranks, id, rank, NULL);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error) {
    ncclResult_t result = check_handle(comm, "ncclCommGetAsyncError");
    if (result) return result;
    *error = (ncclResult_t)atomic_load(&comm->asynchronous);
    if (!*error && monotonic_nanoseconds() < atomic_load(&comm->busy_until)) *error = ncclInProgress;
    return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count) {
    ncclResult_t result = check_communicator(comm, "ncclCommCount");
    if (!result) *count = comm->nranks;
    return result;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device) {
    ncclResult_t result = check_communicator(comm, "ncclCommCuDevice");
    if (!result) *device = comm->device;
    return result;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) {
    ncclResult_t result = check_communicator(comm, "ncclCommUserRank");
    if (!result) *rank = comm->rank;
    return result;
}
