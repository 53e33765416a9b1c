// Divides a range among threads in equal consecutive shares.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace maxmargin {

inline int share_count(std::int64_t count, int threads) {
  return static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(threads, count)));
}

// Calls work(share, begin, end) for every share, the first on the calling thread. The first exception is passed on.
template <class Work>
void in_shares(std::int64_t count, int threads, Work&& work) {
  const int shares = share_count(count, threads);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(shares));
  auto run = [&](int share) {
    try {
      work(share, count * share / shares, count * (share + 1) / shares);
    } catch (...) {
      failures[static_cast<std::size_t>(share)] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (int share = 1; share < shares; ++share) others.emplace_back(run, share);
  run(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace maxmargin
