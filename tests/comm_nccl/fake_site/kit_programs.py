"""What ranks of the kit run beside its own programs; they find it on their path."""


def with_sums_by_nccl(program, communicator, device):
    communicator.set_config("sums", "nccl")
    program(communicator, device)
