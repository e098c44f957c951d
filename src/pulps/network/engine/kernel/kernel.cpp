// The compiled engine: log-norms of stacked chains and their gradients over plain buffers.
//
// No headers of Python or PyTorch: one build serves every version of both. The functions at
// the end are called through ctypes, which releases the interpreter's lock; they keep no state
// between calls. The same source is compiled for several instruction sets, and the best one
// the processor has is taken at run time.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace pulps {

constexpr int LONGEST_RUN = 16;
constexpr int RESCALE_EVERY = 8;  // as in blocks.py
constexpr double LOG_TWO = 0.693147180559945309417;

struct Dims {
    int32_t feature, left, output, right;
};

struct Sweep {
    int32_t n_sites, n_chains, n_rows, n_threads;
    int64_t cache_bytes;
    const Dims* dims;
    const void* const* cores;     // a site: (chains, feature, left, output, right)
    const void* const* features;  // a site: (rows, feature)
    const uint8_t* observed;      // (rows, sites), or null
};

// Hand out jobs to threads; each thread makes itself a worker first.
template <class Worker, class Job>
void share_out(int n_jobs, int n_threads, const std::function<Worker()>& hire, const Job& job) {
    std::atomic<int> next{0};
    std::atomic<bool> failed{false};
    const auto work = [&] {
        try {
            Worker worker = hire();
            for (int i = next++; i < n_jobs; i = next++) job(worker, i);
        } catch (...) {
            failed = true;
        }
    };
    std::vector<std::thread> threads;
    try {
        for (int t = 1; t < std::min(n_threads, n_jobs); t++) threads.emplace_back(work);
    } catch (...) {
        // No more threads to be had: those that started, and this one, do the work.
    }
    work();
    for (auto& thread : threads) thread.join();
    if (failed) throw std::bad_alloc();
}

}  // namespace pulps

using pulps::Dims;
using pulps::LOG_TWO;
using pulps::LONGEST_RUN;
using pulps::RESCALE_EVERY;
using pulps::share_out;
using pulps::Sweep;

#define PULPS_INSTANCE_FILE "instance.h"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#endif
namespace avx512 {
#define PULPS_BYTES 64
#include PULPS_INSTANCE_FILE
#undef PULPS_BYTES
}  // namespace avx512
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
namespace avx2 {
#define PULPS_BYTES 32
#include PULPS_INSTANCE_FILE
#undef PULPS_BYTES
}  // namespace avx2
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace generic {
#define PULPS_BYTES 16
#include PULPS_INSTANCE_FILE
#undef PULPS_BYTES
}  // namespace generic

namespace {

struct Instance {
    const char* name;
    int64_t (*saved_size)(const Sweep&, int);
    void (*forward)(const Sweep&, int, void*, void*);
    void (*backward)(const Sweep&, int, const void*, const void*, void* const*);
};

#define PULPS_INSTANCE(label, space) \
    { label, space::saved_size, space::forward, space::backward }

// Instruction sets from best to plainest; level says which one to take, 0 the best there is.
Instance choose(int level) {
#if defined(__x86_64__)
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                            __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512vl");
    if (level <= 0 && has_avx512) return PULPS_INSTANCE("AVX-512", avx512);
    if (level <= 1 && has_avx2) return PULPS_INSTANCE("AVX2", avx2);
#endif
    (void)level;
    return PULPS_INSTANCE("generic", generic);
}

template <class F>
int guarded(const F& f) {
    try {
        f();
        return 0;
    } catch (...) {
        return 1;
    }
}

}  // namespace

#if defined(_WIN32)
#define PULPS_API extern "C" __declspec(dllexport)
#else
#define PULPS_API extern "C" __attribute__((visibility("default")))
#endif

// Bumped when the interface below changes, so that a stale build is noticed.
PULPS_API int pulps_version() { return 1; }

PULPS_API const char* pulps_instructions(int level) { return choose(level).name; }

// Numbers to keep between forward and backward; bits is 32 or 64.
PULPS_API int64_t pulps_saved_size(const Sweep* sweep, int bits, int level) {
    int64_t size = -1;
    guarded([&] { size = choose(level).saved_size(*sweep, bits); });
    return size;
}

// Log-norms (chains, rows). Saved may be null. Returns 0, or 1 if memory ran out.
PULPS_API int pulps_forward(const Sweep* sweep, int bits, int level, void* saved, void* logs) {
    return guarded([&] { choose(level).forward(*sweep, bits, saved, logs); });
}

// Add gradients, a site each, shaped like the cores. Without saved, chunks are swept again.
PULPS_API int pulps_backward(const Sweep* sweep, int bits, int level, const void* saved,
                             const void* d_logs, void* const* grads) {
    return guarded([&] { choose(level).backward(*sweep, bits, saved, d_logs, grads); });
}
