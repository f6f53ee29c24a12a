/* The variables of the environment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "communicator.h"

long environment_number(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 10) : otherwise;
}

static int says(const char *name, const char *word) {
    const char *text = getenv(name);
    return text && strcmp(text, word) == 0;
}

static void copy_text(const char *name, char *text, size_t size) {
    const char *value = getenv(name);
    snprintf(text, size, "%s", value ? value : "");
}

static uint64_t hash(const char *name) {
    const char *text = getenv(name);
    uint64_t value = 14695981039346656037u;
    for (; text && *text; text++) value = (value ^ (unsigned char)*text) * 1099511628211u;
    return value;
}

void read_settings(struct settings *settings) {
    settings->poison = environment_number("FAKE_NCCL_POISON", 0) != 0;
    settings->mismatch_hangs = says("FAKE_NCCL_MISMATCH", "hang");
    settings->death_unnoticed = says("FAKE_NCCL_DEATH", "hang");
    settings->stops_silently = says("FAKE_NCCL_STOPPED", "silent");
    settings->concurrent = environment_number("FAKE_NCCL_CONCURRENT", 0) != 0;
    settings->multi_rank = environment_number("NCCL_MULTI_RANK_GPU_ENABLE", 0) != 0;
    settings->host = hash("NCCL_HOSTID");
    settings->delay_us = environment_number("FAKE_NCCL_DELAY_US", 0);
    settings->seed = environment_number("FAKE_NCCL_SEED", 0);
    settings->hang_report = environment_number("FAKE_NCCL_HANG_REPORT", 0);
    copy_text("FAKE_NCCL_FAULTS", settings->faults, sizeof(settings->faults));
    copy_text("FAKE_NCCL_FAULT_FILE", settings->fault_file, sizeof(settings->fault_file));
}
