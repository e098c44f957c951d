// The sweep of one chunk of rows through one chain, forward and backward. Included once for
// every instruction set, after lanes.h. The mathematics is in pulps/engine/blocks.py.
//
// A chunk is a few groups of W rows. The forward pass keeps the environments it met (and
// nothing else); the backward pass embeds and multiplies again, walking the chain from right
// to left.

static inline int padded(int n, int to) { return (n + to - 1) / to * to; }

template <class T>
struct Buffer {  // zeroed memory on a cache line boundary
    T* at = nullptr;
    Buffer() = default;
    explicit Buffer(size_t n)
        : at(static_cast<T*>(operator new((n + 16) * sizeof(T), std::align_val_t(64)))) {
        std::memset(static_cast<void*>(at), 0, (n + 16) * sizeof(T));
    }
    Buffer(Buffer&& other) noexcept : at(std::exchange(other.at, nullptr)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(at, other.at);
        return *this;
    }
    ~Buffer() {
        if (at) operator delete(at, std::align_val_t(64));
    }
};

struct Step {
    int first, last;  // sites of a run, or the same site twice
    bool missed;      // some row of the chunk misses the site
};

template <class T, int W>
struct Problem {
    typedef typename Lanes<T, W>::V V;
    static constexpr int GRAD_FEATURES = W / 4;

    const Sweep& given;
    int n_groups;  // of a full chunk
    int n_chunks;
    std::vector<int> elements, weight_room, grad_room;  // a site
    std::vector<size_t> weight_at, grad_at;             // first number of a site, in one chain
    std::vector<std::vector<Step>> steps;               // a chunk; one for all if none misses
    std::vector<size_t> saved_at;                       // first number of a chunk, in one chain
    size_t weight_size = 0, grad_size = 0, saved_size = 0, saved_room = 0;
    size_t run_room = 0, phi_room = 0, widest = 0;  // largest needs, in vectors
    Buffer<T> weights;

    explicit Problem(const Sweep& sweep) : given(sweep) {
        size_t block = 0;
        for (int i = 0; i < given.n_sites; i++) {
            const Dims d = given.dims[i];
            elements.push_back(d.left * d.output * d.right);
            weight_room.push_back(padded(elements[i], EMBED) * d.feature);
            grad_room.push_back(padded(elements[i], 4) * padded(d.feature, GRAD_FEATURES));
            weight_at.push_back(weight_size);
            grad_at.push_back(grad_size);
            weight_size += weight_room[i];
            grad_size += grad_room[i];
            widest = std::max<size_t>(widest, room(i));
            const int bond = std::max(d.left, d.right);
            widest = std::max<size_t>(widest, padded(bond * bond, 12));
        }
        for (const Step& step : plan(0, 0)) {
            size_t sum = 0;
            for (int i = step.first; i <= step.last; i++) sum += room(i);
            block = std::max(block, sum);
        }
        // A chunk's embedded block should stay in the second level cache; but every group
        // more saves a trip of all weights through it, and two groups share an embedding.
        const size_t fits = given.cache_bytes / (block * sizeof(V));
        n_groups = static_cast<int>(std::min<size_t>(8, std::max<size_t>(2, fits)));
        const long groups = (given.n_rows + W - 1) / W;
        const long enough = groups * given.n_chains / (2L * given.n_threads);
        n_groups = static_cast<int>(std::min<long>(n_groups, std::max(2L, enough))) / 2 * 2;
        n_groups = static_cast<int>(std::min<long>(n_groups, groups));
        n_chunks = static_cast<int>((groups + n_groups - 1) / n_groups);
        for (int c = 0; c < (given.observed ? n_chunks : 1); c++) {
            steps.push_back(plan(c * n_groups * W, rows_of(c)));
            for (const Step& step : steps.back()) {
                size_t sum = 0, phi = 0;
                for (int i = step.first; i <= step.last; i++) {
                    sum += room(i);
                    phi += padded(given.dims[i].feature, GRAD_FEATURES);
                }
                run_room = std::max(run_room, sum);
                phi_room = std::max(phi_room, phi);
            }
        }
        for (int c = 0; c < n_chunks; c++) {
            saved_at.push_back(saved_size);
            for (const Step& step : steps_of(c))
                saved_size += groups_of(c) * saved_vectors(step) * W;
            saved_room = std::max(saved_room, saved_size - saved_at.back());
        }
    }

    size_t room(int site) const { return padded(elements[site], 12); }  // vectors of a group
    size_t saved_vectors(const Step& step) const {
        const int left = given.dims[step.first].left;
        return left * left + 1;
    }
    int rows_of(int chunk) const {
        return std::min(given.n_rows - chunk * n_groups * W, n_groups * W);
    }
    int groups_of(int chunk) const { return (rows_of(chunk) + W - 1) / W; }
    const std::vector<Step>& steps_of(int chunk) const {
        return steps[given.observed ? chunk : 0];
    }
    bool seen(int row, int site) const {
        return !given.observed || given.observed[size_t(row) * given.n_sites + site];
    }

    std::vector<Step> plan(int from, int n_rows) const {
        std::vector<Step> found;
        int first = 0;
        for (int i = 0; i < given.n_sites; i++) {
            bool missed = false;
            for (int row = from; row < from + n_rows && !missed; row++) missed = !seen(row, i);
            if (given.dims[i].output == 1 && !missed) {
                if (i - first + 1 < LONGEST_RUN && i + 1 < given.n_sites) continue;
                found.push_back({first, i, false});
            } else {
                if (first < i) found.push_back({first, i - 1, false});
                found.push_back({i, i, missed});
            }
            first = i + 1;
        }
        return found;
    }

    // Element e of a site counts output, left, right: the matrices of one output are dense.
    // A core counts left, output, right; this is where it has element e.
    std::vector<int> places(int site) const {
        const Dims d = given.dims[site];
        std::vector<int> at;
        at.reserve(elements[site]);
        for (int k = 0; k < d.output; k++)
            for (int l = 0; l < d.left; l++)
                for (int r = 0; r < d.right; r++) at.push_back((l * d.output + k) * d.right + r);
        return at;
    }
    void pack(int chain, int site, T* into) const {
        const int features = given.dims[site].feature, n = elements[site];
        const T* core = static_cast<const T*>(given.cores[site]) + size_t(chain) * features * n;
        const std::vector<int> at = places(site);
        for (int e = 0; e < n; e += EMBED)
            for (int s = 0; s < features; s++, into += EMBED)
                for (int i = 0; i < std::min(EMBED, n - e); i++) into[i] = core[s * n + at[e + i]];
    }
    void unpack(int site, const T* grad, T* core) const {
        constexpr int S = GRAD_FEATURES;
        const int features = given.dims[site].feature, n = elements[site];
        const std::vector<int> at = places(site);
        for (int e = 0; e < n; e += 4)
            for (int f = 0; f < features; f += S, grad += W)
                for (int i = 0; i < std::min(S, features - f); i++)
                    for (int j = 0; j < std::min(4, n - e); j++)
                        core[(f + i) * n + at[e + j]] += grad[i * 4 + j];
    }
    size_t grad_index(int site, int s, int e) const {
        const int tiles = padded(given.dims[site].feature, GRAD_FEATURES) / GRAD_FEATURES;
        return (size_t(e / 4) * tiles + s / GRAD_FEATURES) * W + s % GRAD_FEATURES * 4 + e % 4;
    }
};

// What one thread needs to sweep a chunk.
template <class T, int W>
struct Sweeper {
    typedef typename Lanes<T, W>::V V;
    typedef Matrix<V> M;
    const Problem<T, W>& problem;
    const Sweep& given;
    Buffer<V> env, next, half, back, x, phi, prefix, divisor, work[3], traced;
    Buffer<T> saved;
    const T* weights = nullptr;
    int first_row = 0, n_rows = 0, n_groups = 0;

    explicit Sweeper(const Problem<T, W>& p) : problem(p), given(p.given) {
        const size_t groups = p.n_groups;
        for (Buffer<V>* b : {&env, &next, &half, &back}) *b = Buffer<V>(groups * p.widest);
        x = Buffer<V>(groups * p.run_room);
        phi = Buffer<V>(groups * p.phi_room);
        prefix = Buffer<V>(LONGEST_RUN * p.widest);
        divisor = Buffer<V>(LONGEST_RUN);
        for (auto& b : work) b = Buffer<V>(p.widest);
    }

    void open(int chain, int chunk) {
        weights = problem.weights.at + problem.weight_size * chain;
        first_row = chunk * problem.n_groups * W;
        n_rows = problem.rows_of(chunk);
        n_groups = problem.groups_of(chunk);
    }

    Dims dims(int site) const { return given.dims[site]; }

    // Features of a site as [s][group][lane]. Lanes beyond the last row repeat it; rows that
    // miss the site get zeros, so that what they would add is nothing.
    void load_features(int site, V* into) const {
        const int features = dims(site).feature;
        const int room = padded(features, Problem<T, W>::GRAD_FEATURES);
        const T* from = static_cast<const T*>(given.features[site]) + size_t(first_row) * features;
        T* to = reinterpret_cast<T*>(into);
        const long step = long(n_groups) * W;
        for (int i = 0; i < n_groups * W; i++, to++) {
            const int row = std::min(i, n_rows - 1);
            const T* phi = from + size_t(row) * features;
            if (problem.seen(first_row + row, site))
                for (int s = 0; s < features; s++) to[s * step] = phi[s];
            else
                for (int s = 0; s < features; s++) to[s * step] = 0;
            for (int s = features; s < room; s++) to[s * step] = 0;
        }
    }

    // Embed the sites of a step; x is [site][group][element].
    void embed_step(const Step& step) {
        V* to = x.at;
        V* f = phi.at;
        for (int i = step.first; i <= step.last; i++) {
            load_features(i, f);
            embed<T, V>(dims(i).feature, problem.elements[i], weights + problem.weight_at[i], f,
                        n_groups, to, problem.room(i));
            to += n_groups * problem.room(i);
            f += n_groups * padded(dims(i).feature, Problem<T, W>::GRAD_FEATURES);
        }
    }

    static V largest(const V* m, int n) {
        V most = Lanes<T, W>::all(std::numeric_limits<T>::min());
        for (int e = 0; e < n; e++) {
            const V size = m[e] < 0 ? -m[e] : m[e];
            most = size > most ? size : most;
        }
        return most;
    }

    // Prefix products of one group of a run. Returns the last; divisors are kept.
    V* multiply_run(const Step& step, int group) {
        const int count = step.last - step.first + 1, left = dims(step.first).left;
        V* factor = x.at + group * problem.room(step.first);
        V* product = factor;
        for (int c = 1; c < count; c++) {
            const int site = step.first + c, mid = dims(site).left, right = dims(site).right;
            factor += (n_groups - group) * problem.room(site - 1) + group * problem.room(site);
            V* into = prefix.at + c * problem.widest;
            multiply<false, false>(left, right, mid, dense(product, mid), dense(factor, right),
                                   dense(into, right));
            if (rescaled(c, count)) {
                divisor.at[c] = largest(into, left * right);
                const V scale = 1 / divisor.at[c];
                for (int e = 0; e < left * right; e++) into[e] *= scale;
            }
            product = into;
        }
        return product;
    }
    static bool rescaled(int c, int count) { return c % RESCALE_EVERY == 0 || c == count - 1; }

    // to = sum over outputs of Yᵀ E Y.
    void sandwich(int left, int outputs, int right, V* e, V* y, V* to) {
        for (int k = 0; k < outputs; k++, y += left * right) {
            const M factor = dense(y, right), middle = dense(work[0].at, right);
            multiply<false, false>(left, right, left, dense(e, left), factor, middle);
            if (k == 0)
                multiply<false, true>(right, right, left, factor.transposed(), middle,
                                      dense(to, right));
            else
                multiply<true, true>(right, right, left, factor.transposed(), middle,
                                     dense(to, right));
        }
        mirror(right, dense(to, right));
    }

    // to = sum over outputs of Y G Yᵀ; Y becomes (or d_y gets added) E Y G.
    template <bool ADD>
    void unsandwich(int left, int outputs, int right, V* e, V* y, V* g, V* to, V* d_y) {
        for (int k = 0; k < outputs; k++, y += left * right, d_y += left * right) {
            const M factor = dense(y, right), onward = dense(work[0].at, right);
            multiply<false, false>(left, right, right, factor, dense(g, right), onward);
            if (k == 0)
                multiply<false, true>(left, left, right, onward, factor.transposed(),
                                      dense(to, left));
            else
                multiply<true, true>(left, left, right, onward, factor.transposed(),
                                     dense(to, left));
            multiply<ADD, false>(left, right, left, dense(e, left), onward, dense(d_y, right));
        }
        mirror(left, dense(to, left));
    }

    // Rows that miss a site sum over its feature: here the lanes are features, not rows.
    int feature_groups(int site) const { return padded(dims(site).feature, W) / W; }

    V* load_traced(int site) {
        const int features = dims(site).feature, n = problem.elements[site];
        const int groups = feature_groups(site);
        traced = Buffer<V>(2 * groups * problem.room(site));  // factors, then their gradients
        const T* w = weights + problem.weight_at[site];
        for (int e = 0; e < n; e++)
            for (int s = 0; s < features; s++)
                traced.at[s / W * problem.room(site) + e][s % W] =
                    w[(e / EMBED * features + s) * EMBED + e % EMBED];
        return traced.at;
    }

    void spread_row(const V* from, int lane, int n, V* to) const {
        for (int e = 0; e < n; e++) to[e] = Lanes<T, W>::all(from[e][lane]);
    }

    void trace_rows(int site, const V* e, V* to) {
        const Dims d = dims(site);
        V* y = load_traced(site);
        for (int i = 0; i < n_rows; i++) {
            if (problem.seen(first_row + i, site)) continue;
            V* out = to + i / W * problem.widest;
            spread_row(e + i / W * problem.widest, i % W, d.left * d.left, work[1].at);
            for (int c = 0; c < d.right * d.right; c++) out[c][i % W] = 0;
            for (int g = 0; g < feature_groups(site); g++) {
                sandwich(d.left, d.output, d.right, work[1].at, y + g * problem.room(site),
                         work[2].at);
                add_lane_sums(d.right * d.right, work[2].at, out, i % W);
            }
        }
    }

    void untrace_rows(int site, const V* e, const V* g, V* to, T* grad) {
        const Dims d = dims(site);
        const int groups = feature_groups(site), n = problem.elements[site];
        V* y = load_traced(site);
        V* d_y = y + groups * problem.room(site);
        Buffer<V> spread(problem.widest);
        for (int i = 0; i < n_rows; i++) {
            if (problem.seen(first_row + i, site)) continue;
            V* out = to + i / W * problem.widest;
            spread_row(e + i / W * problem.widest, i % W, d.left * d.left, work[1].at);
            spread_row(g + i / W * problem.widest, i % W, d.right * d.right, spread.at);
            for (int c = 0; c < d.left * d.left; c++) out[c][i % W] = 0;
            for (int f = 0; f < groups; f++) {
                const size_t at = f * problem.room(site);
                unsandwich<true>(d.left, d.output, d.right, work[1].at, y + at, spread.at,
                                 work[2].at, d_y + at);
                add_lane_sums(d.left * d.left, work[2].at, out, i % W);
            }
        }
        for (int c = 0; c < n; c++)
            for (int s = 0; s < d.feature; s++)
                grad[problem.grad_index(site, s, c)] +=
                    d_y[s / W * problem.room(site) + c][s % W];
    }

    static void add_lane_sums(int n, const V* from, V* to, int lane) {
        for (int c = 0; c < n; c++) {
            T sum = 0;
            for (int i = 0; i < W; i++) sum += from[c][i];
            to[c][lane] += sum;
        }
    }

    bool all_missed(int site) const {
        for (int i = 0; i < n_rows; i++)
            if (problem.seen(first_row + i, site)) return false;
        return true;
    }

    // Forward: logarithms of the norms of a chunk; keep is where environments go, or null.
    void forward(int chain, int chunk, T* keep, T* logs) {
        open(chain, chunk);
        std::vector<double> log_scale(n_groups * W, 0.0);
        for (int g = 0; g < n_groups; g++) env.at[g * problem.widest] = Lanes<T, W>::all(1);
        for (const Step& step : problem.steps_of(chunk)) {
            const int left = dims(step.first).left, right = dims(step.last).right;
            const int outputs = dims(step.last).output;
            const bool nobody = step.missed && all_missed(step.first);
            V* kept = reinterpret_cast<V*>(keep);
            if (!nobody) embed_step(step);
            for (int g = 0; g < n_groups && !nobody; g++) {
                V* product = multiply_run(step, g);
                for (int c = 1; c <= step.last - step.first; c++)
                    if (rescaled(c, step.last - step.first + 1))
                        for (int i = 0; i < W; i++)
                            log_scale[g * W + i] += 2 * std::log(double(divisor.at[c][i]));
                sandwich(left, outputs, right, env.at + g * problem.widest, product,
                         next.at + g * problem.widest);
            }
            if (step.missed) trace_rows(step.first, env.at, next.at);
            for (int g = 0; g < n_groups; g++) {
                V* e = next.at + g * problem.widest;
                V trace = {};
                for (int i = 0; i < right; i++) trace += e[i * right + i];
                const V tiny = Lanes<T, W>::all(std::numeric_limits<T>::min());
                trace = trace > tiny ? trace : tiny;
                const V scale = 1 / trace;
                for (int c = 0; c < right * right; c++) e[c] *= scale;
                for (int i = 0; i < W; i++)
                    log_scale[g * W + i] += std::log(double(trace[i]));
                if (keep) {
                    std::memcpy(kept, env.at + g * problem.widest, left * left * sizeof(V));
                    kept[left * left] = trace;
                    kept += left * left + 1;
                }
            }
            if (keep) keep = reinterpret_cast<T*>(kept);
            std::swap(env.at, next.at);
        }
        for (int i = 0; i < n_rows && logs; i++)
            logs[size_t(chain) * given.n_rows + first_row + i] = T(0.5 * log_scale[i]);
    }

    // Backward: add the gradients of a chunk, given those of its log-norms.
    void backward(int chain, int chunk, const T* keep, const T* d_logs, T* grad) {
        open(chain, chunk);
        if (!keep) {
            if (!saved.at) saved = Buffer<T>(problem.saved_room);
            forward(chain, chunk, saved.at, nullptr);
            keep = saved.at;
        }
        const std::vector<Step>& steps = problem.steps_of(chunk);
        const V* kept = reinterpret_cast<const V*>(keep);
        for (const Step& step : steps) kept += n_groups * problem.saved_vectors(step);
        const T tiny = std::numeric_limits<T>::min();
        for (int i = 0; i < n_groups * W; i++) {
            const V* trace = kept - (n_groups - 1 - i / W) * problem.saved_vectors(steps.back()) - 1;
            // A row without length has no direction in which it would grow: no gradient.
            const bool counts = i < n_rows && (*trace)[i % W] > tiny;
            half.at[i / W * problem.widest][i % W] =
                counts ? d_logs[size_t(chain) * given.n_rows + first_row + i] : T(0);
        }
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
            kept -= n_groups * problem.saved_vectors(*step);
            backward_step(*step, kept, grad);
            std::swap(half.at, back.at);
        }
    }

    void backward_step(const Step& step, const V* kept, T* grad) {
        const int left = dims(step.first).left, right = dims(step.last).right;
        const int outputs = dims(step.last).output;
        const bool nobody = step.missed && all_missed(step.first);
        for (int g = 0; g < n_groups; g++) {
            const V* from = kept + g * problem.saved_vectors(step);
            std::memcpy(env.at + g * problem.widest, from, left * left * sizeof(V));
            const V scale = 1 / from[left * left];
            V* h = half.at + g * problem.widest;
            for (int c = 0; c < right * right; c++) h[c] *= scale;
        }
        if (!nobody) {
            embed_step(step);
            for (int g = 0; g < n_groups; g++) backward_group(step, g, left, outputs, right);
            const V* dx = x.at;
            const V* f = phi.at;
            for (int i = step.first; i <= step.last; i++) {
                add_weight_gradient<T, W>(dims(i).feature, problem.elements[i], f, dx, n_groups,
                                          problem.room(i),
                                          reinterpret_cast<V*>(grad + problem.grad_at[i]));
                dx += n_groups * problem.room(i);
                f += n_groups * padded(dims(i).feature, Problem<T, W>::GRAD_FEATURES);
            }
        }
        if (step.missed)
            untrace_rows(step.first, env.at, half.at, back.at, grad + problem.grad_at[step.first]);
    }

    // One group of rows; the embedded sites turn into their gradients.
    void backward_group(const Step& step, int group, int left, int outputs, int right) {
        const int count = step.last - step.first + 1;
        V* product = multiply_run(step, group);
        V* e = env.at + group * problem.widest;
        V* h = half.at + group * problem.widest;
        V* to = back.at + group * problem.widest;
        if (count == 1) {
            unsandwich<false>(left, outputs, right, e, product, h, to, product);
            return;
        }
        V* d_prefix = work[1].at;
        V* spare = work[2].at;
        unsandwich<false>(left, 1, right, e, product, h, to, d_prefix);
        V* factor = x.at;
        for (int i = step.first; i < step.last; i++) factor += n_groups * problem.room(i);
        for (int c = count - 1; c > 0; c--) {
            const int site = step.first + c, mid = dims(site).left, far = dims(site).right;
            V* mine = factor + group * problem.room(site);
            if (rescaled(c, count)) {
                const V scale = 1 / divisor.at[c];
                for (int i = 0; i < left * far; i++) d_prefix[i] *= scale;
            }
            V* before = c == 1 ? x.at + group * problem.room(step.first)
                               : prefix.at + (c - 1) * problem.widest;
            multiply<false, false>(left, mid, far, dense(d_prefix, far),
                                   dense(mine, far).transposed(), dense(spare, mid));
            multiply<false, false>(mid, far, left, dense(before, mid).transposed(),
                                   dense(d_prefix, far), dense(mine, far));
            std::swap(d_prefix, spare);
            factor -= n_groups * problem.room(site - 1);
        }
        std::memcpy(x.at + group * problem.room(step.first), d_prefix,
                    left * dims(step.first).right * sizeof(V));
    }
};
