"""A data frame becomes sites, and rows become a data frame again."""
