"""Settings shared by all tests."""

from hypothesis import settings

settings.register_profile("pulps", deadline=None, derandomize=True)
settings.load_profile("pulps")
