"""The compiled kernel, found, loaded and called on plain arrays: NumPy is all that it needs."""
