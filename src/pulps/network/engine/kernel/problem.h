// What is to be swept, cut into chunks of rows and steps of sites, and how numbers are laid
// out for it. Included once for every instruction set, after lanes.h.

static inline int padded(int n, int to) { return (n + to - 1) / to * to; }

template <class T>
struct Buffer {  // zeroed memory on a cache line boundary
    T* at = nullptr;
    Buffer() = default;
    explicit Buffer(size_t n)
        : at(static_cast<T*>(operator new((n + 16) * sizeof(T), std::align_val_t(64)))) {
        std::memset(static_cast<void*>(at), 0, (n + 16) * sizeof(T));
    }
    Buffer(Buffer&& other) noexcept : at(std::exchange(other.at, nullptr)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(at, other.at);
        return *this;
    }
    ~Buffer() {
        if (at) operator delete(at, std::align_val_t(64));
    }
};

// The logarithm of a product of many numbers. Logarithms are slow: numbers are multiplied as
// long as that is safe.
struct Scale {
    double product = 1, sum = 0;
    void multiply(float x) {
        product *= x;
        if (!(product > 1e-200 && product < 1e200)) {
            sum += std::log(product);
            product = 1;
        }
    }
    void multiply(double x) { sum += std::log(x); }
    double log() const { return sum + std::log(product); }
};

struct Step {
    int first, last;  // sites of a run, or the same site twice
    bool missed;      // some row of the chunk misses the site
};

template <class T, int W>
struct Problem {
    typedef typename Lanes<T, W>::V V;
    static constexpr int GRAD_FEATURES = W / 4;

    const Sweep& given;
    int n_groups;  // of a full chunk
    int n_chunks;
    std::vector<int> elements, weight_room, grad_room;  // a site
    std::vector<size_t> weight_at, grad_at;             // first number of a site, in one chain
    std::vector<std::vector<Step>> steps;               // a chunk; one for all if none misses
    std::vector<size_t> saved_at;                       // first number of a chunk, in one chain
    size_t weight_size = 0, grad_size = 0, saved_size = 0, saved_room = 0;
    size_t run_room = 0, phi_room = 0, widest = 0;  // largest needs, in vectors
    Buffer<T> weights;

    explicit Problem(const Sweep& sweep) : given(sweep) {
        size_t block = 0;
        for (int i = 0; i < given.n_sites; i++) {
            const Dims d = given.dims[i];
            elements.push_back(d.left * d.output * d.right);
            weight_room.push_back(padded(elements[i], EMBED) * d.feature);
            grad_room.push_back(padded(elements[i], 4) * padded(d.feature, GRAD_FEATURES));
            weight_at.push_back(weight_size);
            grad_at.push_back(grad_size);
            weight_size += weight_room[i];
            grad_size += grad_room[i];
            widest = std::max<size_t>(widest, room(i));
            const int bond = std::max(d.left, d.right);
            widest = std::max<size_t>(widest, padded(bond * bond, 12));
        }
        for (const Step& step : plan(0, 0)) {
            size_t sum = 0;
            for (int i = step.first; i <= step.last; i++) sum += room(i);
            block = std::max(block, sum);
        }
        // A chunk's embedded block should stay in the second level cache; but every group
        // more saves a trip of all weights through it, and two groups share an embedding.
        const size_t fits = given.cache_bytes / (block * sizeof(V));
        n_groups = static_cast<int>(std::min<size_t>(8, std::max<size_t>(2, fits)));
        const long groups = (given.n_rows + W - 1) / W;
        const long enough = groups * given.n_chains / (2L * given.n_threads);
        n_groups = static_cast<int>(std::min<long>(n_groups, std::max(2L, enough))) / 2 * 2;
        n_groups = static_cast<int>(std::min<long>(n_groups, groups));
        n_chunks = static_cast<int>((groups + n_groups - 1) / n_groups);
        for (int c = 0; c < (given.observed ? n_chunks : 1); c++) {
            steps.push_back(plan(c * n_groups * W, rows_of(c)));
            for (const Step& step : steps.back()) {
                size_t sum = 0, phi = 0;
                for (int i = step.first; i <= step.last; i++) {
                    sum += room(i);
                    phi += padded(given.dims[i].feature, GRAD_FEATURES);
                }
                run_room = std::max(run_room, sum);
                phi_room = std::max(phi_room, phi);
            }
        }
        for (int c = 0; c < n_chunks; c++) {
            saved_at.push_back(saved_size);
            for (const Step& step : steps_of(c))
                saved_size += groups_of(c) * saved_vectors(step) * W;
            saved_room = std::max(saved_room, saved_size - saved_at.back());
        }
    }

    size_t room(int site) const { return padded(elements[site], 12); }  // vectors of a group
    size_t saved_vectors(const Step& step) const {
        const int left = given.dims[step.first].left;
        return left * left + 1;
    }
    int rows_of(int chunk) const {
        return std::min(given.n_rows - chunk * n_groups * W, n_groups * W);
    }
    int groups_of(int chunk) const { return (rows_of(chunk) + W - 1) / W; }
    const std::vector<Step>& steps_of(int chunk) const {
        return steps[given.observed ? chunk : 0];
    }
    bool anything_seen() const {
        const size_t n = size_t(given.n_rows) * given.n_sites;
        return !given.observed || std::memchr(given.observed, 1, n);
    }
    bool seen(int row, int site) const {
        return !given.observed || given.observed[size_t(row) * given.n_sites + site];
    }

    std::vector<Step> plan(int from, int n_rows) const {
        std::vector<Step> found;
        int first = 0;
        for (int i = 0; i < given.n_sites; i++) {
            bool missed = false;
            for (int row = from; row < from + n_rows && !missed; row++) missed = !seen(row, i);
            if (given.dims[i].output == 1 && !missed) {
                if (i - first + 1 < LONGEST_RUN && i + 1 < given.n_sites) continue;
                found.push_back({first, i, false});
            } else {
                if (first < i) found.push_back({first, i - 1, false});
                found.push_back({i, i, missed});
            }
            first = i + 1;
        }
        return found;
    }

    // Element e of a site counts output, left, right: the matrices of one output are dense.
    // A core counts left, output, right; this is where it has element e.
    std::vector<int> places(int site) const {
        const Dims d = given.dims[site];
        std::vector<int> at;
        at.reserve(elements[site]);
        for (int k = 0; k < d.output; k++)
            for (int l = 0; l < d.left; l++)
                for (int r = 0; r < d.right; r++) at.push_back((l * d.output + k) * d.right + r);
        return at;
    }
    void pack(int chain, int site, T* into) const {
        const int features = given.dims[site].feature, n = elements[site];
        const T* core = static_cast<const T*>(given.cores[site]) + size_t(chain) * features * n;
        const std::vector<int> at = places(site);
        for (int e = 0; e < n; e += EMBED)
            for (int s = 0; s < features; s++, into += EMBED)
                for (int i = 0; i < std::min(EMBED, n - e); i++) into[i] = core[s * n + at[e + i]];
    }
    void unpack(int site, const T* grad, T* core) const {
        constexpr int S = GRAD_FEATURES;
        const int features = given.dims[site].feature, n = elements[site];
        const std::vector<int> at = places(site);
        for (int e = 0; e < n; e += 4)
            for (int f = 0; f < features; f += S, grad += W)
                for (int i = 0; i < std::min(S, features - f); i++)
                    for (int j = 0; j < std::min(4, n - e); j++)
                        core[(f + i) * n + at[e + j]] += grad[i * 4 + j];
    }
};
