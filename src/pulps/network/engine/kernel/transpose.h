// From one vector a number, whose lanes are rows, to one vector a row, and back. Included once for
// every instruction set, after lanes.h.

// Lanes of two vectors in turn: of their first halves, or of their second ones.
template <class V, size_t FROM, size_t... I>
[[gnu::always_inline]] static inline V interleaved(V a, V b, std::index_sequence<I...>) {
    return PULPS_SHUFFLE(a, b, (FROM + I / 2 + I % 2 * sizeof...(I))...);
}

// A square of W vectors changes lanes and vectors. Every pass interleaves the first half of the
// vectors with the second one, which turns the bits of all places by one.
template <class T, int W>
[[gnu::always_inline]] static inline void transpose(typename Lanes<T, W>::V* square) {
    typedef typename Lanes<T, W>::V V;
    typedef std::make_index_sequence<W> Each;
    V other[W];
#pragma GCC unroll 4
    for (int pass = 1; pass < W; pass *= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < W / 2; i++) {
            other[2 * i] = interleaved<V, 0>(square[i], square[i + W / 2], Each());
            other[2 * i + 1] = interleaved<V, W / 2>(square[i], square[i + W / 2], Each());
        }
#pragma GCC unroll 16
        for (int i = 0; i < W; i++) square[i] = other[i];
    }
}
