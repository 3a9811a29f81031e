"""Files that released versions of this package have written, and a test that this one still reads
them."""
