"""Parts of an hour with a GPU: programs that print rows as JSON, and end with status 77 without a GPU."""
