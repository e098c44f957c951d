// Gradients of sites of categories: rows of one category are summed, and nothing is multiplied by
// zero. Included once for every instruction set, after problem.h.
//
// Here a vector is a few right bonds of one row. So what the tape holds is turned to one piece of
// memory a row; then the outer products of a category's rows are summed in registers.

// Numbers of a row that a site's factor before it and the derivatives behind it take.
static inline int row_size(const Stop& stop, int width) {
    return padded(stop.before() + stop.behind(), width);
}

// to[i] += sum over rows and columns j of a[j][i] b[j], for I left bonds and E right ones.
template <class T, int E, int I>
static inline void add_outer_products(const T* rows, size_t stride, const int* row,
                                      const int* last, const Stop& stop, size_t a_at, size_t b_at,
                                      T* to, size_t step) {
    typedef typename Lanes<T, E>::V Few;
    const int left = stop.d.left, right = stop.d.right;
    Few sum[I] = {};
    for (; row < last; row++) {
        const T* a = rows + *row * stride + a_at;
        const T* b = rows + *row * stride + b_at;
        for (int j = 0; j < stop.rank; j++, a += left, b += right) {
            Few y;
            std::memcpy(&y, b, sizeof y);
#pragma GCC unroll 8
            for (int i = 0; i < I; i++) sum[i] += a[i] * y;
        }
    }
    for (int i = 0; i < I; i++, to += step) {
        Few y;
        std::memcpy(&y, to, sizeof y);
        y += sum[i];
        std::memcpy(to, &y, sizeof y);
    }
}

template <class T, int W>
struct ByCategory {
    typedef typename Lanes<T, W>::V V;
    const Problem<T, W>& problem;
    Buffer<V> rows;

    explicit ByCategory(const Problem<T, W>& p) : problem(p), rows(p.n_groups * p.row_room) {}

    // Turning costs as much as summing, and the other way multiplies by every feature.
    bool pays(const Stop& stop) const {
        return problem.looked_up[stop.site] && stop.rank <= stop.d.feature &&
               stop.d.right % (W / problem.tile(stop.site)) == 0;
    }

    void turn(const Stop& stop, int n_groups, const V* tape, size_t tape_room) {
        const int n = row_size(stop, W);
        for (int g = 0; g < n_groups; g++, tape += tape_room)
            for (int e = 0; e < n; e += W) {
                V square[W];
#pragma GCC unroll 16
                for (int i = 0; i < W; i++) square[i] = tape[e + i];
                transpose<T, W>(square);
#pragma GCC unroll 16
                for (int i = 0; i < W; i++) rows.at[((g * W + i) * n + e) / W] = square[i];
            }
    }

    template <int E>
    void add_all(const Stop& stop, int chunk, T* grad) {
        const Dims d = stop.d;
        const T* from = reinterpret_cast<const T*>(rows.at);
        const int* order = problem.order_of(stop.site, chunk);
        const int* starts = problem.starts_of(stop.site, chunk);
        const size_t stride = row_size(stop, W);
        for (int s = 0; s < d.feature; s++)
            for (int k = 0; k < d.output && starts[s] < starts[s + 1]; k++) {
                const size_t behind = stop.before() + size_t(k) * stop.rank * stop.far();
                for (int r = 0; r < d.right; r += E)
                    for (int l = 0; l < d.left;) {
                        const auto add = [&](auto size) {
                            const int e = (k * d.left + l) * d.right + r;
                            const size_t at = problem.grad_place(stop.site, s, e);
                            const size_t next = problem.grad_place(stop.site, s, e + d.right);
                            add_outer_products<T, E, size()>(
                                from, stride, order + starts[s], order + starts[s + 1], stop,
                                (stop.left ? 0 : behind) + l, (stop.left ? behind : 0) + r,
                                grad + at, next - at);
                            l += size();
                        };
                        if (d.left - l >= 8) add(std::integral_constant<int, 8>());
                        else if (d.left - l >= 4) add(std::integral_constant<int, 4>());
                        else add(std::integral_constant<int, 1>());
                    }
            }
    }

    // Add the gradients by a site's weights, given the tape of all groups.
    void finish(const Stop& stop, int chunk, int n_groups, const V* tape, size_t tape_room,
                T* grad) {
        turn(stop, n_groups, tape, tape_room);
        grad += problem.grad_at[stop.site];
        if (W / problem.tile(stop.site) == 4)
            add_all<4>(stop, chunk, grad);
        else
            add_all<8>(stop, chunk, grad);
    }
};
