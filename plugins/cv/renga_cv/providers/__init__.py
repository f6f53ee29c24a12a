"""What this package offers, as names; one module for each part. Importing them imports none of the parts."""
