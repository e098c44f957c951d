// What a site does to an environment, in matrices of vectors. Included once for every instruction
// set, after lanes.h. The mathematics is in pulps/network/engine/blocks.py.

// to = sum over outputs of Yᵀ E Y.
template <class T, class V>
static void sandwich(int left, int outputs, int right, V* e, V* y, V* to, V* work) {
    for_size<T, V>(left == right ? left : 0, [&](auto size) {
        constexpr int D = size();
        for (int k = 0; k < outputs; k++, y += left * right) {
            const Matrix<V> factor = dense(y, right), middle = dense(work, right);
            multiply<D, false, false>(left, right, left, dense(e, left), factor, middle);
            if (k == 0)
                multiply<D, false, true>(right, right, left, factor.transposed(), middle,
                                         dense(to, right));
            else
                multiply<D, true, true>(right, right, left, factor.transposed(), middle,
                                        dense(to, right));
        }
    });
    mirror(right, dense(to, right));
}

// to = sum over outputs of Y G Yᵀ; d_y becomes, or gets added, E Y G. It may be y.
template <class T, bool ADD, class V>
static void unsandwich(int left, int outputs, int right, V* e, V* y, V* g, V* to, V* d_y,
                       V* work) {
    for_size<T, V>(left == right ? left : 0, [&](auto size) {
        constexpr int D = size();
        for (int k = 0; k < outputs; k++, y += left * right, d_y += left * right) {
            const Matrix<V> factor = dense(y, right), onward = dense(work, right);
            multiply<D, false, false>(left, right, right, factor, dense(g, right), onward);
            if (k == 0)
                multiply<D, false, true>(left, left, right, onward, factor.transposed(),
                                         dense(to, left));
            else
                multiply<D, true, true>(left, left, right, onward, factor.transposed(),
                                        dense(to, left));
            multiply<D, ADD, false>(left, right, left, dense(e, left), onward,
                                    dense(d_y, right));
        }
    });
    mirror(left, dense(to, left));
}
