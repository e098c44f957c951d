// What one site does to a factor of a group of W rows, forward and backward. Included once for
// every instruction set, after problem.h. The mathematics is in pulps/network/engine/factors.py.
//
// A factor is rank × bond, a column of the book a row here: F_j is the row j. With the matrices
// X_k (left × right) of the site's outputs, a factor from the left goes to F'_kj = F_j X_k and
// one from the right to R'_kj = R_j X_kᵀ: rank grows by the number of outputs.

// The matrices of a site for the rows of a group: embedded, or tables in which every row looks
// up the ones of its category.
template <class V, class Codes>
struct Matrices {
    V* at;
    const Codes* codes;  // null if embedded
};

// c = a b, or c += a b, for a of rank rows and b one matrix of a site, square and of size D, or
// that transposed. Rank and size are known to the compiler, or 0.
template <int RANK, int D, bool ADD, class V, class Codes>
[[gnu::always_inline]] static inline void multiply_factor(int rank, int columns, int inner,
                                                          Matrix<V> a, Matrix<V> b,
                                                          const Codes* codes, Matrix<V> c) {
    if constexpr (RANK > 0) rank = RANK, columns = inner = D;
    if (codes)
        multiply_looked_up<ADD>(rank, columns, inner, a, b, *codes, c);
    else if constexpr (RANK > 0)
        multiply_fixed<RANK, D, D, ADD, false>(a, b, c);
    else
        multiply<ADD, false>(rank, columns, inner, a, b, c);
}

// A site's matrix of one output as a factor from either side meets it.
template <class V>
static inline Matrix<V> toward(bool left, Dims d, V* x) {
    const Matrix<V> matrix = dense(x, d.right);
    return left ? matrix : matrix.transposed();
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
            if (rank == size) return f(size, size);
        }
        f(Any(), Any());
    });
}

// to = the factor behind a site.
template <class T, class V, class Codes>
static void advance(const Stop& stop, V* factor, Matrices<V, Codes> x, V* to) {
    const Dims d = stop.d;
    for_factor<T, V>(stop.rank, d, [&](auto rank, auto size) {
        for (int k = 0; k < d.output; k++, to += stop.rank * stop.far())
            multiply_factor<rank(), size(), false>(
                stop.rank, stop.far(), stop.near(), dense(factor, stop.near()),
                toward(stop.left, d, x.at + k * d.left * d.right), x.codes,
                dense(to, stop.far()));
    });
}

// to = the derivative by the factor before a site, given that by the one behind it.
template <class T, class V, class Codes>
static void retreat(const Stop& stop, V* behind, Matrices<V, Codes> x, V* to) {
    const Dims d = stop.d;
    for_factor<T, V>(stop.rank, d, [&](auto rank, auto size) {
        for (int k = 0; k < d.output; k++) {
            const Matrix<V> a = dense(behind + k * stop.rank * stop.far(), stop.far());
            const Matrix<V> b = toward(!stop.left, d, x.at + k * d.left * d.right);
            const Matrix<V> c = dense(to, stop.near());
            if (k == 0)
                multiply_factor<rank(), size(), false>(stop.rank, stop.near(), stop.far(), a, b,
                                                       x.codes, c);
            else
                multiply_factor<rank(), size(), true>(stop.rank, stop.near(), stop.far(), a, b,
                                                      x.codes, c);
        }
    });
}

// Rows of a site's matrices to derive at a time: as many as the nearest cache holds of all groups,
// if their gradients fill whole tiles; 0 if all rows of all outputs together may not.
constexpr int STRIP = 32;  // elements
constexpr int strip_rows(int left, int right, int tile_elements) {
    int found = 0;
    for (int rows = 1; rows <= left; rows++)
        if (left % rows == 0 && rows * right % tile_elements == 0 &&
            (!found || rows * right <= STRIP))
            found = rows;
    return found;
}

// For all groups: dx = some rows of the derivative by the site's matrix of one output, given the
// factor before the site and the derivative by the one behind it.
template <class T, class V>
static void derive(const Stop& stop, int n_groups, V* factor, V* behind, size_t tape, int first,
                   int rows, V* dx, size_t room) {
    const Dims d = stop.d;
    for_factor<T, V>(stop.rank, d, [&](auto rank, auto size) {
        for (int g = 0; g < n_groups; g++, factor += tape, behind += tape, dx += room) {
            const Matrix<V> before = dense(factor, stop.near()), after = dense(behind, stop.far());
            const Matrix<V> a = from(stop.left ? before : after, 0, first).transposed();
            const Matrix<V> b = stop.left ? after : before, c = dense(dx, d.right);
            if constexpr (rank() > 0) {
                constexpr int strip = strip_rows(size(), size(), 4);
                if (strip > 0 && rows == strip) {
                    multiply_fixed<strip, size(), rank(), false, false>(a, b, c);
                    continue;
                }
            }
            multiply<false, false>(rows, d.right, stop.rank, a, b, c);
        }
    });
}
