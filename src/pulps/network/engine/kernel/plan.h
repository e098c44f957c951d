// How a chunk of rows goes through the chain: which sites carry factors and which environments.
// Included once for every instruction set, after lanes.h. Why is told in pulps/network/engine/factors.py.

static inline int padded(int n, int to) { return (n + to - 1) / to * to; }

// Vectors that an embedded site takes: as many as the tiles of lanes.h write and read.
static inline size_t room_of(Dims d) {
    const int elements = d.left * d.output * d.right;
    return std::max(padded(elements, EMBED), padded(elements, 8));
}

// Groups of rows that are embedded together.
constexpr int GROUPS_AT_ONCE = 2;
constexpr int MOST_GROUPS = 8;  // of a chunk
constexpr size_t NEAREST_CACHE = 32 * 1024;

enum Side { LEFT, MIDDLE, RIGHT };

// A site that a factor passes.
struct Stop {
    int site, rank;   // of the factor that meets the site
    bool left;        // whether it comes from the left
    bool rescaled;    // whether the factor is divided by its size behind the site
    size_t x_at, tape_at;  // where the embedded site, and its factors, lie in a backward pass
    Dims d;
    int near() const { return left ? d.left : d.right; }
    int far() const { return left ? d.right : d.left; }
    int before() const { return rank * near(); }           // size of the factor
    int behind() const { return rank * d.output * far(); }  // and behind the site
};

// Sites that a factor passes, as many as the cache holds embedded; or sites in the middle, where
// an environment is carried from left to right.
struct Step {
    Side side;
    std::vector<Stop> stops;       // if factors are carried, in their order
    int first = 0, last = 0;       // if environments are
    bool missed = false;           // some row of the chunk misses the site, which is alone then
    size_t x_room = 0, tape_room = 0;  // in vectors of one group
    size_t saved_at = 0;  // where in a group's memory lies what the step meets
};

struct Plan {
    std::vector<Step> steps;
    bool meets = false;  // factors from both ends meet, and there is no middle
    int left_rank = 1, right_rank = 1;
    int left_bond = 1, right_bond = 1;  // at the ends of both factors; equal if they meet
    size_t end_at = 0, saved = 0;       // what is saved of the end, and how much in all
};

class Planner {
    const Sweep& given;
    const std::function<bool(int)> misses;  // whether some row of the chunk misses a site
    const size_t vector_size;
    Plan plan;
    int low = 0, high;  // the middle

    // A factor is carried on while its rank is below the bond dimension; beyond that as long as
    // it is not much larger, as then environments are no cheaper. Only a factor from the left
    // may end larger: there it can be turned into an environment.
    bool left_goes_on() const {
        const Dims d = given.dims[low];
        const int next = plan.left_rank * d.output;
        return !misses(low) && (plan.left_rank < d.left || low == 0 ||
                                (plan.left_rank == d.left && next <= 2 * d.left));
    }
    bool right_goes_on() const {
        const Dims d = given.dims[high - 1];
        const int next = plan.right_rank * d.output;
        return !misses(high - 1) && (next <= d.left || (low + 1 == high && next <= 2 * d.left));
    }

    void add_stop(std::vector<Step>& steps, bool left, int site, int rank) const {
        const Dims d = given.dims[site];
        Stop stop = {site, rank, left, false, 0, 0, d};
        const size_t x = room_of(d), tape = stop.before() + stop.behind();
        const size_t fits = given.cache_bytes / vector_size;
        const bool full =
            !steps.empty() && (2 * GROUPS_AT_ONCE * (steps.back().x_room + x) > fits ||
                               MOST_GROUPS * (steps.back().tape_room + tape) > fits);
        if (steps.empty() || full) {
            steps.emplace_back();
            steps.back().side = left ? LEFT : RIGHT;
        }
        Step& step = steps.back();
        stop.x_at = step.x_room;
        stop.tape_at = step.tape_room;
        step.x_room += x;
        step.tape_room += tape;
        step.stops.push_back(stop);
    }

    void carry_factors() {
        std::vector<Step> left, right;
        while (low < high) {
            if (left_goes_on() && (plan.left_rank <= plan.right_rank || !right_goes_on())) {
                add_stop(left, true, low, plan.left_rank);
                plan.left_rank *= given.dims[low++].output;
            } else if (right_goes_on()) {
                add_stop(right, false, --high, plan.right_rank);
                plan.right_rank *= given.dims[high].output;
            } else {
                break;
            }
        }
        for (auto* side : {&left, &right})
            for (Step& step : *side)
                for (size_t i = 1; i <= step.stops.size(); i++)
                    step.stops[i - 1].rescaled =
                        i % RESCALE_EVERY == 0 || i == step.stops.size();
        plan.meets = low == high;
        plan.left_bond = low ? given.dims[low - 1].right : 1;
        plan.right_bond = high < given.n_sites ? given.dims[high].left : 1;
        plan.steps = std::move(left);
        carry_environments();
        plan.steps.insert(plan.steps.end(), right.begin(), right.end());
    }

    void add_middle(int first, int last, bool missed) {
        Step step;
        step.side = MIDDLE;
        step.first = first;
        step.last = last;
        step.missed = missed;
        for (int i = first; i <= last; i++) step.x_room += room_of(given.dims[i]);
        plan.steps.push_back(step);
    }

    void carry_environments() {
        int first = low;
        for (int i = low; i < high; i++) {
            const bool missed = misses(i);
            if (given.dims[i].output == 1 && !missed) {
                if (i - first + 1 < LONGEST_RUN && i + 1 < high) continue;
                add_middle(first, i, false);
            } else {
                if (first < i) add_middle(first, i - 1, false);
                add_middle(i, i, missed);
            }
            first = i + 1;
        }
    }

    void lay_out() {
        for (Step& step : plan.steps) {
            step.saved_at = plan.saved;
            const int left = given.dims[step.first].left;
            plan.saved += step.side == MIDDLE ? left * left + 1 : step.stops[0].before();
        }
        plan.end_at = plan.saved;
        const int left = plan.meets ? plan.left_rank : plan.right_bond;
        plan.saved += size_t(left + plan.right_rank) * plan.right_bond;
        if (!plan.meets) plan.saved += size_t(plan.left_rank) * plan.left_bond;
    }

  public:
    Planner(const Sweep& sweep, size_t size_of_vector, std::function<bool(int)> is_missed)
        : given(sweep), misses(std::move(is_missed)), vector_size(size_of_vector),
          high(sweep.n_sites) {}

    Plan make() {
        carry_factors();
        lay_out();
        return std::move(plan);
    }
};
