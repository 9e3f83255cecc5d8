// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The sum of sizes that ranks find.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/distributed/exchange.h>
#include <mgpu_thrust/distributed/cuts.h>

#include <cstdint>
#include <exception>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns, on all ranks, the sum of what size_of() returns on each. If it throws on one, all throw. The rounds of a
/// call in which each rank keeps what it has tell all sizes. `signature` is a hash of what must be the same on all
/// ranks.
template <class Communicator, class Function>
std::int64_t
total_size(Communicator& communicator, const char* algorithm, Function size_of, std::uint64_t signature = 0)
{
  using cuts_type = distributed_cuts<char, no_order>;
  std::int64_t size = 0;
  std::exception_ptr failure;
  try
  {
    size = size_of();
  }
  catch (...)
  {
    failure = std::current_exception();
  }
  cuts_type cuts = detail::abort_on_exception(
    communicator,
    [&]
    {
      return cuts_type(
        algorithm, communicator.rank(), communicator.size(), {distributed_piece<char>{size, nullptr}}, size, no_order{},
        piece_order::sorted, cuts_type::default_max_bytes, signature);
    });
  cuts.fail(failure);
  detail::find_cuts(communicator, cuts, [] {});
  std::int64_t total = 0;
  for (int rank = 0; rank < communicator.size(); ++rank)
  {
    total += cuts.piece_size(0, rank);
  }
  return total;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
