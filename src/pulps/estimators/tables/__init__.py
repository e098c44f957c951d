"""Models of tables with positive and unlabeled rows, from the rows of a fit to new rows."""
