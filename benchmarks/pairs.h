// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Times of our calls and of a peer's that alternate, so that both meet the same machine.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mgpu_benchmark
{

/// Returns the median of an odd number of values.
inline double median(std::vector<double> values)
{
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Pairs of a call of ours and one of a peer.
class call_pairs
{
  static constexpr int most = 201;
  static constexpr int fewest = 11;
  static constexpr double seconds_of_most = 0.04; ///< that all pairs may take together; longer calls have fewer pairs

public:
  /// Times pairs, once both calls have been made twice. The functions make one call each and return its seconds.
  template <class Ours, class Peer>
  void time(Ours ours, Peer peer)
  {
    ours();
    peer();
    const double seconds = ours() + peer();
    const int affordable = static_cast<int>(std::min(seconds_of_most / std::max(seconds, 1e-9), double{most}));
    const int pairs = std::max(affordable, fewest) / 2 * 2 + 1;
    for (int i = 0; i < pairs; ++i)
    {
      ours_.push_back(ours());
      peers_.push_back(peer());
      ratios_.push_back(peers_.back() / ours_.back());
    }
  }

  int count() const
  {
    return static_cast<int>(ratios_.size());
  }
  /// Returns the median seconds of our calls.
  double ours() const
  {
    return median(ours_);
  }
  double peers() const
  {
    return median(peers_);
  }
  /// Returns the median, over the pairs, of the peer's time over ours.
  double ratio() const
  {
    return median(ratios_);
  }

private:
  std::vector<double> ours_;
  std::vector<double> peers_;
  std::vector<double> ratios_;
};

} // namespace mgpu_benchmark
