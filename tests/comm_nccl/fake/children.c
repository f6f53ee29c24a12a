/* Communicators made from others: split, shrink, grow.
 *
 * Every rank counts the children of a communicator. For the n-th it leaves a notice in the shared memory of the parent;
 * the first rank of a child makes the new unique id and leaves it in its notice, from which the others take it.
 */
#include <string.h>

#include "communicator.h"

enum { SPLIT = 1, SHRINK, GROW };

#if FAKE_NCCL_VERSION >= 21800
static ncclResult_t check_parent(struct ncclComm *comm, const char *function, int may_have_failed) {
    ncclResult_t result = check_communicator(comm, function);
    if (result && !(may_have_failed && atomic_load(&comm->alive) && has_failed(comm))) return result;
    if (atomic_load(&comm->finalized)) return fail(comm, ncclInvalidUsage, "%s: the parent is finalized", function);
    if (comm->children == MAX_CHILDREN)
        return fail(comm, ncclSystemError, "%s: the stand-in makes %d children of a communicator", function,
                    MAX_CHILDREN);
    if (group_active()) return fail(comm, ncclInvalidUsage, "%s: the stand-in takes no groups here", function);
    return ncclSuccess;
}

static void leave_notice(struct ncclComm *parent, int kind, int color, int key) {
    struct notice *mine = &parent->region->notices[parent->children][parent->rank];
    mine->kind = kind;
    mine->color = color;
    mine->key = key;
    atomic_store(&mine->posted, 1);
}

/* The notice of `rank` for the child being made. NULL, with the reason in `result`, if it does not come. */
static struct notice *read_notice(struct ncclComm *parent, int rank, int kind, const char *function,
                                  ncclResult_t *result) {
    struct notice *notice = &parent->region->notices[parent->children][rank];
    struct seat *seat = &parent->region->seats[rank];
    struct patience patience = {0};
    while (!atomic_load(&notice->posted)) {
        if (atomic_load(&parent->stop) == STOPPED_BY_ABORT) {
            *result = fail(parent, ncclInternalError, "%s: the communicator was aborted", function);
            return NULL;
        }
        if (patience.turns % 64 == 63 && (seat_is_dead(seat) || atomic_load(&seat->state) == ABORTED)) {
            *result = fail(parent, ncclRemoteError, "%s: rank %d is dead or has aborted the communicator", function, rank);
            return NULL;
        }
        relax_and_watch(parent, &patience, function);
    }
    if (notice->kind == kind) return notice;
    *result = fail(parent, ncclInvalidUsage, "%s: rank %d makes another kind of child", function, rank);
    return NULL;
}

/* A new communicator that has what its parent has, but for what `config` says. */
static ncclResult_t make_child(struct ncclComm *parent, uint32_t awaited, const ncclConfig_t *config,
                               struct ncclComm **child) {
    *child = make_communicator();
    (*child)->device = parent->device;
    (*child)->blocking = parent->blocking;
    (*child)->parent = parent;
    (*child)->awaited = awaited;
    return read_config(config, *child);
}

/* Joins a child whose first rank has the number `first` in the parent. */
static ncclResult_t join_child(struct ncclComm *parent, int first, uint32_t members, int rank, ncclComm_t *handle,
                               const ncclConfig_t *config) {
    struct notice *notice = &parent->region->notices[parent->children++][first];
    struct ncclComm *child;
    ncclResult_t result = make_child(parent, members, config, &child);
    if (!result && parent->rank == first) {
        result = region_create(&notice->id);
        atomic_store(&notice->id_posted, !result);
    }
    if (result) return result;
    struct patience patience = {0};
    while (!atomic_load(&notice->id_posted)) {
        if (patience.turns % 64 == 63 && dead_among_awaited(child) >= 0)
            return fail(parent, ncclRemoteError, "rank %d of the parent died meanwhile", dead_among_awaited(child));
        relax(&patience);
    }
    struct init init = {child, __builtin_popcount(members), rank, notice->id};
    return begin_join(handle, &init);
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *newcomm, ncclConfig_t *config) {
    ncclResult_t result = check_parent(comm, "ncclCommSplit", 0);
    if (result) return result;
    if (!newcomm || (color < 0 && color != NCCL_SPLIT_NOCOLOR))
        return fail(comm, ncclInvalidArgument, "ncclCommSplit: color %d", color);
    int first = comm->rank, smaller = 0, first_key = key;
    uint32_t members = 0;
    *newcomm = NULL;
    leave_notice(comm, SPLIT, color, key);
    for (int rank = 0; rank < comm->nranks; rank++) {
        struct notice *notice = read_notice(comm, rank, SPLIT, "ncclCommSplit", &result);
        if (!notice) return result;
        if (notice->color != color) continue;
        members |= 1u << rank;
        smaller += notice->key < key || (notice->key == key && rank < comm->rank);
        if (notice->key < first_key || (notice->key == first_key && rank < first)) {
            first = rank;
            first_key = notice->key;
        }
    }
    if (color != NCCL_SPLIT_NOCOLOR) return join_child(comm, first, members, smaller, newcomm, config);
    comm->children++;
    return ncclSuccess;
}
#endif

#if FAKE_NCCL_VERSION >= 22703
ncclResult_t ncclCommShrink(ncclComm_t comm, int *exclude, int exclude_count, ncclComm_t *newcomm, ncclConfig_t *config,
                            int flags) {
    ncclResult_t result = check_parent(comm, "ncclCommShrink", flags == NCCL_SHRINK_ABORT);
    if (result) return result;
    if (!newcomm || !exclude || exclude_count < 1 || exclude_count >= comm->nranks ||
        (flags != NCCL_SHRINK_DEFAULT && flags != NCCL_SHRINK_ABORT))
        return fail(comm, ncclInvalidArgument, "ncclCommShrink: %d ranks excluded of %d, flags %d", exclude_count,
                    comm->nranks, flags);
    char excluded[MAX_RANKS] = {0};
    for (int i = 0; i < exclude_count; i++) {
        if (exclude[i] < 0 || exclude[i] >= comm->nranks || excluded[exclude[i]])
            return fail(comm, ncclInvalidArgument, "ncclCommShrink: rank %d excluded of %d, or twice", exclude[i],
                        comm->nranks);
        excluded[exclude[i]] = 1;
    }
    if (excluded[comm->rank])
        return fail(comm, ncclInvalidArgument, "ncclCommShrink: called by rank %d, which it excludes", comm->rank);
    *newcomm = NULL;
    if (flags == NCCL_SHRINK_ABORT) {
        int running = RUNNING;
        atomic_compare_exchange_strong(&comm->stop, &running, STOPPED_BY_REVOKE);
        wait_until_nothing_runs(comm);
    } else
        drain(comm);
    leave_notice(comm, SHRINK, exclude_count, 0);
    int first = -1, smaller = 0;
    uint32_t members = 0;
    for (int rank = 0; rank < comm->nranks; rank++) {
        if (excluded[rank]) continue;
        if (first < 0) first = rank;
        smaller += rank < comm->rank;
        members |= 1u << rank;
        struct notice *notice = read_notice(comm, rank, SHRINK, "ncclCommShrink", &result);
        if (!notice) return result;
        if (notice->color != exclude_count)
            return fail(comm, ncclInvalidUsage, "ncclCommShrink: rank %d excludes other ranks", rank);
    }
    return join_child(comm, first, members, smaller, newcomm, config);
}
#endif

#if FAKE_NCCL_VERSION >= 22902
ncclResult_t ncclCommGetUniqueId(ncclComm_t comm, ncclUniqueId *id) {
    ncclResult_t result = check_parent(comm, "ncclCommGetUniqueId", 0);
    if (result) return result;
    if (!id) return fail(comm, ncclInvalidArgument, "ncclCommGetUniqueId: no place for the id");
    if (comm->grow_id_pending)
        return fail(comm, ncclInvalidUsage, "ncclCommGetUniqueId: the id before is not used yet by ncclCommGrow");
    comm->grow_id_pending = 1;
    return region_create(id);
}

/* A member of the parent: the one with the id tells it to the others. */
static ncclResult_t grow_member(struct ncclComm *parent, int nranks, const ncclUniqueId *id, ncclComm_t *newcomm,
                                ncclConfig_t *config) {
    int root = -1;
    ncclResult_t result = ncclSuccess;
    struct notice *mine = &parent->region->notices[parent->children][parent->rank];
    if (id) {
        parent->grow_id_pending = 0;
        mine->id = *id;
        atomic_store(&mine->id_posted, 1);
    }
    leave_notice(parent, GROW, id != NULL, nranks);
    for (int rank = 0; rank < parent->nranks; rank++) {
        struct notice *notice = read_notice(parent, rank, GROW, "ncclCommGrow", &result);
        if (!notice) return result;
        if (notice->key != nranks)
            return fail(parent, ncclInvalidUsage, "ncclCommGrow: rank %d grows to %d ranks, not %d", rank, notice->key,
                        nranks);
        if (notice->color && root >= 0)
            return fail(parent, ncclInvalidUsage, "ncclCommGrow: ranks %d and %d give a unique id", root, rank);
        if (notice->color) root = rank;
    }
    if (root < 0) return fail(parent, ncclInvalidUsage, "ncclCommGrow: no rank of the parent gives the unique id");
    struct ncclComm *child;
    result = make_child(parent, (uint32_t)((1ull << parent->nranks) - 1), config, &child);
    if (result) return result;
    struct init init = {child, nranks, parent->rank, parent->region->notices[parent->children++][root].id};
    return begin_join(newcomm, &init);
}

ncclResult_t ncclCommGrow(ncclComm_t comm, int nranks, const ncclUniqueId *id, int rank, ncclComm_t *newcomm,
                          ncclConfig_t *config) {
    if (!newcomm) return fail(comm, ncclInvalidArgument, "ncclCommGrow: no place for the communicator");
    *newcomm = NULL;
    if (!comm) {
        if (!id || rank < 0) return fail(NULL, ncclInvalidArgument, "ncclCommGrow: a new rank gives its id and number");
        return ncclCommInitRankConfig(newcomm, nranks, *id, rank, config);
    }
    ncclResult_t result = check_parent(comm, "ncclCommGrow", 0);
    if (result) return result;
    if (atomic_load(&comm->stop)) return fail(comm, ncclInvalidUsage, "ncclCommGrow: the parent is revoked");
    if (rank != -1 || nranks <= comm->nranks || nranks > MAX_RANKS)
        return fail(comm, ncclInvalidArgument, "ncclCommGrow: rank %d, from %d to %d ranks (a rank of the parent gives -1)",
                    rank, comm->nranks, nranks);
    drain(comm);
    return grow_member(comm, nranks, id, newcomm, config);
}
#endif
