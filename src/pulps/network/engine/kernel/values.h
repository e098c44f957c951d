// Sites at which all rows have few values: what a row meets there is computed once a value, and
// rows look it up. Included once for every instruction set, after plan.h.

constexpr int GROUPS_TO_SEARCH = 4;  // with fewer, a search takes longer than it saves

template <class T, int W>
struct Values {
    typedef typename Lanes<T, W>::V V;
    int count = 0, features = 0;  // none if there are too many
    Buffer<V> phi;                // [feature], a lane a value

    // Find the values, and which of them each row has. Codes beyond the last row repeat it.
    template <class Code>
    bool find(const T* rows, int n_rows, int n_features, Code* codes) {
        // Gradients take a product a value where embedding takes three a feature.
        const int most = std::min(W, 2 * n_features), key = n_features > 1;
        const T* found[W];
        int n = 0;
        for (int i = 0; i < padded(n_rows, W); i++) {
            const T* row = rows + size_t(std::min(i, n_rows - 1)) * n_features;
            int code = 0;
            while (code < n && (found[code][key] != row[key] ||
                                std::memcmp(found[code], row, n_features * sizeof(T))))
                code++;
            if (code == n && n == most) return false;
            if (code == n) found[n++] = row;
            codes[i] = code;
        }
        phi = Buffer<V>(n_features);
        for (int v = 0; v < n; v++)
            for (int s = 0; s < n_features; s++) phi.at[s][v] = found[v][s];
        count = n;
        features = n_features;
        return true;
    }
};
