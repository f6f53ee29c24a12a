"""Tables of names that this package offers, one module for each part. Importing them imports none of the parts."""
