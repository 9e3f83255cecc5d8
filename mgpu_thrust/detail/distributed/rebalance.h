// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How the ranks of a communicator divide a sequence anew. Cuts follow from sizes.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/distributed/exchange.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/distributed_policy.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Communicator, class Policy, class Input, class Output>
void rebalance(
  distributed_policy<Communicator, Policy>& policy, Input first, std::int64_t size, Output result,
  std::int64_t result_size)
{
  using item = sent_item<Input>;
  static_assert(
    std::is_same_v<Output, typename item::type*>,
    "mgpu_thrust: elements are received where the output is: contiguous memory of the input's type");
  Communicator& communicator = policy.communicator();
  distributed_cuts<typename item::type, no_order> cuts(
    "rebalance", communicator.rank(), communicator.size(),
    {detail::make_piece(policy.local(), "rebalance", first, size)}, result_size, no_order{});
  detail::catch_for_all(cuts, [&] { size_checks("rebalance").size("the input", size); });
  detail::find_cuts(communicator, cuts, [] {});
  communicator.group_start();
  detail::exchange_items(
    communicator, policy.local(), cuts, 0, first, item::bytes, reinterpret_cast<unsigned char*>(result));
  communicator.group_end(policy.local());
  detail::finish_queued(policy.local(), "rebalance");
}

/// The number of elements that a rank has if all have the same, and the first ranks one more.
template <class Communicator>
std::int64_t rebalanced_size(Communicator& communicator, std::int64_t size)
{
  const int ranks = communicator.size();
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(ranks));
  communicator.all_gather(&size, sizes.data(), sizeof(size));
  std::int64_t total = 0;
  for (const std::int64_t one : sizes)
  {
    total += one;
  }
  return total / ranks + (communicator.rank() < total % ranks);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
