"""Networks, a folder for each family."""
