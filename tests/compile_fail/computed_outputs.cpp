// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Outputs whose iterators compute elements. An assignment to a temporary object of a class compiles, and is lost.
// first error: mgpu_thrust: an output must give references to its elements, or proxies of them
// errors: 40

#include <mgpu_thrust/mgpu_thrust.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

struct number
{
  std::int64_t value;

  number(std::int64_t v)
      : value(v)
  {
  }
  operator std::int64_t() const
  {
    return value;
  }
};

#if defined(RIGHT_USE)
template <int>
number* output()
{
  static std::vector<number> numbers(100, 0);
  return numbers.data();
}
#else
template <int Call>
struct as_number
{
  number operator()(std::int64_t i) const
  {
    return i;
  }
};
template <int Call>
auto output()
{
  return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), as_number<Call>{});
}
#endif

void call(const std::vector<std::int64_t>& numbers, std::vector<std::int64_t>& written)
{
  const auto policy = thrust::seq;
  const auto a = numbers.begin();
  const auto last = numbers.end();
  const auto in_order = written.begin();
  const std::int64_t n = last - a;
  const auto sum = [](std::int64_t item, std::int64_t segment, std::int64_t rank) { return item + segment + rank; };

  mgpu::merge(policy, a, last, a, last, output<0>());
  mgpu::merge_by_key(policy, a, last, a, last, a, a, in_order, output<1>());
  mgpu::set_union(policy, a, last, a, last, output<2>());
  mgpu::set_intersection_by_key(policy, a, last, a, last, a, in_order, output<3>());
  mgpu::set_union_by_key(
    policy, a, last, a, last, a, a, in_order, output<22>(), cuda::std::less<>{}, cuda::std::plus<>{});
  mgpu::sorted_lower_bound(policy, a, last, a, last, output<4>());
  mgpu::sorted_contains(policy, a, last, a, last, output<5>());
  mgpu::sorted_count(policy, a, last, a, last, output<6>());
  mgpu::sorted_equal_range(policy, a, last, a, last, in_order, output<7>());
  mgpu::sorted_equal_range(policy, a, last, a, last, output<20>(), in_order);
  mgpu::asof_join(policy, a, last, a, last, output<42>(), mgpu::backward);
  mgpu::semi_join(policy, a, last, a, last, output<8>());
  mgpu::inner_join(policy, a, last, a, last, output<9>(), in_order);
  mgpu::inner_join(policy, a, last, a, last, in_order, output<10>());
  mgpu::range_join(policy, a, last, a, last, a, output<40>(), in_order);
  mgpu::range_count(policy, a, last, a, last, a, output<41>());
  mgpu::bulk_remove(policy, a, last, a, last, output<11>());
  mgpu::bulk_insert(policy, a, last, a, a, last, output<12>());
  mgpu::load_balancing_search(policy, n, a, last, output<13>());
  mgpu::transform_in_segments(policy, n, a, last, output<14>(), sum);
  mgpu::interval_expand(policy, n, a, last, a, output<15>());
  mgpu::interval_gather(policy, n, a, last, a, a, output<16>());
  mgpu::interval_scatter(policy, n, a, last, a, a, output<17>());
  mgpu::interval_move(policy, n, a, last, a, a, a, output<18>());
  mgpu::segmented_reduce(policy, a, last, a, last, output<19>());
  mgpu::segmented_inclusive_scan(policy, a, last, a, last, output<21>());
  mgpu::segmented_unique_copy(policy, a, last, a, last, output<44>(), in_order);
  mgpu::segmented_unique_copy(policy, a, last, a, last, in_order, output<45>());
  mgpu::window_reduce(policy, a, last, a, last, a, output<43>(), 0);

  const std::vector<const std::int64_t*> runs{numbers.data()};
  mgpu::merge_runs(policy, a, last, a, last, output<23>());
  mgpu::merge_runs_indices(policy, a, last, a, last, output<24>());
  mgpu::multiway_merge(policy, runs.begin(), a, 1, n, output<25>());
  mgpu::multiway_merge_indices(policy, runs.begin(), a, 1, n, in_order, output<26>());
  mgpu::segmented_set_intersection_size(policy, a, a, a, a, a, a, n, output<27>());
  mgpu::segmented_have_overlap(policy, a, a, a, a, a, a, n, output<28>());
  mgpu::segmented_set_intersection(policy, a, a, a, a, a, a, n, output<29>(), in_order);
  mgpu::segmented_set_union(policy, a, a, a, a, a, a, n, in_order, output<30>());
  mgpu::segmented_set_intersection_indices(policy, a, a, a, a, a, a, n, output<31>(), in_order, in_order);
  mgpu::segmented_set_intersection_indices(policy, a, a, a, a, a, a, n, in_order, output<32>(), in_order);
  mgpu::segmented_lower_bound(policy, a, a, a, a, a, a, n, output<33>(), a);

#if defined(RIGHT_USE)
  // Proxies.
  std::vector<bool> flags(written.size());
  mgpu::sorted_contains(policy, a, last, a, last, flags.begin());
  mgpu::sort(policy, flags.begin(), flags.end());
  thrust::device_vector<std::int64_t> on_device(numbers.size());
  mgpu::merge(policy, a, last, a, last, on_device.begin());
  mgpu::sort(policy, on_device.begin(), on_device.end());
  const auto pairs = thrust::make_zip_iterator(a, on_device.begin());
  const auto both = thrust::make_zip_iterator(in_order, on_device.begin());
  mgpu::merge(policy, pairs, pairs + n, pairs, pairs + n, both);
  mgpu::sort(policy, both, both + n);
  mgpu::merge(policy, a, last, a, last, thrust::make_discard_iterator());
  mgpu::merge(
    policy, a, last, a, last,
    thrust::make_transform_output_iterator(in_order, [](std::int64_t x) { return number(x); }));
  mgpu::merge(policy, a, last, a, last, std::back_inserter(written));
#endif
}
