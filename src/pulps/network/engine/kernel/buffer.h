// Memory for the numbers of one call. Included once for every instruction set, before all else.

// Zeroed memory on a cache line boundary. The boundary is found here: asking the allocator for it
// takes it past what it keeps at hand, which a short sweep would notice.
template <class T>
struct Buffer {
    T* at = nullptr;  // may be exchanged with that of another buffer that lives as long
    Buffer() = default;
    explicit Buffer(size_t n) {
        constexpr size_t line = 64;
        const size_t bytes = (n + 16) * sizeof(T);
        held = operator new(bytes + line);
        at = reinterpret_cast<T*>((reinterpret_cast<uintptr_t>(held) + line - 1) / line * line);
        std::memset(static_cast<void*>(at), 0, bytes);
    }
    Buffer(Buffer&& other) noexcept
        : at(std::exchange(other.at, nullptr)), held(std::exchange(other.held, nullptr)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(at, other.at);
        std::swap(held, other.held);
        return *this;
    }
    ~Buffer() { operator delete(held); }

  private:
    void* held = nullptr;
};
