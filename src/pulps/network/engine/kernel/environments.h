// What a step in the middle of the chain does to environments, forward and backward. Included
// once for every instruction set, after factors.h. The mathematics is in pulps/network/engine/blocks.py.

// What one thread needs to take a chunk of rows through a chain.
template <class T, int W>
struct Chunk {
    typedef typename Lanes<T, W>::V V;
    typedef typename Lanes<T, W>::Integers Integers;
    const Problem<T, W>& problem;
    const Sweep& given;
    const Plan* plan = nullptr;
    Buffer<V> x, work[3];
    Buffer<Integers> exponents;  // a group: of two, in the squared norm
    Buffer<T> weights;  // of the chain, packed
    int chain = -1, first_row = 0, n_rows = 0, n_groups = 0;

    explicit Chunk(const Problem<T, W>& p) : problem(p), given(p.given) {
        x = Buffer<V>(p.embedded_room);
        exponents = Buffer<Integers>(p.n_groups);
        for (auto& b : work) b = Buffer<V>(p.widest);
        weights = Buffer<T>(p.reads_rows ? p.weight_size : 0);
    }

    // Turn to some groups of a chunk.
    void open(int of_chain, int chunk, int first_group, int count) {
        if (chain != of_chain && problem.reads_rows) problem.pack_weights(of_chain, weights.at);
        chain = of_chain;
        plan = &problem.plan_of(chunk);
        first_row = (chunk * problem.n_groups + first_group) * W;
        n_rows = std::min(given.n_rows - first_row, count * W);
        n_groups = count;
    }

    Dims dims(int site) const { return given.dims[site]; }
    const V* phi(int site) const {
        return problem.phi.at + problem.phi_at[site] +
               size_t(first_row / W) * problem.phi_room(site);
    }

    // Categories of a group's rows, or null if the site is not one of categories.
    const Integers* codes(int site, int group) const {
        if (!problem.looked_up[site]) return nullptr;
        return problem.codes.at + size_t(site) * problem.all_groups + first_row / W + group;
    }
    V* tables(int site) const {  // are only read
        return reinterpret_cast<V*>(weights.at + problem.weight_at[site]);
    }

    // Embed a site for some of the groups, [group][element].
    void embed_site(int site, V* to, int first_group, int count) {
        const int stride = problem.phi_room(site), n = problem.elements[site];
        if (problem.looked_up[site]) {
            for (int g = 0; g < count; g++, to += problem.room(site)) {
                const Integers wanted = *codes(site, first_group + g);
                for (int e = 0; e < n; e++) to[e] = look_up(tables(site)[e], wanted);
            }
            return;
        }
        const T* weight = weights.at + problem.weight_at[site];
        const V* from = phi(site) + first_group * stride;
        if (problem.first_is_one[site])
            embed<T, true>(dims(site).feature, n, weight, from, stride, count, to,
                           problem.room(site));
        else
            embed<T, false>(dims(site).feature, n, weight, from, stride, count, to,
                            problem.room(site));
    }

    // Add the gradients by the weights of a site, or by those from one element on, given the
    // derivatives by the embedded elements of all groups.
    void add_gradients(int site, const V* dx, int first, int elements, T* grad) {
        const size_t at = problem.grad_at[site] + problem.grad_place(site, 0, first);
        add_weight_gradient<T, W>(dims(site).feature, elements, phi(site), problem.phi_room(site),
                                  dx, n_groups, problem.room(site),
                                  reinterpret_cast<V*>(grad + at));
    }

    static void scale_all(V* m, int n, V by) {
        for (int e = 0; e < n; e++) m[e] *= by;
    }
};

template <class T, int W>
struct Environments : Chunk<T, W> {
    typedef Chunk<T, W> Base;
    using typename Base::V;
    using Base::dims, Base::exponents, Base::first_row, Base::given, Base::n_groups, Base::n_rows,
        Base::problem, Base::scale_all, Base::work, Base::x;
    Buffer<V> env, next, half, back, prefix, divided, traced;

    explicit Environments(const Problem<T, W>& p) : Base(p) {
        for (Buffer<V>* b : {&env, &next, &half, &back}) *b = Buffer<V>(p.n_groups * p.widest);
        prefix = Buffer<V>(LONGEST_RUN * p.widest);
        divided = Buffer<V>(LONGEST_RUN);
    }

    // Embed the sites of a run for some of the groups; x is [site][group][element].
    void embed_run(const Step& step, int first_group, int count) {
        V* to = x.at;
        for (int i = step.first; i <= step.last; to += n_groups * problem.room(i), i++)
            this->embed_site(i, to + first_group * problem.room(i), first_group, count);
    }

    // Prefix products of one group of a run. Returns the last; what they were multiplied with
    // is kept.
    V* multiply_run(const Step& step, int group) {
        const int count = step.last - step.first + 1, left = dims(step.first).left;
        V* factor = x.at + group * problem.room(step.first);
        V* product = factor;
        for (int c = 1; c < count; c++) {
            const int site = step.first + c, mid = dims(site).left, right = dims(site).right;
            factor += (n_groups - group) * problem.room(site - 1) + group * problem.room(site);
            V* into = prefix.at + c * problem.widest;
            for_size<T, V>(left == mid && mid == right ? mid : 0, [&](auto size) {
                multiply<size(), false, false>(left, right, mid, dense(product, mid),
                                               dense(factor, right), dense(into, right));
            });
            if (rescaled(c, count)) {
                divided.at[c] =
                    Lanes<T, W>::unit(into, left * right, exponents.at[group], 2);
                scale_all(into, left * right, divided.at[c]);
            }
            product = into;
        }
        return product;
    }
    static bool rescaled(int c, int count) { return c % RESCALE_EVERY == 0 || c == count - 1; }

    // Rows that miss a site sum over its feature. Those of the whole chunk are packed, a lane
    // each, and meet the core, which is the same for all; or, if they are few, each row meets it
    // with features as lanes.
    std::vector<int> missed_rows(int site) const {
        std::vector<int> rows;
        for (int i = 0; i < n_rows; i++)
            if (!problem.seen(first_row + i, site)) rows.push_back(i);
        return rows;
    }
    bool packing_pays(int site, int rows) const {
        return padded(rows, W) / W * dims(site).feature <= 2 * rows * feature_groups(site);
    }

    // A core in all lanes, [feature][element], then room for its gradients.
    V* load_core(int site) {
        const int features = dims(site).feature, n = problem.elements[site];
        traced = Buffer<V>(2 * size_t(features) * n);
        const T* core = static_cast<const T*>(given.cores[site]) + size_t(this->chain) * features * n;
        const std::vector<int>& at = problem.places_at(site);
        for (int s = 0; s < features; s++, core += n)
            for (int e = 0; e < n; e++) traced.at[s * n + e] = Lanes<T, W>::all(core[at[e]]);
        return traced.at;
    }
    // Numbers of some rows to the first lanes, and back.
    void gather(const int* rows, int count, int n, const V* from, V* to) const {
        for (int e = 0; e < n; e++) to[e] = V{};
        for (int lane = 0; lane < count; lane++) {
            const V* row = from + rows[lane] / W * problem.widest;
            for (int e = 0; e < n; e++) to[e][lane] = row[e][rows[lane] % W];
        }
    }
    void scatter(const int* rows, int count, int n, const V* from, V* to) const {
        for (int lane = 0; lane < count; lane++) {
            V* row = to + rows[lane] / W * problem.widest;
            for (int e = 0; e < n; e++) row[e][rows[lane] % W] = from[e][lane];
        }
    }
    void trace_packed(int site, const std::vector<int>& rows, const V* e, V* to) {
        const Dims d = dims(site);
        V* y = load_core(site);
        for (size_t i = 0; i < rows.size(); i += W) {
            const int count = std::min<int>(W, rows.size() - i);
            gather(&rows[i], count, d.left * d.left, e, work[1].at);
            sandwich<T>(d.left, d.feature * d.output, d.right, work[1].at, y, work[2].at,
                        work[0].at);
            scatter(&rows[i], count, d.right * d.right, work[2].at, to);
        }
    }
    void untrace_packed(int site, const std::vector<int>& rows, const V* e, const V* g, V* to,
                        T* grad) {
        const Dims d = dims(site);
        const int n = problem.elements[site], all = d.feature * n;
        V* y = load_core(site);
        V* d_y = y + all;
        Buffer<V> onward(problem.widest);
        for (size_t i = 0; i < rows.size(); i += W) {
            const int count = std::min<int>(W, rows.size() - i);
            gather(&rows[i], count, d.left * d.left, e, work[1].at);
            gather(&rows[i], count, d.right * d.right, g, onward.at);
            unsandwich<T, true>(d.left, d.feature * d.output, d.right, work[1].at, y, onward.at,
                                work[2].at, d_y, work[0].at);
            scatter(&rows[i], count, d.left * d.left, work[2].at, to);
        }
        for (int c = 0; c < all; c += W) {  // sums over lanes, W at a time
            V square[W], sum = {};
#pragma GCC unroll 16
            for (int i = 0; i < W; i++) square[i] = d_y[c + i];
            transpose<T, W>(square);
#pragma GCC unroll 16
            for (int i = 0; i < W; i++) sum += square[i];
            for (int i = 0; i < std::min(W, all - c); i++)
                grad[problem.grad_place(site, (c + i) / n, (c + i) % n)] += sum[i];
        }
    }

    int feature_groups(int site) const { return padded(dims(site).feature, W) / W; }

    V* load_traced(int site) {
        const int features = dims(site).feature, n = problem.elements[site];
        const size_t room = problem.room(site);
        traced = Buffer<V>(2 * feature_groups(site) * room);  // factors, then their gradients
        const T* core = static_cast<const T*>(given.cores[site]) + size_t(this->chain) * features * n;
        const std::vector<int>& at = problem.places_at(site);
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
        const std::vector<int> rows = missed_rows(site);
        if (packing_pays(site, rows.size())) return trace_packed(site, rows, e, to);
        V* y = load_traced(site);
        for (int i : rows) {
            V* out = to + i / W * problem.widest;
            spread_row(e + i / W * problem.widest, i % W, d.left * d.left, work[1].at);
            for (int c = 0; c < d.right * d.right; c++) out[c][i % W] = 0;
            for (int g = 0; g < feature_groups(site); g++) {
                sandwich<T>(d.left, d.output, d.right, work[1].at, y + g * problem.room(site),
                            work[2].at, work[0].at);
                add_lane_sums(d.right * d.right, work[2].at, out, i % W);
            }
        }
    }

    void untrace_rows(int site, const V* e, const V* g, V* to, T* grad) {
        const Dims d = dims(site);
        const int groups = feature_groups(site), n = problem.elements[site];
        const std::vector<int> rows = missed_rows(site);
        if (packing_pays(site, rows.size())) return untrace_packed(site, rows, e, g, to, grad);
        V* y = load_traced(site);
        V* d_y = y + groups * problem.room(site);
        Buffer<V> spread(problem.widest);
        for (int i : rows) {
            V* out = to + i / W * problem.widest;
            spread_row(e + i / W * problem.widest, i % W, d.left * d.left, work[1].at);
            spread_row(g + i / W * problem.widest, i % W, d.right * d.right, spread.at);
            for (int c = 0; c < d.left * d.left; c++) out[c][i % W] = 0;
            for (int f = 0; f < groups; f++) {
                const size_t at = f * problem.room(site);
                unsandwich<T, true>(d.left, d.output, d.right, work[1].at, y + at, spread.at,
                                    work[2].at, d_y + at, work[0].at);
                add_lane_sums(d.left * d.left, work[2].at, out, i % W);
            }
        }
        for (int s = 0; s < d.feature; s++) {
            const T* from = reinterpret_cast<const T*>(d_y + s / W * problem.room(site)) + s % W;
            for (int c = 0; c < n; c++) grad[problem.grad_place(site, s, c)] += from[c * W];
        }
    }

    static void add_lane_sums(int n, const V* from, V* to, int lane) {
        for (int c = 0; c < n; c++) {
            T sum = 0;
            for (int i = 0; i < W; i++) sum += from[c][i];
            to[c][lane] += sum;
        }
    }

    bool all_missed(const Step& step) const {
        for (int i = 0; i < n_rows && step.missed; i++)
            if (problem.seen(first_row + i, step.first)) return false;
        return step.missed;
    }

    // Take the environments of a chunk through a step; kept is where they go, or null.
    void absorb(const Step& step, V* kept) {
        const int left = dims(step.first).left, right = dims(step.last).right;
        if (!all_missed(step)) {
            embed_run(step, 0, n_groups);
            for (int g = 0; g < n_groups; g++)
                sandwich<T>(left, dims(step.last).output, right, env.at + g * problem.widest,
                            multiply_run(step, g), next.at + g * problem.widest, work[0].at);
        }
        if (step.missed) trace_rows(step.first, env.at, next.at);
        for (int g = 0; g < n_groups; g++) {
            V* e = next.at + g * problem.widest;
            // Rounding can make a diagonal entry of a nearly vanishing environment negative;
            // its size still is the right divisor.
            V trace = {};
            for (int i = 0; i < right; i++) {
                const V entry = e[i * right + i];
                trace += entry < 0 ? -entry : entry;
            }
            const V scale = Lanes<T, W>::unit(&trace, 1, exponents.at[g], 1);
            scale_all(e, right * right, scale);
            if (kept) {
                V* to = kept + g * this->plan->saved;
                std::memcpy(to, env.at + g * problem.widest, left * left * sizeof(V));
                to[left * left] = scale;
            }
        }
        std::swap(env.at, next.at);
    }

    // Take their derivatives, doubled, back; add the gradients by the weights.
    void release(const Step& step, V* kept, T* grad) {
        const int left = dims(step.first).left, right = dims(step.last).right;
        for (int g = 0; g < n_groups; g++) {
            V* from = kept + g * this->plan->saved;
            scale_all(half.at + g * problem.widest, right * right, from[left * left]);
            if (step.missed)
                std::memcpy(env.at + g * problem.widest, from, left * left * sizeof(V));
        }
        if (all_missed(step)) {
            // Lanes beyond the last row are of no row: nothing writes there, and an earlier chunk
            // may have.
            for (int g = 0; g < n_groups; g++)
                std::memset(static_cast<void*>(back.at + g * problem.widest), 0,
                            left * left * sizeof(V));
        } else {
            const bool small = GROUPS_AT_ONCE * step.x_room * sizeof(V) <= NEAREST_CACHE;
            const int at_once = small ? GROUPS_AT_ONCE : n_groups;
            for (int g = 0; g < n_groups; g++) {
                if (g % at_once == 0)  // what was just embedded is still at hand
                    embed_run(step, g, std::min(at_once, n_groups - g));
                release_group(step, g, kept + g * this->plan->saved, dims(step.last).output);
            }
            const V* dx = x.at;
            for (int i = step.first; i <= step.last; dx += n_groups * problem.room(i), i++)
                this->add_gradients(i, dx, 0, problem.elements[i], grad);
        }
        if (step.missed)
            untrace_rows(step.first, env.at, half.at, back.at, grad + problem.grad_at[step.first]);
        std::swap(half.at, back.at);
    }

    // One group of rows and its environments before the step; the embedded sites turn into their
    // gradients.
    void release_group(const Step& step, int group, V* e, int outputs) {
        const int count = step.last - step.first + 1;
        const int left = dims(step.first).left, right = dims(step.last).right;
        V* product = multiply_run(step, group);
        V* h = half.at + group * problem.widest;
        V* to = back.at + group * problem.widest;
        if (count == 1) {
            unsandwich<T, false>(left, outputs, right, e, product, h, to, product, work[0].at);
            return;
        }
        V* d_prefix = work[1].at;
        V* spare = work[2].at;
        unsandwich<T, false>(left, 1, right, e, product, h, to, d_prefix, work[0].at);
        V* factor = x.at;
        for (int i = step.first; i < step.last; i++) factor += n_groups * problem.room(i);
        for (int c = count - 1; c > 0; c--) {
            const int site = step.first + c, mid = dims(site).left, far = dims(site).right;
            V* mine = factor + group * problem.room(site);
            if (rescaled(c, count)) scale_all(d_prefix, left * far, divided.at[c]);
            V* before = c == 1 ? x.at + group * problem.room(step.first)
                               : prefix.at + (c - 1) * problem.widest;
            for_size<T, V>(left == mid && mid == far ? mid : 0, [&](auto size) {
                multiply<size(), false, false>(left, mid, far, dense(d_prefix, far),
                                               dense(mine, far).transposed(), dense(spare, mid));
                multiply<size(), false, false>(mid, far, left, dense(before, mid).transposed(),
                                               dense(d_prefix, far), dense(mine, far));
            });
            std::swap(d_prefix, spare);
            factor -= n_groups * problem.room(site - 1);
        }
        std::memcpy(x.at + group * problem.room(step.first), d_prefix,
                    left * dims(step.first).right * sizeof(V));
    }
};
