// Frobenius norms of many chains: every site is traced and no row is read, so here the lanes of a
// vector are chains. Included once for every instruction set, after environments.h.

// E' = sum over features and outputs of Aᵀ E A, from left to right, for W chains.
template <class T, int W>
class Frobenius {
    typedef typename Lanes<T, W>::V V;
    const Sweep& given;
    const int first, count;  // chains
    Buffer<V> site, d_site, envs, scales, half, back, work;
    std::vector<size_t> env_at;
    typename Lanes<T, W>::Integers exponents = {};

    static size_t size(Dims d) { return size_t(d.feature) * d.left * d.output * d.right; }

    // A site's cores as [feature, output][left][right]. f is given where in a core the next numbers
    // are, how many, at most W, and where their vectors are.
    template <class F>
    void each(int i, const F& f) const {
        const Dims d = given.dims[i];
        size_t from = 0, at[W] = {};
        int n = 0;
        for (int s = 0; s < d.feature; s++)
            for (int l = 0; l < d.left; l++)
                for (int k = 0; k < d.output; k++)
                    for (int r = 0; r < d.right; r++) {
                        at[n++] = (size_t(s * d.output + k) * d.left + l) * d.right + r;
                        if (n < W) continue;
                        f(from, std::integral_constant<int, W>(), at);
                        from += W;
                        n = 0;
                    }
        if (n) f(from, n, at);
    }
    // Lanes beyond the last chain repeat it.
    void load(int i) {
        const size_t step = size(given.dims[i]);
        const T* core = static_cast<const T*>(given.cores[i]) + first * step;
        each(i, [&](size_t from, auto n, const size_t* at) {
            V square[W] = {};
            for (int lane = 0; lane < W; lane++)
                std::memcpy(&square[lane], core + std::min(lane, count - 1) * step + from,
                            n * sizeof(T));
            transpose<T, W>(square);
            for (int j = 0; j < n; j++) site.at[at[j]] = square[j];
        });
    }
    void add_gradient(int i, T* grad) const {
        const size_t step = size(given.dims[i]);
        grad += first * step;
        each(i, [&](size_t to, auto n, const size_t* at) {
            V square[W] = {};
            for (int j = 0; j < n; j++) square[j] = d_site.at[at[j]];
            transpose<T, W>(square);
            for (int lane = 0; lane < count; lane++) {
                V sum = {};
                std::memcpy(&sum, grad + lane * step + to, n * sizeof(T));
                sum += square[lane];
                std::memcpy(grad + lane * step + to, &sum, n * sizeof(T));
            }
        });
    }

    void sweep() {
        envs.at[0] = Lanes<T, W>::all(1);
        for (int i = 0; i < given.n_sites; i++) {
            const Dims d = given.dims[i];
            load(i);
            V* to = envs.at + env_at[i + 1];
            sandwich<T>(d.left, d.feature * d.output, d.right, envs.at + env_at[i], site.at, to,
                        work.at);
            V trace = {};
            for (int r = 0; r < d.right; r++) trace += to[r * d.right + r];
            scales.at[i] = Lanes<T, W>::unit(&trace, 1, exponents, 1);
            for (int e = 0; e < d.right * d.right; e++) to[e] *= scales.at[i];
        }
    }
    V value() const {
        const V tiny = Lanes<T, W>::all(std::numeric_limits<T>::min());
        const V end = envs.at[env_at.back()];
        return end <= tiny ? tiny : end;
    }

  public:
    Frobenius(const Sweep& sweep_given, int first_chain)
        : given(sweep_given), first(first_chain), count(std::min(W, given.n_chains - first)) {
        size_t largest = 0, widest = 1, all = 1;
        env_at.push_back(0);
        for (int i = 0; i < given.n_sites; i++) {
            const Dims d = given.dims[i];
            largest = std::max(largest, size(d));
            widest = std::max<size_t>(widest, std::max(d.left, d.right) * std::max(d.left, d.right));
            env_at.push_back(all);
            all += d.right * d.right;
        }
        site = Buffer<V>(largest);
        d_site = Buffer<V>(largest);
        envs = Buffer<V>(all);
        scales = Buffer<V>(given.n_sites);
        for (auto* buffer : {&half, &back, &work}) *buffer = Buffer<V>(widest);
    }

    // Whether lanes of chains are better filled than lanes of features.
    static bool pays(const Sweep& given) {
        long chains = 0, features = 0;
        for (int i = 0; i < given.n_sites; i++) {
            chains += long(padded(given.n_chains, W) / W) * given.dims[i].feature;
            features += long(given.n_chains) * (padded(given.dims[i].feature, W) / W);
        }
        return chains <= features;
    }

    void forward(T* logs) {
        sweep();
        for (int lane = 0; lane < count; lane++)
            logs[first + lane] = T(0.5 * (std::log(double(value()[lane])) +
                                          LOG_TWO * double(exponents[lane])));
    }

    void backward(const T* d_logs, void* const* grads) {
        sweep();
        const V tiny = Lanes<T, W>::all(std::numeric_limits<T>::min());
        V weight = {};
        for (int lane = 0; lane < count; lane++) weight[lane] = d_logs[first + lane];
        half.at[0] = value() > tiny ? weight / value() : V{};
        for (int i = given.n_sites - 1; i >= 0; i--) {
            const Dims d = given.dims[i];
            load(i);
            for (int e = 0; e < d.right * d.right; e++) half.at[e] *= scales.at[i];
            unsandwich<T, false>(d.left, d.feature * d.output, d.right, envs.at + env_at[i],
                                 site.at, half.at, back.at, d_site.at, work.at);
            std::swap(half.at, back.at);
            add_gradient(i, static_cast<T*>(grads[i]));
        }
    }
};
