// What is to be swept, cut into chunks of rows, and how numbers are laid out for it. Included
// once for every instruction set, after plan.h.

constexpr size_t PACKED_ALONE = 1 << 13;  // groups of rows at all sites

template <class T, int W>
struct Problem {
    typedef typename Lanes<T, W>::V V;

    std::vector<Dims> dims;  // where rows look up what they meet, values count as features
    Sweep given;             // with these
    int all_groups;  // of W rows
    int n_groups;    // of a full chunk
    int n_chunks;
    std::vector<int> elements;                          // a site
    std::vector<int> first_alike;                       // a site: the first of the same shape
    std::vector<std::vector<int>> places;               // of it: where a core has each element
    std::vector<size_t> weight_at, grad_at, phi_at;     // first number of a site, in one chain
    std::vector<Plan> plans;                            // a chunk; one for all if none misses
    std::vector<size_t> saved_at;                       // first number of a chunk, in one chain
    size_t weight_size = 0, grad_size = 0, phi_size = 0, saved_size = 0;
    // Largest needs.
    size_t saved_room = 0, embedded_room = 0, tape_room = 0, row_room = 0, widest = 0;
    Buffer<V> phi;
    typedef typename Lanes<T, W>::Integers Codes;
    Buffer<Codes> codes;         // [site][group]: the category of each row, -1 if it is missed
    Buffer<int> order, starts;   // [site][chunk]: its rows by category; where each category starts
    // A site: whether rows look up what they meet there, or its first feature is one.
    std::vector<char> looked_up, first_is_one;
    std::vector<Values<T, W>> values;  // a site: the few its rows have, if they are not categories
    bool reads_rows = false;           // some row observes some site

    explicit Problem(const Sweep& sweep, bool sweeps = true)
        : dims(sweep.dims, sweep.dims + sweep.n_sites), given(sweep), looked_up(sweep.n_sites),
          first_is_one(sweep.n_sites), values(sweep.n_sites) {
        given.dims = dims.data();
        all_groups = (given.n_rows + W - 1) / W;
        reads_rows = sweeps && anything_seen();
        if (reads_rows) find_looked_up();
        for (auto* list : {&weight_at, &grad_at, &phi_at}) list->reserve(given.n_sites);
        elements.reserve(given.n_sites);
        places.resize(given.n_sites);
        for (int i = 0; i < given.n_sites; i++) {
            const Dims d = given.dims[i];
            elements.push_back(d.left * d.output * d.right);
            first_alike.push_back(first_like(i));
            if (first_alike[i] == i) places[i] = places_of(d);
            weight_at.push_back(weight_size);
            grad_at.push_back(grad_size);
            phi_at.push_back(phi_size);
            weight_size += padded(padded(elements[i], EMBED) * std::max(d.feature, table_width(i)), W);
            grad_size += padded(elements[i], W / tile(i)) * phi_room(i);
            phi_size += size_t(all_groups) * phi_room(i);
            const int bond = std::max(d.left, d.right);
            widest = std::max(widest, size_t(padded(bond * bond, 8)));
        }
        // What a chunk holds of a step should stay in the second level cache; but every group
        // more saves a trip of all gradients through it.
        size_t run = 1;
        Plan whole = Planner(given, sizeof(V), [](int) { return false; }).make();
        for (const Step& step : whole.steps)
            if (step.side == MIDDLE) run = std::max(run, step.x_room);
        const size_t fits = given.cache_bytes / (run * sizeof(V));
        n_groups = static_cast<int>(std::min<size_t>(MOST_GROUPS, std::max<size_t>(2, fits)));
        const long enough = long(all_groups) * given.n_chains / (2L * given.n_threads);
        n_groups = static_cast<int>(std::min<long>(n_groups, std::max(2L, enough))) / 2 * 2;
        n_groups = std::min(n_groups, all_groups);
        n_chunks = (all_groups + n_groups - 1) / n_groups;
        if (!given.observed) plans.push_back(std::move(whole));
        for (int c = 0; c < n_chunks && given.observed; c++)
            plans.push_back(
                Planner(given, sizeof(V), [&](int site) { return misses(c, site); }).make());
        for (const Plan& plan : plans) measure(plan);
        saved_at.reserve(n_chunks);
        for (int c = 0; c < n_chunks; c++) {
            saved_at.push_back(saved_size);
            saved_size += groups_of(c) * plan_of(c).saved * W;
            saved_room = std::max(saved_room, saved_size - saved_at.back());
        }
    }

    Problem(const Problem&) = delete;

    void measure(const Plan& plan) {
        widest = std::max({widest, size_t(plan.left_rank) * plan.right_rank,
                           size_t(plan.right_rank) * plan.right_bond});
        for (const Step& step : plan.steps) {
            const int held = step.side == MIDDLE ? n_groups : GROUPS_AT_ONCE;
            embedded_room = std::max(embedded_room, held * step.x_room);
            tape_room = std::max(tape_room, step.tape_room);
            for (const Stop& stop : step.stops) {
                widest = std::max({widest, size_t(stop.before()), size_t(stop.behind())});
                row_room = std::max<size_t>(row_room, padded(stop.before() + stop.behind(), W));
                // Derivatives by a site's matrices, of all groups.
                embedded_room = std::max(embedded_room, n_groups * room_of(stop.d));
            }
        }
    }
    size_t room(int site) const { return room_of(given.dims[site]); }
    // Numbers of an element of a site, if they may be looked up by category.
    int table_width(int site) const {
        return LOOKS_UP<sizeof(V)> && given.dims[site].feature <= W ? W : 0;
    }
    int tile(int site) const { return tile_features<W>(given.dims[site].feature); }
    int phi_room(int site) const {
        return padded(given.dims[site].feature, tile(site));
    }
    int rows_of(int chunk) const {
        return std::min(given.n_rows - chunk * n_groups * W, n_groups * W);
    }
    int groups_of(int chunk) const { return (rows_of(chunk) + W - 1) / W; }
    template <class Numbers>  // where what is saved of a chunk lies, or null
    Numbers* kept(Numbers* saved, int chain, int chunk) const {
        return saved ? saved + saved_size * chain + saved_at[chunk] : nullptr;
    }
    const Plan& plan_of(int chunk) const { return plans[given.observed ? chunk : 0]; }
    bool anything_seen() const {
        const size_t n = size_t(given.n_rows) * given.n_sites;
        return !given.observed || std::memchr(given.observed, 1, n);
    }
    bool seen(int row, int site) const {
        return !given.observed || given.observed[size_t(row) * given.n_sites + site];
    }
    bool misses(int chunk, int site) const {
        if (!given.observed) return false;
        const int from = chunk * n_groups * W;
        for (int row = from; row < from + rows_of(chunk); row++)
            if (!seen(row, site)) return true;
        return false;
    }

    // Element e of a site counts output, left, right: the matrices of one output are dense.
    // A core counts left, output, right; this is where it has element e.
    const std::vector<int>& places_at(int site) const { return places[first_alike[site]]; }
    int first_like(int site) const {
        const Dims d = given.dims[site];
        for (int i = 0; i < site; i++) {
            const Dims c = given.dims[i];
            if (c.left == d.left && c.output == d.output && c.right == d.right) return i;
        }
        return site;
    }
    static std::vector<int> places_of(Dims d) {
        std::vector<int> at;
        at.reserve(d.left * d.output * d.right);
        for (int k = 0; k < d.output; k++)
            for (int l = 0; l < d.left; l++)
                for (int r = 0; r < d.right; r++) at.push_back((l * d.output + k) * d.right + r);
        return at;
    }
    // The weights of a chain in the order they are read in.
    void pack_weights(int chain, T* into) const {
        for (int site = 0; site < given.n_sites; site++) {
            const T* core = static_cast<const T*>(given.cores[site]) + chain * core_size(site);
            if (values[site].count)
                pack_values(site, core, into + weight_at[site]);
            else if (looked_up[site])
                pack_tables(site, core, into + weight_at[site]);
            else
                pack_tiles(site, given.dims[site].feature, core, into + weight_at[site]);
        }
    }
    int features_of(int site) const {  // that the core has
        return values[site].count ? values[site].features : given.dims[site].feature;
    }
    size_t core_size(int site) const { return size_t(features_of(site)) * elements[site]; }
    // Every value is a lane of one group that is embedded.
    void pack_values(int site, const T* core, T* into) const {
        const int features = features_of(site), n = elements[site];
        Buffer<T> tiles(size_t(features) * padded(n, EMBED));
        pack_tiles(site, features, core, tiles.at);
        embed<T, false>(features, n, tiles.at, values[site].phi.at, features, 1,
                        reinterpret_cast<V*>(into), n);
    }
    void pack_tables(int site, const T* core, T* into) const {
        const int n = elements[site], *at = places_at(site).data();
        for (int s = 0; s < given.dims[site].feature; s++, core += n)
            for (int e = 0; e < n; e++) into[e * W + s] = core[at[e]];
    }
    void pack_tiles(int site, int features, const T* core, T* into) const {
        const int n = elements[site];
        const int* at = places_at(site).data();
        for (int e = 0; e < n; e += EMBED, at += EMBED)
            for (int s = 0; s < features; s++, into += EMBED) {
                const T* from = core + s * n;
                if (n - e >= EMBED)
                    for (int i = 0; i < EMBED; i++) into[i] = from[at[i]];
                else
                    for (int i = 0; i < n - e; i++) into[i] = from[at[i]];
            }
    }
    void unpack_gradient(int site, const T* grad, T* core) const {
        const int n = elements[site], count = values[site].count;
        if (!count) return unpack_tiles(site, grad, core);
        Buffer<T> sums(size_t(count) * n);
        unpack_tiles(site, grad, sums.at);
        for (int s = 0; s < features_of(site); s++, core += n)
            for (int v = 0; v < count; v++) {
                const T by = values[site].phi.at[s][v], *from = sums.at + v * n;
                for (int e = 0; e < n; e++) core[e] += by * from[e];
            }
    }
    void unpack_tiles(int site, const T* grad, T* core) const {
        const int S = tile(site), E = W / S;
        const int features = given.dims[site].feature, n = elements[site];
        const int* at = places_at(site).data();
        for (int e = 0; e < n; e += E)
            for (int f = 0; f < features; f += S, grad += W)
                for (int i = 0; i < std::min(S, features - f); i++)
                    for (int j = 0; j < std::min(E, n - e); j++)
                        core[(f + i) * n + at[e + j]] += grad[i * E + j];
    }
    // Where the gradient of feature s and element e lies in what is packed.
    size_t grad_place(int site, int s, int e) const {
        const int S = tile(site), E = W / S;
        return (size_t(e / E) * (phi_room(site) / S) + s / S) * W + s % S * E + e % E;
    }

    // Bring the features of all rows into the order they are read in.
    void pack(bool for_gradients) {
        if (!reads_rows) return;  // only cores are read then
        phi = Buffer<V>(phi_size);
        if (for_gradients) {
            order = Buffer<int>(size_t(n_chunks) * n_groups * W * given.n_sites);
            starts = Buffer<int>(size_t(n_chunks) * (W + 1) * given.n_sites);
        }
        each_site([&](int site) {
            if (!looked_up[site])
                pack_numbers(site);
            else if (for_gradients)
                pack_categories(site);
        });
    }
    template <class Job>
    void each_site(const Job& job) const {
        // A thread takes longer to start than to go through a few rows.
        const bool alone = size_t(all_groups) * given.n_sites < PACKED_ALONE;
        share_out<int>(given.n_sites, alone ? 1 : given.n_threads, [] { return 0; },
                       [&](int, int site) { job(site); });
    }
    int* order_of(int site, int chunk) const {
        return order.at + (size_t(site) * n_chunks + chunk) * n_groups * W;
    }
    int* starts_of(int site, int chunk) const {
        return starts.at + (size_t(site) * n_chunks + chunk) * (W + 1);
    }

    // Sites at which rows look up what they meet: those of categories and those of few values.
    void find_looked_up() {
        if (!LOOKS_UP<sizeof(V)>) return;
        codes = Buffer<Codes>(size_t(all_groups) * given.n_sites);
        each_site([&](int site) {
            looked_up[site] = find_categories(site) || find_values(site);
        });
        for (int site = 0; site < given.n_sites; site++)
            if (values[site].count) dims[site].feature = values[site].count;
    }
    bool find_values(int site) {
        const int features = given.dims[site].feature;
        if (all_groups < GROUPS_TO_SEARCH || misses_any(site)) return false;
        return values[site].find(static_cast<const T*>(given.features[site]), given.n_rows,
                                 features, codes_of(site));
    }
    typename Lanes<T, W>::Integer* codes_of(int site) const {
        return reinterpret_cast<typename Lanes<T, W>::Integer*>(codes.at +
                                                                size_t(site) * all_groups);
    }
    bool misses_any(int site) const {
        for (int row = 0; row < given.n_rows && given.observed; row++)
            if (!seen(row, site)) return true;
        return false;
    }

    // Features of a site as [group][s][lane], the same for all chains. Lanes beyond the last
    // row repeat it; rows that miss the site get zeros, so that what they would add is nothing.
    void pack_numbers(int site) {
        const int features = given.dims[site].feature, room = phi_room(site);
        const T* from = static_cast<const T*>(given.features[site]);
        T* group = reinterpret_cast<T*>(phi.at + phi_at[site]);
        bool ones = true;
        for (int g = 0; g < all_groups; g++, group += size_t(room) * W)
            for (int i = 0; i < W; i++) {
                const int row = std::min(g * W + i, given.n_rows - 1);
                const T* x = from + size_t(row) * features;
                const bool here = seen(row, site);
                ones &= here && x[0] == 1;
                for (int s = 0; s < features && here; s++) group[s * W + i] = x[s];
            }
        first_is_one[site] = ones;
    }
    bool find_categories(int site) {
        const int features = given.dims[site].feature;
        if (features > W) return false;
        const T* from = static_cast<const T*>(given.features[site]);
        auto* to = codes_of(site);
        for (int i = 0; i < all_groups * W; i++) {
            const int row = std::min(i, given.n_rows - 1);
            if (!seen(row, site)) {
                to[i] = -1;
                continue;
            }
            const T* x = from + size_t(row) * features;
            T place = 0;  // of the one, if all others are zero
            for (int s = 0; s < features; s++) place += s * x[s];
            if (!(place >= 0 && place < features)) return false;
            const int code = static_cast<int>(place);
            bool same = true;
            for (int s = 0; s < features; s++) same &= x[s] == T(s == code);
            if (!same) return false;
            to[i] = code;
        }
        return true;
    }
    void pack_categories(int site) {
        const int features = given.dims[site].feature;
        const Codes* from = codes.at + size_t(site) * all_groups;
        V* to = phi.at + phi_at[site];
        for (int g = 0; g < all_groups; g++, to += phi_room(site))
            for (int s = 0; s < features; s++) to[s] = from[g] == s ? Lanes<T, W>::all(1) : V{};
        for (int chunk = 0; chunk < n_chunks; chunk++, from += n_groups) {
            int* start = starts_of(site, chunk);
            for (int i = 0; i < rows_of(chunk); i++) start[from[i / W][i % W] + 1]++;
            start[0] = 0;  // rows that miss the site are in no category
            for (int s = 0; s < features; s++) start[s + 1] += start[s];
            int next[W];
            std::copy(start, start + features, next);
            for (int i = 0; i < rows_of(chunk); i++) {
                const int code = static_cast<int>(from[i / W][i % W]);
                if (code >= 0) order_of(site, chunk)[next[code]++] = i;
            }
        }
    }
};
