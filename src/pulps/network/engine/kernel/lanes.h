// Arithmetic on vectors whose lanes are rows: the matrix element (i, j) of W rows is one
// vector. Included once for every instruction set, inside a namespace of its own.
//
// A matrix is given by a pointer to its first vector and the distance, in vectors, between
// neighboring rows and neighboring columns; a transposed matrix is the same memory with the
// distances exchanged.

template <class T, int W>
struct Lanes {
    typedef T V __attribute__((vector_size(sizeof(T) * W)));
    static constexpr int width = W;

    typedef std::conditional_t<sizeof(T) == 4, int32_t, int64_t> Integer;
    typedef Integer Integers __attribute__((vector_size(sizeof(T) * W)));

    static V all(T x) {
        V v = {};
        return v + x;
    }

    // One over the power of two next below the largest size of n numbers; its exponent is added
    // to a sum, so many times. Dividing by a power of two rounds nothing, and a sum of
    // exponents needs no logarithm. What is not finite stays so.
    static V unit(const V* m, int n, Integers& exponents, int times) {
        V most = all(std::numeric_limits<T>::min());
        for (int e = 0; e < n; e++) {
            const V size = m[e] < 0 ? -m[e] : m[e];
            most = size > most ? size : most;
        }
        constexpr int digits = std::numeric_limits<T>::digits - 1;
        constexpr Integer bias = std::numeric_limits<T>::max_exponent - 1;
        Integers exponent = (Integers)most >> digits;
        exponent = exponent < 2 * bias ? exponent : exponent - exponent + 2 * bias - 1;
        exponents += (exponent - bias) * times;
        return (V)((2 * bias - exponent) << digits);
    }
};

template <class V>
struct Matrix {
    V* at;
    long row, column;
    V& operator()(long i, long j) const { return at[i * row + j * column]; }
    Matrix transposed() const { return {at, column, row}; }
};

template <class V>
static inline Matrix<V> dense(V* at, int columns) {
    return {at, columns, 1};
}

// A tile of I × J sums stays in registers; at most 3 × 4, since 12 sums, 3 factors of one side and 1 of the
// other are the 16 registers of AVX2.

template <class V, int I, int J, bool ADD>
[[gnu::always_inline]] static inline void multiply_tile(int inner, Matrix<V> a, Matrix<V> b,
                                                        Matrix<V> c) {
    V sum[I][J];
#pragma GCC unroll 6
    for (int i = 0; i < I; i++)
#pragma GCC unroll 4
        for (int j = 0; j < J; j++) sum[i][j] = ADD ? c(i, j) : V{};
    const V* pa = a.at;
    const V* pb = b.at;
#pragma GCC unroll 8
    for (int k = 0; k < inner; k++, pa += a.column, pb += b.row) {
        V x[I];
#pragma GCC unroll 6
        for (int i = 0; i < I; i++) x[i] = pa[i * a.row];
#pragma GCC unroll 4
        for (int j = 0; j < J; j++) {
            const V y = pb[j * b.column];
#pragma GCC unroll 6
            for (int i = 0; i < I; i++) sum[i][j] += x[i] * y;
        }
    }
#pragma GCC unroll 6
    for (int i = 0; i < I; i++)
#pragma GCC unroll 4
        for (int j = 0; j < J; j++) c(i, j) = sum[i][j];
}

template <class V>
static inline Matrix<V> from(Matrix<V> m, int i, int j) {
    return {m.at + i * m.row + j * m.column, m.row, m.column};
}

// Rows and columns that are left over go into tiles of at least two where that is possible:
// with few sums in flight the processor waits for each.
template <class V, int I, bool ADD>
static inline void multiply_strip(int columns, int inner, Matrix<V> a, Matrix<V> b, Matrix<V> c) {
    int j = 0;
    for (int left = columns; left; left = columns - j) {
        if (left >= 7 || left == 4) {
            multiply_tile<V, I, 4, ADD>(inner, a, from(b, 0, j), from(c, 0, j));
            j += 4;
        } else if (left >= 5 || left == 3) {
            multiply_tile<V, I, 3, ADD>(inner, a, from(b, 0, j), from(c, 0, j));
            j += 3;
        } else if (left == 2) {
            multiply_tile<V, I, 2, ADD>(inner, a, from(b, 0, j), from(c, 0, j));
            j += 2;
        } else {
            multiply_tile<V, I, 1, ADD>(inner, a, from(b, 0, j), from(c, 0, j));
            j += 1;
        }
    }
}

// Rows of the next tile; with 32 registers up to 6, of a symmetric result few, as then less is
// computed twice.
template <bool WIDE>
constexpr int tile_rows(int left) {
    if (WIDE && (left == 6 || left > 8)) return 6;
    if (WIDE && (left == 4 || left > 6)) return 4;
    return left >= 5 || left == 3 ? 3 : left >= 2 ? 2 : 1;
}

// c = a b, or c += a b. Of a symmetric result only the columns from the first row of a strip
// on are computed; mirror() fills in the rest.
template <bool ADD, bool SYMMETRIC, class V>
static void multiply(int rows, int columns, int inner, Matrix<V> a, Matrix<V> b, Matrix<V> c) {
    int i = 0;
    for (int left = rows; left; left = rows - i) {
        const int j = SYMMETRIC ? i : 0;
        const Matrix<V> b_rest = from(b, 0, j), c_rest = from(c, i, j), a_rest = from(a, i, 0);
        const int height = tile_rows<false>(left);
        if (height == 3) multiply_strip<V, 3, ADD>(columns - j, inner, a_rest, b_rest, c_rest);
        if (height == 2) multiply_strip<V, 2, ADD>(columns - j, inner, a_rest, b_rest, c_rest);
        if (height == 1) multiply_strip<V, 1, ADD>(columns - j, inner, a_rest, b_rest, c_rest);
        i += height;
    }
}

// The same, from tile (I0, J0) on, for sizes known to the compiler: tiles are unrolled and
// distances between elements are constants, which for small matrices takes a quarter less time.
template <int ROWS, int COLUMNS, int INNER, bool ADD, bool SYMMETRIC, int I0 = 0, int J0 = 0,
          class V>
[[gnu::always_inline]] static inline void multiply_fixed(Matrix<V> a, Matrix<V> b, Matrix<V> c) {
    constexpr int I = tile_rows<sizeof(V) == 64 && !SYMMETRIC>(ROWS - I0);
    constexpr int rest = COLUMNS - J0;
    constexpr int J = rest >= 7 || rest == 4 ? 4 : rest >= 5 || rest == 3 ? 3 : rest;
    multiply_tile<V, I, J, ADD>(INNER, from(a, I0, 0), from(b, 0, J0), from(c, I0, J0));
    if constexpr (J0 + J < COLUMNS)
        multiply_fixed<ROWS, COLUMNS, INNER, ADD, SYMMETRIC, I0, J0 + J>(a, b, c);
    else if constexpr (I0 + I < ROWS)
        multiply_fixed<ROWS, COLUMNS, INNER, ADD, SYMMETRIC, I0 + I, SYMMETRIC ? I0 + I : 0>(a, b,
                                                                                           c);
}

// D is the size of square matrices, or 0 if the compiler does not know it.
template <int D, bool ADD, bool SYMMETRIC, class V>
[[gnu::always_inline]] static inline void multiply(int rows, int columns, int inner, Matrix<V> a,
                                                   Matrix<V> b, Matrix<V> c) {
    if constexpr (D > 0)
        multiply_fixed<D, D, D, ADD, SYMMETRIC>(a, b, c);
    else
        multiply<ADD, SYMMETRIC>(rows, columns, inner, a, b, c);
}

// Call f with a common size as a constant, or with 0 for any other. Only where it pays, in
// single precision and wide vectors: each constant takes the compiler seconds.
template <class T, class V, class F>
static inline void for_size(int size, const F& f) {
    if constexpr (sizeof(T) == 4 && sizeof(V) >= 32) {
        switch (size) {
            case 6: return f(std::integral_constant<int, 6>());
            case 8: return f(std::integral_constant<int, 8>());
            case 12: return f(std::integral_constant<int, 12>());
        }
    }
    f(std::integral_constant<int, 0>());
}

template <class V>
static void mirror(int size, Matrix<V> c) {
    for (int i = 1; i < size; i++)
        for (int j = 0; j < i; j++) c(i, j) = c(j, i);
}

// A table of at most W numbers, and which of them each lane wants: one instruction where the
// processor has it.
#if defined(__clang__) || !defined(__x86_64__)
template <int BYTES>
constexpr bool LOOKS_UP = false;
#else
template <int BYTES>
constexpr bool LOOKS_UP = BYTES >= 32;
#endif

template <class V, class Codes>
[[gnu::always_inline]] static inline V look_up(V table, Codes codes) {
#if defined(__clang__)
    (void)codes;
    return table;
#else
    return __builtin_shuffle(table, codes);
#endif
}

// c = a b, or c += a b, for a matrix b that every lane looks up: b(i, j) is a table.
template <class V, class Codes, int I, int J, bool ADD>
[[gnu::always_inline]] static inline void multiply_looked_up_tile(int inner, Matrix<V> a,
                                                                  Matrix<V> b, Codes codes,
                                                                  Matrix<V> c) {
    V sum[I][J];
#pragma GCC unroll 4
    for (int i = 0; i < I; i++)
#pragma GCC unroll 4
        for (int j = 0; j < J; j++) sum[i][j] = ADD ? c(i, j) : V{};
#pragma GCC unroll 8
    for (int k = 0; k < inner; k++) {
#pragma GCC unroll 4
        for (int j = 0; j < J; j++) {
            const V y = look_up(b(k, j), codes);
#pragma GCC unroll 4
            for (int i = 0; i < I; i++) sum[i][j] += a(i, k) * y;
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < I; i++)
#pragma GCC unroll 4
        for (int j = 0; j < J; j++) c(i, j) = sum[i][j];
}

template <bool ADD, class V, class Codes>
[[gnu::always_inline]] static inline void multiply_looked_up(int rows, int columns, int inner,
                                                             Matrix<V> a, Matrix<V> b,
                                                             Codes codes, Matrix<V> c) {
    constexpr int most = sizeof(V) == 64 ? 4 : 2;  // as many sums as there are registers
    int i = 0;
    const auto strip = [&](auto height) {
        constexpr int I = height();
        int j = 0;
        for (; j + 4 <= columns; j += 4)
            multiply_looked_up_tile<V, Codes, I, 4, ADD>(inner, from(a, i, 0), from(b, 0, j),
                                                         codes, from(c, i, j));
        for (; j < columns; j++)
            multiply_looked_up_tile<V, Codes, I, 1, ADD>(inner, from(a, i, 0), from(b, 0, j),
                                                         codes, from(c, i, j));
        i += I;
    };
    while (i + most <= rows) strip(std::integral_constant<int, most>());
    if (most > 2 && i + 2 <= rows) strip(std::integral_constant<int, 2>());
    if (i < rows) strip(std::integral_constant<int, 1>());
}

// Embedding: x[e] = sum over s of weight[s][e] phi[s], for all groups of W rows of a chunk.
// Weights are packed [e / EMBED][s][e % EMBED]; phi is [group][s]; x is [group][e].
constexpr int EMBED = 6;

// Where the first feature is one for every row, as with the cosines, it needs no product.
template <class T, class V, int GROUPS, bool FIRST_IS_ONE>
static inline void embed_tile(int features, const T* weight, const V* phi, long phi_size, V* x,
                              long x_size) {
    V sum[EMBED][GROUPS] = {};
    if constexpr (FIRST_IS_ONE) {
#pragma GCC unroll 6
        for (int e = 0; e < EMBED; e++)
#pragma GCC unroll 2
            for (int g = 0; g < GROUPS; g++) sum[e][g] += weight[e];
        weight += EMBED;
        phi++;
    }
    for (int s = FIRST_IS_ONE; s < features; s++, weight += EMBED, phi++) {
        V y[GROUPS];
#pragma GCC unroll 2
        for (int g = 0; g < GROUPS; g++) y[g] = phi[g * phi_size];
#pragma GCC unroll 6
        for (int e = 0; e < EMBED; e++)
#pragma GCC unroll 2
            for (int g = 0; g < GROUPS; g++) sum[e][g] += weight[e] * y[g];
    }
#pragma GCC unroll 2
    for (int g = 0; g < GROUPS; g++)
#pragma GCC unroll 6
        for (int e = 0; e < EMBED; e++) x[g * x_size + e] = sum[e][g];
}

template <class T, bool FIRST_IS_ONE, class V>
static void embed(int features, int elements, const T* weight, const V* phi, long phi_size,
                  int n_groups, V* x, long x_size) {
    for (int e = 0; e < elements; e += EMBED, weight += features * EMBED, x += EMBED) {
        int g = 0;
        for (; g + 2 <= n_groups; g += 2)
            embed_tile<T, V, 2, FIRST_IS_ONE>(features, weight, phi + g * phi_size, phi_size,
                                              x + g * x_size, x_size);
        if (g < n_groups)
            embed_tile<T, V, 1, FIRST_IS_ONE>(features, weight, phi + g * phi_size, phi_size,
                                              x + g * x_size, x_size);
    }
}

// Sums over the lanes of W vectors: lane i of the result is the sum of vector i.
#if defined(__clang__) || __GNUC__ >= 12
#define PULPS_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif

template <class T>
static inline typename Lanes<T, 4>::V sum_lanes(const typename Lanes<T, 4>::V* v) {
    typename Lanes<T, 4>::V p[2];
    for (int i = 0; i < 2; i++)
        p[i] = PULPS_SHUFFLE(v[2 * i], v[2 * i + 1], 0, 4, 1, 5) +
               PULPS_SHUFFLE(v[2 * i], v[2 * i + 1], 2, 6, 3, 7);
    return PULPS_SHUFFLE(p[0], p[1], 0, 1, 4, 5) + PULPS_SHUFFLE(p[0], p[1], 2, 3, 6, 7);
}

template <class T>
static inline typename Lanes<T, 8>::V sum_lanes(const typename Lanes<T, 8>::V* v) {
    typename Lanes<T, 8>::V p[4], q[2];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        p[i] = PULPS_SHUFFLE(v[2 * i], v[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13) +
               PULPS_SHUFFLE(v[2 * i], v[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++)
        q[i] = PULPS_SHUFFLE(p[2 * i], p[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
               PULPS_SHUFFLE(p[2 * i], p[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
    return PULPS_SHUFFLE(q[0], q[1], 0, 1, 2, 3, 8, 9, 10, 11) +
           PULPS_SHUFFLE(q[0], q[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

template <class T>
static inline typename Lanes<T, 16>::V sum_lanes(const typename Lanes<T, 16>::V* v) {
    typename Lanes<T, 16>::V p[8], q[4], r[2];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        p[i] = PULPS_SHUFFLE(v[2 * i], v[2 * i + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12,
                             28, 13, 29) +
               PULPS_SHUFFLE(v[2 * i], v[2 * i + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27,
                             14, 30, 15, 31);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        q[i] = PULPS_SHUFFLE(p[2 * i], p[2 * i + 1], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12,
                             13, 28, 29) +
               PULPS_SHUFFLE(p[2 * i], p[2 * i + 1], 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27,
                             14, 15, 30, 31);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++)
        r[i] = PULPS_SHUFFLE(q[2 * i], q[2 * i + 1], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20,
                             21, 22, 23) +
               PULPS_SHUFFLE(q[2 * i], q[2 * i + 1], 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27,
                             28, 29, 30, 31);
    return PULPS_SHUFFLE(r[0], r[1], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) +
           PULPS_SHUFFLE(r[0], r[1], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
}

// Gradient by the weights: grad[s][e] += sum over rows of phi[s] dx[e]. A tile of S features and
// W / S elements is summed over the groups in registers and then over the lanes. The gradient
// is packed [tile of e][tile of s][s][e].
template <int W>
constexpr int tile_features(int features) {
    return W < 8 ? 1 : W == 16 && features % 4 == 0 ? 4 : 2;
}

template <class T, int W, int S>
static void add_weight_gradient(int features, int elements, const typename Lanes<T, W>::V* phi,
                                long phi_size, const typename Lanes<T, W>::V* dx, int n_groups,
                                long x_size, typename Lanes<T, W>::V* grad) {
    typedef typename Lanes<T, W>::V V;
    constexpr int E = W / S;
    for (int e = 0; e < elements; e += E)
        for (int s = 0; s < features; s += S, grad++) {
            V sum[S * E] = {};
            const V* x = dx + e;
            const V* f = phi + s;
            for (int g = 0; g < n_groups; g++, x += x_size, f += phi_size) {
                V y[E];
#pragma GCC unroll 8
                for (int j = 0; j < E; j++) y[j] = x[j];
#pragma GCC unroll 4
                for (int i = 0; i < S; i++)
#pragma GCC unroll 8
                    for (int j = 0; j < E; j++) sum[i * E + j] += f[i] * y[j];
            }
            *grad += sum_lanes<T>(sum);
        }
}
template <class T, int W, class... Arguments>
static void add_weight_gradient(int features, Arguments... arguments) {
    if constexpr (W == 16)
        if (tile_features<W>(features) == 4)
            return add_weight_gradient<T, W, 4>(features, arguments...);
    add_weight_gradient<T, W, (W < 8 ? 1 : 2)>(features, arguments...);
}
