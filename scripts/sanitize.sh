#!/bin/sh
# Build the native kernel with AddressSanitizer and UndefinedBehaviorSanitizer and run the
# engine's tests on it. Any finding ends the run with an error.
#
#   scripts/sanitize.sh [python]
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
python=${1:-python}
cxx=${CXX:-g++}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

"$cxx" -std=c++17 -O1 -g1 -fPIC -shared -pthread -Wall -Wextra -Werror -Wno-psabi \
    -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all \
    "$root/src/pulps/network/engine/kernel/kernel.cpp" -o "$build/_kernel.so"

# The interpreter was not built with the sanitizers, so their runtime must be loaded first;
# what Python and PyTorch themselves leave behind is not our finding.
preload="$("$cxx" -print-file-name=libasan.so) $("$cxx" -print-file-name=libubsan.so)"
cd "$root"
export LD_PRELOAD="$preload"
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export PULPS_KERNEL_DIR="$build"
PULPS_ENGINE=native "$python" -c "from pulps.network.engine import active_engine; print(*active_engine())"
"$python" -m pytest -q -p no:cacheprovider tests/network/test_engine.py tests/network/test_engine_factors.py tests/network/test_engine_missing.py tests/network/test_engine_one_hot.py tests/network/test_engine_few_values.py
echo "No findings."
