// One instruction set's whole engine: included by kernel.cpp with PULPS_BYTES, the width of
// a vector, inside a namespace and under the compiler's target options.

#include "buffer.h"
#include "lanes.h"
#include "transpose.h"
#include "plan.h"
#include "values.h"
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

// Chunks of a chain that one thread sweeps: a part of them, or all where there are many chains.
template <class T>
static int parts_of(const ProblemOf<T>& problem) {
    const Sweep& given = problem.given;
    const int wanted = (4 * given.n_threads + given.n_chains - 1) / given.n_chains;
    return given.n_threads == 1 ? 1 : std::min(problem.n_chunks, wanted);
}

// Do a job for every part of every chain.
template <class T, class Job>
static void each_part(ProblemOf<T>& problem, int parts, bool for_gradients, const Job& job) {
    const Sweep& given = problem.given;
    problem.pack(for_gradients);
    share_out<SweeperOf<T>>(
        given.n_chains * parts, given.n_threads, [&] { return SweeperOf<T>(problem); },
        [&](SweeperOf<T>& sweeper, int i) { job(sweeper, i / parts, i % parts); });
}

template <class T>
static void forward_as(const Sweep& given, T* saved, T* logs) {
    if (by_chains<T>(given))
        return each_chains<T>(given, [&](FrobeniusOf<T> chains) { chains.forward(logs); });
    ProblemOf<T> problem(given);
    const int parts = parts_of<T>(problem);
    each_part<T>(problem, parts, false, [&](SweeperOf<T>& sweeper, int chain, int part) {
        for (int chunk = part; chunk < problem.n_chunks; chunk += parts)
            sweeper.forward(chain, chunk, problem.kept(saved, chain, chunk), logs);
    });
}

template <class T>
static void backward_as(const Sweep& given, const T* saved, const T* d_logs,
                        void* const* grads) {
    if (by_chains<T>(given))
        return each_chains<T>(given,
                              [&](FrobeniusOf<T> chains) { chains.backward(d_logs, grads); });
    ProblemOf<T> problem(given);
    // Parts of a chain sum their gradients apart and are added in order: the result does not
    // depend on which thread was faster.
    const int parts = parts_of<T>(problem);
    std::vector<Buffer<T>> sums(parts > 1 ? given.n_chains * parts : 0);
    const auto unpack = [&](int chain, const Buffer<T>& sum) {
        for (int site = 0; site < given.n_sites; site++) {
            problem.unpack_gradient(site, sum.at + problem.grad_at[site],
                                    static_cast<T*>(grads[site]) +
                                        problem.core_size(site) * chain);
        }
    };
    each_part<T>(problem, parts, true, [&](SweeperOf<T>& sweeper, int chain, int part) {
        Buffer<T> sum(problem.grad_size);
        for (int chunk = part; chunk < problem.n_chunks; chunk += parts)
            sweeper.backward(chain, chunk, problem.kept(saved, chain, chunk), d_logs, sum.at);
        if (parts == 1)
            unpack(chain, sum);
        else
            sums[chain * parts + part] = std::move(sum);
    });
    if (parts > 1)
        share_out<int>(given.n_chains, given.n_threads, [] { return 0; }, [&](int, int chain) {
            for (int part = 0; part < parts; part++) unpack(chain, sums[chain * parts + part]);
        });
}

template <class T>
static int64_t saved_size_as(const Sweep& given) {
    if (by_chains<T>(given)) return 0;
    return int64_t(ProblemOf<T>(given, false).saved_size) * given.n_chains;
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
