// One instruction set's whole engine: included by kernel.cpp with PULPS_BYTES, the width of
// a vector, inside a namespace and under the compiler's target options.

#include "lanes.h"
#include "transpose.h"
#include "plan.h"
#include "problem.h"
#include "categories.h"
#include "sandwich.h"
#include "factors.h"
#include "environments.h"
#include "frobenius.h"
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

// Bring the weights of all chains and the features of all rows into the order they are read in.
template <class T>
static void pack(ProblemOf<T>& problem) {
    const Sweep& given = problem.given;
    if (!problem.anything_seen()) return;  // only cores are read then
    problem.weights = Buffer<T>(problem.weight_size * given.n_chains);
    problem.make_room_for_features();
    share_out<int>(given.n_sites, given.n_threads, [] { return 0; }, [&](int, int site) {
        problem.pack_features(site);
        for (int chain = 0; chain < given.n_chains; chain++)
            problem.pack_weights(chain, site, problem.weights.at + problem.weight_size * chain +
                                                  problem.weight_at[site]);
    });
}

template <class T>
using FrobeniusOf = Frobenius<T, width_of<T>()>;

// Whether one row that misses everything is asked for, and chains fill the lanes.
template <class T>
static bool by_chains(const Sweep& given) {
    return given.n_rows == 1 && given.observed &&
           !std::memchr(given.observed, 1, given.n_sites) && FrobeniusOf<T>::pays(given);
}

// Do a job for every W chains.
template <class T, class Job>
static void each_chains(const Sweep& given, const Job& job) {
    constexpr int W = width_of<T>();
    share_out<int>(padded(given.n_chains, W) / W, given.n_threads, [] { return 0; },
                   [&](int, int i) { job(FrobeniusOf<T>(given, i * W)); });
}

template <class T>
static void forward_as(const Sweep& given, T* saved, T* logs) {
    if (by_chains<T>(given))
        return each_chains<T>(given, [&](FrobeniusOf<T> chains) { chains.forward(logs); });
    ProblemOf<T> problem(given);
    pack<T>(problem);
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
    if (by_chains<T>(given))
        return each_chains<T>(given,
                              [&](FrobeniusOf<T> chains) { chains.backward(d_logs, grads); });
    ProblemOf<T> problem(given);
    pack<T>(problem);
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
            problem.unpack_gradient(site, sums[i].at + problem.grad_at[site],
                           static_cast<T*>(grads[site]) + n * (i / parts));
    });
}

template <class T>
static int64_t saved_size_as(const Sweep& given) {
    if (by_chains<T>(given)) return 0;
    return int64_t(ProblemOf<T>(given).saved_size) * given.n_chains;
}

static int64_t saved_size(const Sweep& given, int bits) {
    return bits == 32 ? saved_size_as<float>(given) : saved_size_as<double>(given);
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
