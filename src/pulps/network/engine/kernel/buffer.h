// Memory for the numbers of one call. Included once for every instruction set, before all else.

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
