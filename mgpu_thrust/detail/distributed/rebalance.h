// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How the ranks of a communicator divide a sequence anew. Cuts follow from sizes.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/exchange.h>
#include <mgpu_thrust/detail/distributed/total_size.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

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
  Policy& local = policy.local();
  using cuts_type = distributed_cuts<typename item::type, no_order>;
  cuts_type cuts = detail::abort_on_exception(
    communicator,
    [&]
    {
      return cuts_type(
        "rebalance", communicator.rank(), communicator.size(), {detail::make_piece(local, "rebalance", first, size)},
        result_size, no_order{});
    });
  cuts.catch_failure([&] { size_checks("rebalance").size("the input", size); });
  detail::find_cuts(communicator, cuts, [] {});
  detail::execute_group(
    communicator, local,
    [&]
    {
      detail::exchange_items(
        communicator, local, cuts, 0, first, item::bytes, reinterpret_cast<unsigned char*>(result));
    });
  detail::finish_queued(local, "rebalance");
}

/// The number of elements that a rank has if all have the same, and the first ranks one more.
template <class Communicator>
std::int64_t rebalanced_size(Communicator& communicator, std::int64_t size)
{
  const char* const algorithm = "rebalanced_size";
  const std::int64_t total = detail::total_size(
    communicator, algorithm,
    [&]
    {
      size_checks(algorithm).size("the input", size);
      return size;
    });
  return total / communicator.size() + (communicator.rank() < total % communicator.size());
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
