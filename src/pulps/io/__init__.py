"""The world outside: files, workers, and the insides of other libraries."""
