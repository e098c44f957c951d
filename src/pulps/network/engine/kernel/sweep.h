// The sweep of one chunk of rows through one chain, forward and backward. Included once for
// every instruction set, after problem.h. The mathematics is in pulps/network/engine/blocks.py.
//
// A chunk is a few groups of W rows. The forward pass keeps the environments it met (and
// nothing else); the backward pass embeds and multiplies again, walking the chain from right
// to left.

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
    int chain = 0, first_row = 0, n_rows = 0, n_groups = 0;

    explicit Sweeper(const Problem<T, W>& p) : problem(p), given(p.given) {
        const size_t groups = p.n_groups;
        for (Buffer<V>* b : {&env, &next, &half, &back}) *b = Buffer<V>(groups * p.widest);
        x = Buffer<V>(groups * p.run_room);
        phi = Buffer<V>(groups * p.phi_room);
        prefix = Buffer<V>(LONGEST_RUN * p.widest);
        divisor = Buffer<V>(LONGEST_RUN);
        for (auto& b : work) b = Buffer<V>(p.widest);
    }

    void open(int of_chain, int chunk) {
        chain = of_chain;
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
    template <int D>
    void sandwich(int left, int outputs, int right, V* e, V* y, V* to) {
        if (D) left = right = D;
        for (int k = 0; k < outputs; k++, y += left * right) {
            const M factor = dense(y, right), middle = dense(work[0].at, right);
            multiply<D, false, false>(left, right, left, dense(e, left), factor, middle);
            if (k == 0)
                multiply<D, false, true>(right, right, left, factor.transposed(), middle,
                                         dense(to, right));
            else
                multiply<D, true, true>(right, right, left, factor.transposed(), middle,
                                        dense(to, right));
        }
        mirror(right, dense(to, right));
    }
    void sandwich(int left, int outputs, int right, V* e, V* y, V* to) {
        for_size<T, V>(left == right ? left : 0, [&](auto size) {
            sandwich<size()>(left, outputs, right, e, y, to);
        });
    }

    // to = sum over outputs of Y G Yᵀ; Y becomes (or d_y gets added) E Y G.
    template <int D, bool ADD = false>
    void unsandwich(int left, int outputs, int right, V* e, V* y, V* g, V* to, V* d_y) {
        if (D) left = right = D;
        for (int k = 0; k < outputs; k++, y += left * right, d_y += left * right) {
            const M factor = dense(y, right), onward = dense(work[0].at, right);
            multiply<D, false, false>(left, right, right, factor, dense(g, right), onward);
            if (k == 0)
                multiply<D, false, true>(left, left, right, onward, factor.transposed(),
                                         dense(to, left));
            else
                multiply<D, true, true>(left, left, right, onward, factor.transposed(),
                                        dense(to, left));
            multiply<D, ADD, false>(left, right, left, dense(e, left), onward, dense(d_y, right));
        }
        mirror(left, dense(to, left));
    }
    void unsandwich(int left, int outputs, int right, V* e, V* y, V* g, V* to, V* d_y) {
        for_size<T, V>(left == right ? left : 0, [&](auto size) {
            unsandwich<size()>(left, outputs, right, e, y, g, to, d_y);
        });
    }

    // Rows that miss a site sum over its feature: here the lanes are features, not rows.
    int feature_groups(int site) const { return padded(dims(site).feature, W) / W; }

    V* load_traced(int site) {
        const int features = dims(site).feature, n = problem.elements[site];
        const size_t room = problem.room(site);
        traced = Buffer<V>(2 * feature_groups(site) * room);  // factors, then their gradients
        const T* core = static_cast<const T*>(given.cores[site]) + size_t(chain) * features * n;
        const std::vector<int> at = problem.places(site);
        for (int s = 0; s < features; s++, core += n) {
            T* to = reinterpret_cast<T*>(traced.at + s / W * room) + s % W;
            for (int e = 0; e < n; e++) to[e * W] = core[at[e]];
        }
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
                unsandwich<0, true>(d.left, d.output, d.right, work[1].at, y + at, spread.at,
                                 work[2].at, d_y + at);
                add_lane_sums(d.left * d.left, work[2].at, out, i % W);
            }
        }
        constexpr int S = Problem<T, W>::GRAD_FEATURES;
        const int tiles = padded(d.feature, S) / S;
        for (int s = 0; s < d.feature; s++) {
            const T* from = reinterpret_cast<const T*>(d_y + s / W * problem.room(site)) + s % W;
            T* sum = grad + s / S * W + s % S * 4;
            for (int c = 0; c < n; c++) sum[size_t(c / 4) * tiles * W + c % 4] += from[c * W];
        }
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
    void forward(int of_chain, int chunk, T* keep, T* logs) {
        open(of_chain, chunk);
        std::vector<Scale> scale_of(n_groups * W);
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
                        for (int i = 0; i < W; i++) {
                            scale_of[g * W + i].multiply(divisor.at[c][i]);
                            scale_of[g * W + i].multiply(divisor.at[c][i]);
                        }
                sandwich(left, outputs, right, env.at + g * problem.widest, product,
                         next.at + g * problem.widest);
            }
            if (step.missed) trace_rows(step.first, env.at, next.at);
            for (int g = 0; g < n_groups; g++) {
                V* e = next.at + g * problem.widest;
                // Rounding can make a diagonal entry of a nearly vanishing environment
                // negative; its size still is the right divisor. At the end it is the norm.
                const bool ends = &step == &problem.steps_of(chunk).back();
                const V zero = {}, tiny = Lanes<T, W>::all(std::numeric_limits<T>::min());
                V trace = {};
                for (int i = 0; i < right; i++) {
                    const V entry = e[i * right + i];
                    trace += ends ? entry : entry < zero ? -entry : entry;
                }
                trace = trace <= tiny ? tiny : trace;  // not a number stays so
                const V scale = 1 / trace;
                for (int c = 0; c < right * right; c++) e[c] *= scale;
                for (int i = 0; i < W; i++) scale_of[g * W + i].multiply(trace[i]);
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
            logs[size_t(chain) * given.n_rows + first_row + i] = T(0.5 * scale_of[i].log());
    }

    // Backward: add the gradients of a chunk, given those of its log-norms.
    void backward(int of_chain, int chunk, const T* keep, const T* d_logs, T* grad) {
        open(of_chain, chunk);
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
            unsandwich(left, outputs, right, e, product, h, to, product);
            return;
        }
        V* d_prefix = work[1].at;
        V* spare = work[2].at;
        unsandwich(left, 1, right, e, product, h, to, d_prefix);
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
