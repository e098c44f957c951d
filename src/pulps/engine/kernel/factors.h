// What one site does to a factor of a group of W rows, forward and backward. Included once for
// every instruction set, after problem.h. The mathematics is in pulps/engine/factors.py.
//
// A factor is rank × bond, a column of the book a row here: F_j is the row j. With the matrices
// X_k (left × right) of the site's outputs, a factor from the left goes to F'_kj = F_j X_k and
// one from the right to R'_kj = R_j X_kᵀ: rank grows by the number of outputs.

// A site's matrix of one output as a factor from either side meets it.
template <class V>
static inline Matrix<V> toward(bool left, Dims d, V* x) {
    const Matrix<V> matrix = dense(x, d.right);
    return left ? matrix : matrix.transposed();
}

// c = a b for a of rank rows and b a square matrix of size D, both known to the compiler or 0.
template <int RANK, int D, bool ADD, class V>
[[gnu::always_inline]] static inline void multiply_factor(int rank, int columns, int inner,
                                                          Matrix<V> a, Matrix<V> b, Matrix<V> c) {
    if constexpr (RANK > 0)
        multiply_fixed<RANK, D, D, ADD, false>(a, b, c);
    else
        multiply<ADD, false>(rank, columns, inner, a, b, c);
}

// Call f with rank and size as constants where they are common, or with zeros.
template <class T, class V, class F>
static inline void for_factor(int rank, Dims d, const F& f) {
    typedef std::integral_constant<int, 0> Any;
    for_size<T, V>(d.left == d.right ? d.left : 0, [&](auto size) {
        if constexpr (size() > 0) {
            switch (rank) {
                case 1: return f(std::integral_constant<int, 1>(), size);
                case 2: return f(std::integral_constant<int, 2>(), size);
                case 4: return f(std::integral_constant<int, 4>(), size);
                case 8: return f(std::integral_constant<int, 8>(), size);
            }
        }
        f(Any(), Any());
    });
}

// to = the factor behind a site.
template <class T, class V>
static void advance(const Stop& stop, V* factor, V* x, V* to) {
    const Dims d = stop.d;
    for_factor<T, V>(stop.rank, d, [&](auto rank, auto size) {
        for (int k = 0; k < d.output; k++, x += d.left * d.right, to += stop.rank * stop.far())
            multiply_factor<rank(), size(), false>(
                stop.rank, stop.far(), stop.near(), dense(factor, stop.near()),
                toward(stop.left, d, x), dense(to, stop.far()));
    });
}

// to = the derivative by the factor before a site, given that by the one behind it.
template <class T, class V>
static void retreat(const Stop& stop, V* behind, V* x, V* to) {
    const Dims d = stop.d;
    for_factor<T, V>(stop.rank, d, [&](auto rank, auto size) {
        for (int k = 0; k < d.output; k++, x += d.left * d.right) {
            const Matrix<V> a = dense(behind + k * stop.rank * stop.far(), stop.far());
            const Matrix<V> b = toward(!stop.left, d, x), c = dense(to, stop.near());
            if (k == 0)
                multiply_factor<rank(), size(), false>(stop.rank, stop.near(), stop.far(), a, b,
                                                       c);
            else
                multiply_factor<rank(), size(), true>(stop.rank, stop.near(), stop.far(), a, b,
                                                      c);
        }
    });
}

// Rows of a site's matrices whose gradients fill whole tiles of W numbers; 0 if all rows of all
// outputs together may not.
template <int W>
constexpr int strip_rows(int left, int right) {
    for (int rows = 1; rows <= left; rows++)
        if (left % rows == 0 && rows * right % GRAD_ELEMENTS<W> == 0) return rows;
    return 0;
}

// For all groups: dx = some rows of the derivative by the site's matrix of one output, given the
// factor before the site and the derivative by the one behind it.
template <class T, int W, class V>
static void derive(const Stop& stop, int n_groups, V* factor, V* behind, size_t tape, int first,
                   int rows, V* dx, size_t room) {
    const Dims d = stop.d;
    for_factor<T, V>(stop.rank, d, [&](auto rank, auto size) {
        for (int g = 0; g < n_groups; g++, factor += tape, behind += tape, dx += room) {
            const Matrix<V> before = dense(factor, stop.near()), after = dense(behind, stop.far());
            const Matrix<V> a = from(stop.left ? before : after, 0, first).transposed();
            const Matrix<V> b = stop.left ? after : before, c = dense(dx, d.right);
            if constexpr (rank() > 0) {
                constexpr int strip = strip_rows<W>(size(), size());
                if (rows == size())
                    multiply_fixed<size(), size(), rank(), false, false>(a, b, c);
                else if constexpr (strip > 0)
                    multiply_fixed<strip, size(), rank(), false, false>(a, b, c);
            } else {
                multiply<false, false>(rows, d.right, stop.rank, a, b, c);
            }
        }
    });
}
