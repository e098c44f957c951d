"""Settings shared by all tests."""

import torch
from hypothesis import settings

settings.register_profile("pulps", deadline=None, derandomize=True)
settings.load_profile("pulps")

# Two test processes on two cores: threads inside each would only get in the way.
torch.set_num_threads(1)
