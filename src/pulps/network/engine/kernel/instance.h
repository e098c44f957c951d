// One instruction set's whole engine: included by kernel.cpp with PULPS_BYTES, the width of
// a vector, inside a namespace and under the compiler's target options.

#include "lanes.h"
#include "problem.h"
#include "sweep.h"

// Single precision fills the vector; double precision has at least four lanes, because
// gradients are summed in tiles of four.
template <class T>
constexpr int width_of() {
    return std::max<int>(4, PULPS_BYTES / sizeof(T));
}

template <class T>
using ProblemOf = Problem<T, width_of<T>()>;
template <class T>
using SweeperOf = Sweeper<T, width_of<T>()>;

template <class T>
static void pack_weights(ProblemOf<T>& problem) {
    const Sweep& given = problem.given;
    if (!problem.anything_seen()) return;  // only cores are read then
    problem.weights = Buffer<T>(problem.weight_size * given.n_chains);
    share_out<int>(given.n_chains, given.n_threads, [] { return 0; }, [&](int, int chain) {
        for (int i = 0; i < given.n_sites; i++)
            problem.pack(chain, i,
                         problem.weights.at + problem.weight_size * chain + problem.weight_at[i]);
    });
}

template <class T>
static void forward_as(const Sweep& given, T* saved, T* logs) {
    ProblemOf<T> problem(given);
    pack_weights<T>(problem);
    const auto hire = [&] { return SweeperOf<T>(problem); };
    const auto job = [&](SweeperOf<T>& sweeper, int i) {
        const int chain = i / problem.n_chunks, chunk = i % problem.n_chunks;
        T* keep = saved ? saved + problem.saved_size * chain + problem.saved_at[chunk] : nullptr;
        sweeper.forward(chain, chunk, keep, logs);
    };
    share_out<SweeperOf<T>>(given.n_chains * problem.n_chunks, given.n_threads, hire, job);
}

template <class T>
static void backward_as(const Sweep& given, const T* saved, const T* d_logs,
                        void* const* grads) {
    ProblemOf<T> problem(given);
    pack_weights<T>(problem);
    // A chain's chunks are dealt out to parts that sum their gradients apart and are added in
    // order: the result does not depend on which thread was faster.
    const int wanted = (4 * given.n_threads + given.n_chains - 1) / given.n_chains;
    const int parts = given.n_threads == 1 ? 1 : std::min(problem.n_chunks, wanted);
    const int n_jobs = given.n_chains * parts;
    std::vector<Buffer<T>> sums(n_jobs);
    const auto hire = [&] { return SweeperOf<T>(problem); };
    const auto job = [&](SweeperOf<T>& sweeper, int i) {
        const int chain = i / parts, part = i % parts;
        sums[i] = Buffer<T>(problem.grad_size);
        for (int chunk = part; chunk < problem.n_chunks; chunk += parts) {
            const T* keep =
                saved ? saved + problem.saved_size * chain + problem.saved_at[chunk] : nullptr;
            sweeper.backward(chain, chunk, keep, d_logs, sums[i].at);
        }
    };
    share_out<SweeperOf<T>>(n_jobs, given.n_threads, hire, job);

    share_out<int>(given.n_sites, given.n_threads, [] { return 0; }, [&](int, int site) {
        const size_t n = size_t(given.dims[site].feature) * problem.elements[site];
        for (int i = 0; i < n_jobs; i++)
            problem.unpack(site, sums[i].at + problem.grad_at[site],
                           static_cast<T*>(grads[site]) + n * (i / parts));
    });
}

static int64_t saved_size(const Sweep& given, int bits) {
    const size_t one_chain = bits == 32 ? ProblemOf<float>(given).saved_size
                                        : ProblemOf<double>(given).saved_size;
    return int64_t(one_chain) * given.n_chains;
}

static void forward(const Sweep& given, int bits, void* saved, void* logs) {
    if (bits == 32)
        forward_as<float>(given, static_cast<float*>(saved), static_cast<float*>(logs));
    else
        forward_as<double>(given, static_cast<double*>(saved), static_cast<double*>(logs));
}

static void backward(const Sweep& given, int bits, const void* saved, const void* d_logs,
                     void* const* grads) {
    if (bits == 32)
        backward_as<float>(given, static_cast<const float*>(saved),
                           static_cast<const float*>(d_logs), grads);
    else
        backward_as<double>(given, static_cast<const double*>(saved),
                            static_cast<const double*>(d_logs), grads);
}
