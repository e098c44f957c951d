"""What a fitted model is asked: why, which column, which row next, are these rows new."""
