// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Load-balancing search and interval operations on a GPU: mgpu beside an implementation with Thrust's algorithms and,
/// for the interval operations, CUB's batched copy, with the same allocator.

#include "load_balance.h"
#include "machine_cuda.h"

#include <thrust/iterator/constant_iterator.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cub/device/device_copy.cuh>

namespace mgpu_benchmark
{

/// Returns a pointer to the first element of an interval in an array, from the interval's index.
template <class Element>
struct interval_at
{
  Element* array;
  const std::int32_t* places;

  MGPU_THRUST_HOST_DEVICE Element* operator()(std::int32_t segment) const
  {
    return array + places[segment];
  }
};

/// Returns an iterator that repeats an interval's value.
template <class Element>
struct value_repeated
{
  const Element* values;

  MGPU_THRUST_HOST_DEVICE thrust::constant_iterator<Element> operator()(std::int32_t segment) const
  {
    return thrust::make_constant_iterator(values[segment]);
  }
};

template <class Element>
interval_at(Element*, const std::int32_t*) -> interval_at<Element>;

template <class Element>
value_repeated(const Element*) -> value_repeated<Element>;

/// One call of DeviceCopy::Batched, with one range per segment, of any length. It can copy from constants too.
struct cub_load_balance
{
  static constexpr const char* name = "cub";
  template <class Problem, class System>
  static constexpr bool is_for = !std::is_same_v<typename Problem::operation, load_balancing_search>;

  template <class Policy, class Arguments>
  static void run(interval_expand, const Policy& policy, const Arguments& in)
  {
    copy(policy, in, value_repeated{in.values}, interval_at{in.out, in.offsets_first});
  }
  template <bool Shuffled, class Policy, class Arguments>
  static void run(gather_from<Shuffled> gather, const Policy& policy, const Arguments& in)
  {
    copy(policy, in, interval_at{in.input, gather.places(in)}, interval_at{in.out, in.offsets_first});
  }
  template <class Policy, class Arguments>
  static void run(interval_scatter, const Policy& policy, const Arguments& in)
  {
    copy(policy, in, interval_at{in.input, in.offsets_first}, interval_at{in.out, in.shuffled_places});
  }
  template <class Policy, class Arguments>
  static void run(interval_move, const Policy& policy, const Arguments& in)
  {
    copy(policy, in, interval_at{in.input, in.ascending_places}, interval_at{in.out, in.shuffled_places});
  }

private:
  /// Copies each segment, from the iterator that `from` returns for its index to the iterator that `to` returns.
  template <class Policy, class Arguments, class From, class To>
  static void copy(const Policy& policy, const Arguments& in, const From& from, const To& to)
  {
    const thrust::counting_iterator<std::int32_t> segments(0);
    const auto sources = thrust::make_transform_iterator(segments, from);
    const auto destinations = thrust::make_transform_iterator(segments, to);
    const auto sizes = thrust::make_transform_iterator(segments, length_of_numbered<Arguments>{in});
    call_cub(
      policy, "cub::DeviceCopy::Batched",
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      { return cub::DeviceCopy::Batched(storage, bytes, sources, destinations, sizes, in.segments(), stream); });
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 27};
  return run_cuda_program(
    argc, argv, defaults, libraries<thrust_load_balance, cub_load_balance, mgpu_load_balance>{}, all_segment_lengths(),
    segment_problems());
}
