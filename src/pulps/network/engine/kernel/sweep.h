// The sweep of one chunk of rows through one chain, forward and backward. Included once for
// every instruction set, after environments.h.
//
// A chunk is a few groups of W rows. Factors come from both ends of the chain. Either they meet,
// or the one from the left becomes an environment, which walks on to the one from the right.
// Kept for the backward pass is what every step met and what met in the end. The backward pass
// embeds and carries again what factors passed, a step at a time: memory is slower than that.

template <class T, int W>
struct Sweeper : Environments<T, W> {
    typedef Environments<T, W> Base;
    using typename Base::V;
    using Base::chain, Base::dims, Base::env, Base::exponents, Base::first_row, Base::given,
        Base::half, Base::n_groups, Base::n_rows, Base::plan, Base::problem, Base::scale_all,
        Base::work, Base::x;
    // Factors from the left and from the right, later the derivatives by them; and on the way.
    Buffer<V> factor[2], way[2];
    Buffer<V> tape;    // [group]: factors before and derivatives behind the sites of a step
    Buffer<V> value;   // a group: squared norms
    Buffer<V> scales;  // a site: what the factor behind it was multiplied with
    Buffer<T> saved;
    ByCategory<T, W> by_category;
    V joint_scale;

    explicit Sweeper(const Problem<T, W>& p) : Base(p), by_category(p) {
        for (auto* pair : {&factor, &way})
            for (auto& buffer : *pair) buffer = Buffer<V>(p.n_groups * p.widest);
        tape = Buffer<V>(p.n_groups * p.tape_room);
        value = Buffer<V>(p.n_groups);
        scales = Buffer<V>(given.n_sites);
    }

    V* of(Buffer<V>& buffer, int group) const { return buffer.at + group * problem.widest; }
    static void copy(V* to, const V* from, size_t n) { std::memcpy(to, from, n * sizeof(V)); }

    // The matrices of a site for a group, given where they are if they are embedded.
    typedef Matrices<V, typename Base::Integers> X;
    X matrices(const Stop& stop, int g, V* embedded) const {
        const bool looked_up = problem.looked_up[stop.site];
        return {looked_up ? this->tables(stop.site) : embedded, this->codes(stop.site, g)};
    }

    // One group's factor through one site.
    void pass(const Stop& stop, int g, V* from, V* embedded, V* to) {
        advance<T>(stop, from, matrices(stop, g, embedded), to);
        if (!stop.rescaled) return;
        const V scale = Lanes<T, W>::unit(to, stop.behind(), exponents.at[g], 2);
        scale_all(to, stop.behind(), scale);
        scales.at[stop.site] = scale;
    }

    // Take the factors of some groups through the sites of a step; kept is where they go first,
    // or null.
    void carry(const Step& step, V* kept) {
        Buffer<V>&now = factor[step.side == RIGHT], &next = way[step.side == RIGHT];
        for (int g = 0; g < n_groups && kept; g++)
            copy(kept + g * plan->saved, of(now, g), step.stops[0].before());
        for (const Stop& stop : step.stops) {
            if (!problem.looked_up[stop.site]) this->embed_site(stop.site, x.at, 0, n_groups);
            for (int g = 0; g < n_groups; g++)
                pass(stop, g, of(now, g), x.at + g * problem.room(stop.site), of(next, g));
            std::swap(now.at, next.at);
        }
    }

    // What met in the end: with what was kept, if anything was.
    V* left_end(V* kept, int g) {
        return kept ? kept + g * plan->saved + plan->end_at : of(factor[0], g);
    }
    V* right_end(V* kept, int g) {
        return kept ? left_end(kept, g) + plan->left_rank * plan->left_bond : of(factor[1], g);
    }
    V* last_env(V* kept, int g) {
        return kept ? right_end(kept, g) + plan->right_rank * plan->right_bond : of(env, g);
    }

    // The squared norms of a group, up to their exponents. Left in work: the products of all
    // pairs of columns of the two factors, or of the right one and the environment.
    void meet(V* kept, int g) {
        const int bond = plan->right_bond, n = plan->right_rank;
        V* right = right_end(kept, g);
        V* z = work[0].at;
        V sum = {};
        joint_scale = Lanes<T, W>::all(1);
        if (plan->meets) {
            const int m = plan->left_rank;
            multiply<false, false>(m, n, bond, dense(left_end(kept, g), bond),
                                   dense(right, bond).transposed(), dense(z, n));
            joint_scale = Lanes<T, W>::unit(z, m * n, exponents.at[g], 2);
            scale_all(z, m * n, joint_scale);
            for (int e = 0; e < m * n; e++) sum += z[e] * z[e];
        } else {
            multiply<false, false>(n, bond, bond, dense(right, bond),
                                   dense(last_env(kept, g), bond), dense(z, bond));
            for (int e = 0; e < n * bond; e++) sum += z[e] * right[e];
        }
        const V tiny = Lanes<T, W>::all(std::numeric_limits<T>::min());
        value.at[g] = sum <= tiny ? tiny : sum;  // not a number stays so
    }

    // Derivatives of the log-norm, times a weight, by the two that have just met.
    void part(V* kept, int g, V weight) {
        const int bond = plan->right_bond, n = plan->right_rank;
        const V tiny = Lanes<T, W>::all(std::numeric_limits<T>::min());
        // A row without length has no direction in which it would grow: no gradient.
        const V share = value.at[g] > tiny ? weight * joint_scale / value.at[g] : V{};
        V* z = work[0].at;
        V* right = right_end(kept, g);
        if (plan->meets) {
            const int m = plan->left_rank;
            scale_all(z, m * n, share);
            multiply<false, false>(m, bond, n, dense(z, n), dense(right, bond),
                                   dense(of(factor[0], g), bond));
            multiply<false, false>(n, bond, m, dense(z, n).transposed(),
                                   dense(left_end(kept, g), bond), dense(of(factor[1], g), bond));
        } else {
            gram(n, bond, right, of(half, g));
            scale_all(of(half, g), bond * bond, share);
            for (int e = 0; e < n * bond; e++) of(factor[1], g)[e] = z[e] * share;
        }
    }

    // to = Fᵀ F.
    void gram(int rank, int bond, V* f, V* to) {
        multiply<false, true>(bond, bond, rank, dense(f, bond).transposed(), dense(f, bond),
                              dense(to, bond));
        mirror(bond, dense(to, bond));
    }

    // Forward: logarithms of the norms of a chunk. Keep is where what the backward pass needs
    // goes, or null.
    void forward(int of_chain, int chunk, T* keep, T* logs) {
        // Where factors meet, a site of few groups stays in the nearest cache; in the middle the
        // weights of many groups' sites are read once.
        const int count = problem.groups_of(chunk);
        const int at_once = problem.plan_of(chunk).meets ? GROUPS_AT_ONCE : count;
        for (int g = 0; g < count; g += at_once) {
            this->open(of_chain, chunk, g, std::min(at_once, count - g));
            V* kept = reinterpret_cast<V*>(keep);
            sweep(kept ? kept + g * plan->saved : nullptr);
            for (int i = 0; i < n_rows && logs; i++) {
                const double exponent = double(exponents.at[i / W][i % W]);
                logs[size_t(chain) * given.n_rows + first_row + i] =
                    T(0.5 * (std::log(double(value.at[i / W][i % W])) + LOG_TWO * exponent));
            }
        }
    }

    void sweep(V* kept) {
        for (int g = 0; g < n_groups; g++) {
            exponents.at[g] = typename Base::Integers{};
            for (auto& buffer : factor) *of(buffer, g) = Lanes<T, W>::all(1);
        }
        bool middle = false;
        for (const Step& step : plan->steps) {
            V* to = kept ? kept + step.saved_at : nullptr;
            if (step.side != MIDDLE) {
                carry(step, to);
                continue;
            }
            for (int g = 0; g < n_groups && !middle; g++)
                gram(plan->left_rank, plan->left_bond, of(factor[0], g), of(env, g));
            middle = true;
            this->absorb(step, to);
        }
        for (int g = 0; g < n_groups; g++) {
            meet(nullptr, g);
            if (kept) keep_end(kept, g);
        }
    }

    void keep_end(V* kept, int g) {
        copy(left_end(kept, g), of(factor[0], g), plan->left_rank * plan->left_bond);
        copy(right_end(kept, g), of(factor[1], g), plan->right_rank * plan->right_bond);
        if (!plan->meets)
            copy(last_env(kept, g), of(env, g), plan->right_bond * plan->right_bond);
    }

    // Backward: add the gradients of a chunk, given those of its log-norms.
    void backward(int of_chain, int chunk, const T* keep, const T* d_logs, T* grad) {
        if (!keep) {
            if (!saved.at) saved = Buffer<T>(problem.saved_room);
            forward(of_chain, chunk, saved.at, nullptr);
            keep = saved.at;
        }
        this->open(of_chain, chunk, 0, problem.groups_of(chunk));
        V* kept = const_cast<V*>(reinterpret_cast<const V*>(keep));  // is only read
        for (int g = 0; g < n_groups; g++) {
            V weight = {};
            for (int i = g * W; i < std::min(n_rows, (g + 1) * W); i++)
                weight[i % W] = d_logs[size_t(chain) * given.n_rows + first_row + i];
            meet(kept, g);
            part(kept, g, weight);
        }
        bool joined = plan->meets;
        for (auto step = plan->steps.rbegin(); step != plan->steps.rend(); ++step) {
            if (step->side == MIDDLE) {
                this->release(*step, kept + step->saved_at, grad);
                continue;
            }
            if (step->side == LEFT && !joined) {
                for (int g = 0; g < n_groups; g++) separate(kept, g);
                joined = true;
            }
            for (int g = 0; g < n_groups; g++) {
                const int at_once = std::min(GROUPS_AT_ONCE, n_groups - g);
                if (g % GROUPS_AT_ONCE == 0) embed_again(*step, g, at_once);
                go_back(*step, g, kept + g * plan->saved + step->saved_at);
            }
            for (const Stop& stop : step->stops)
                if (by_category.pays(stop))
                    by_category.finish(stop, chunk, n_groups, tape_of(*step, stop, 0),
                                       step->tape_room, grad);
                else
                    finish(*step, stop, grad);
        }
    }

    // The factor from the left became an environment, E = FᵀF: its derivative is F G, where G is
    // twice that of the environment.
    void separate(V* kept, int g) {
        const int bond = plan->left_bond;
        multiply<false, false>(plan->left_rank, bond, bond, dense(left_end(kept, g), bond),
                               dense(of(half, g), bond), dense(of(factor[0], g), bond));
    }

    V* tape_of(const Step& step, const Stop& stop, int g) const {
        return tape.at + g * step.tape_room + stop.tape_at;
    }

    // Embed all sites of a step for some groups: x is [site][group of these][element].
    void embed_again(const Step& step, int first_group, int count) {
        for (const Stop& stop : step.stops)
            if (!problem.looked_up[stop.site])
                this->embed_site(stop.site, x.at + GROUPS_AT_ONCE * stop.x_at, first_group, count);
    }

    // One group's factor once more through the sites of a step, and its derivatives back: the
    // factors before and the derivatives behind each site are left on the tape.
    void go_back(const Step& step, int g, V* first) {
        const auto embedded = [&](const Stop& stop) {
            return x.at + GROUPS_AT_ONCE * stop.x_at + g % GROUPS_AT_ONCE * problem.room(stop.site);
        };
        const size_t n = step.stops.size();
        copy(tape_of(step, step.stops[0], g), first, step.stops[0].before());
        for (size_t i = 0; i < n; i++) {
            const Stop& stop = step.stops[i];
            V* to = i + 1 < n ? tape_of(step, step.stops[i + 1], g) : of(way[0], g);
            pass(stop, g, tape_of(step, stop, g), embedded(stop), to);
        }
        V* derivative = of(factor[step.side == RIGHT], g);
        copy(tape_of(step, step.stops[n - 1], g) + step.stops[n - 1].before(), derivative,
             step.stops[n - 1].behind());
        for (size_t i = n; i-- > 0;) {
            const Stop& stop = step.stops[i];
            V* behind = tape_of(step, stop, g) + stop.before();
            if (stop.rescaled) scale_all(behind, stop.behind(), scales.at[stop.site]);
            V* to = i ? tape_of(step, step.stops[i - 1], g) + step.stops[i - 1].before()
                      : derivative;
            retreat<T>(stop, behind, matrices(stop, g, embedded(stop)), to);
        }
    }

    // The gradients of a site, given the tape of all groups. A few rows of its matrices at a
    // time, so that they stay in the nearest cache.
    void finish(const Step& step, const Stop& stop, T* grad) {
        const Dims d = stop.d;
        const int strip = strip_rows(d.left, d.right, W / problem.tile(stop.site));
        const int rows = strip ? strip : d.left;
        const int outputs = strip ? 1 : d.output, elements = rows * d.right;
        const size_t room = problem.room(stop.site);
        V* before = tape_of(step, stop, 0);
        V* behind = before + stop.before();
        for (int k = 0; k < d.output; k += outputs)
            for (int row = 0; row < d.left; row += rows) {
                for (int j = 0; j < outputs; j++)
                    derive<T>(stop, n_groups, before, behind + (k + j) * stop.rank * stop.far(),
                                 step.tape_room, row, rows, x.at + j * elements, room);
                this->add_gradients(stop.site, x.at, (k * d.left + row) * d.right,
                                    outputs * elements, grad);
            }
    }
};
