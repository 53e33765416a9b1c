// Divides a range among threads in equal consecutive parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace maxmargin {

inline int thread_count(std::int64_t count, int threads) {
  return static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(threads, count)));
}

// Calls work(thread, begin, end) for the part of every thread, the first on the calling thread, and so are those for which the system has
// no thread left. The first exception is passed on.
template <class Work>
void in_parallel(std::int64_t count, int threads, Work&& work) {
  const int used = thread_count(count, threads);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(used));
  auto run = [&](int thread) {
    try {
      work(thread, count * thread / used, count * (thread + 1) / used);
    } catch (...) {
      failures[static_cast<std::size_t>(thread)] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(used - 1));
  int started = 1;
  try {
    for (; started < used; ++started) others.emplace_back(run, started);
  } catch (const std::exception&) {  // what no thread was made for is done below
  }
  run(0);
  for (int thread = started; thread < used; ++thread) run(thread);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace maxmargin
