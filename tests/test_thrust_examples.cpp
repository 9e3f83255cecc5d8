// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The examples of Thrust's documentation of its set operations, with `mgpu::` in place of `thrust::`: same arguments,
// same results. Each is called in the four documented ways: with and without a policy, in the default order and in
// descending order by thrust::greater. Compiled by nvcc, they execute on the device instead of the host.
//
// The documentation has errors, which are corrected here. Its key arrays of the by_key examples have size 6 but hold 7
// numbers; they have size 7 here. Its results that its own semantics (and std::) contradict are marked below.

#include <mgpu_thrust/set_operations.h>

#include "support/systems.h"

#include <thrust/execution_policy.h>
#include <thrust/functional.h>

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace
{

#if defined(__CUDACC__)
const auto& policy = thrust::device;
#else
const auto& policy = thrust::host;
#endif
using memory = test::memory<std::decay_t<decltype(policy)>, int>;

using ints = std::vector<int>;
using two_ints = std::pair<ints, ints>;
const thrust::greater<int> greater;

/// Returns the output of call(a, a_end, b, b_end, result), an operation on keys.
template <class Call>
ints run(const ints& a, const ints& b, Call call)
{
  const memory a_there(a);
  const memory b_there(b);
  memory result(a.size() + b.size());
  const auto end =
    call(a_there.data(), a_there.data() + a.size(), b_there.data(), b_there.data() + b.size(), result.data());
  result.resize(end - result.data());
  return test::to_host(result);
}

/// Returns the output of call(a, a_end, b, b_end, values..., keys_result, values_result), with values 0 for A, 1 for B.
template <class Call>
two_ints run_by_key(const ints& a, const ints& b, Call call)
{
  const memory a_there(a);
  const memory b_there(b);
  const memory a_values(a.size(), 0);
  const memory b_values(b.size(), 1);
  memory keys(a.size() + b.size());
  memory values(a.size() + b.size());
  const auto ends = call(
    a_there.data(), a_there.data() + a.size(), b_there.data(), b_there.data() + b.size(), a_values.data(),
    b_values.data(), keys.data(), values.data());
  keys.resize(ends.first - keys.data());
  values.resize(ends.second - values.data());
  return {test::to_host(keys), test::to_host(values)};
}

TEST(ThrustExamples, SetDifference)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const ints a{0, 1, 3, 4, 5, 6, 9};
  const ints b{1, 3, 5, 7, 9};
  const ints expected{0, 4, 6};
  EXPECT_EQ(run(a, b, [](auto... x) { return mgpu::set_difference(policy, x...); }), expected);
  EXPECT_EQ(run(a, b, [](auto... x) { return mgpu::set_difference(x...); }), expected);

  const ints a_down{9, 6, 5, 4, 3, 1, 0};
  const ints b_down{9, 7, 5, 3, 1};
  const ints expected_down{6, 4, 0};
  EXPECT_EQ(run(a_down, b_down, [](auto... x) { return mgpu::set_difference(policy, x..., greater); }), expected_down);
  EXPECT_EQ(run(a_down, b_down, [](auto... x) { return mgpu::set_difference(x..., greater); }), expected_down);
}

TEST(ThrustExamples, SetIntersection)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const ints a{1, 3, 5, 7, 9, 11};
  const ints b{1, 1, 2, 3, 5, 8, 13};
  const ints expected{1, 3, 5};
  EXPECT_EQ(run(a, b, [](auto... x) { return mgpu::set_intersection(policy, x...); }), expected);
  EXPECT_EQ(run(a, b, [](auto... x) { return mgpu::set_intersection(x...); }), expected);

  const ints a_down{11, 9, 7, 5, 3, 1};
  const ints b_down{13, 8, 5, 3, 2, 1, 1};
  const ints expected_down{5, 3, 1};
  EXPECT_EQ(
    run(a_down, b_down, [](auto... x) { return mgpu::set_intersection(policy, x..., greater); }), expected_down);
  EXPECT_EQ(run(a_down, b_down, [](auto... x) { return mgpu::set_intersection(x..., greater); }), expected_down);
}

TEST(ThrustExamples, SetSymmetricDifference)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const ints a{0, 1, 2, 2, 4, 6, 7};
  const ints b{1, 1, 2, 5, 8};
  // Documented as {0, 4, 5, 6, 7, 8}; but A has one more 2 than B, and B one more 1 than A.
  const ints expected{0, 1, 2, 4, 5, 6, 7, 8};
  EXPECT_EQ(run(a, b, [](auto... x) { return mgpu::set_symmetric_difference(policy, x...); }), expected);
  EXPECT_EQ(run(a, b, [](auto... x) { return mgpu::set_symmetric_difference(x...); }), expected);

  // Documented as {8, 7, 6, 5, 4, 0}, and called without the comparator that these inputs need.
  const ints a_down{7, 6, 4, 2, 2, 1, 0};
  const ints b_down{8, 5, 2, 1, 1};
  const ints expected_down{8, 7, 6, 5, 4, 2, 1, 0};
  EXPECT_EQ(
    run(a_down, b_down, [](auto... x) { return mgpu::set_symmetric_difference(policy, x..., greater); }),
    expected_down);
  EXPECT_EQ(
    run(a_down, b_down, [](auto... x) { return mgpu::set_symmetric_difference(x..., greater); }), expected_down);
}

TEST(ThrustExamples, SetUnion)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const ints a{0, 2, 4, 6, 8, 10, 12};
  const ints b{1, 3, 5, 7, 9};
  const ints expected{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12};
  EXPECT_EQ(run(a, b, [](auto... x) { return mgpu::set_union(policy, x...); }), expected);
  EXPECT_EQ(run(a, b, [](auto... x) { return mgpu::set_union(x...); }), expected);

  const ints a_down{12, 10, 8, 6, 4, 2, 0};
  const ints b_down{9, 7, 5, 3, 1};
  const ints expected_down{12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  EXPECT_EQ(run(a_down, b_down, [](auto... x) { return mgpu::set_union(policy, x..., greater); }), expected_down);
  EXPECT_EQ(run(a_down, b_down, [](auto... x) { return mgpu::set_union(x..., greater); }), expected_down);
}

TEST(ThrustExamples, SetDifferenceByKey)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const ints a{0, 1, 3, 4, 5, 6, 9};
  const ints b{1, 3, 5, 7, 9};
  const two_ints expected{{0, 4, 6}, {0, 0, 0}};
  EXPECT_EQ(run_by_key(a, b, [](auto... x) { return mgpu::set_difference_by_key(policy, x...); }), expected);
  EXPECT_EQ(run_by_key(a, b, [](auto... x) { return mgpu::set_difference_by_key(x...); }), expected);

  // Documented in ascending order, {0, 4, 6}.
  const ints a_down{9, 6, 5, 4, 3, 1, 0};
  const ints b_down{9, 7, 5, 3, 1};
  const two_ints expected_down{{6, 4, 0}, {0, 0, 0}};
  EXPECT_EQ(
    run_by_key(a_down, b_down, [](auto... x) { return mgpu::set_difference_by_key(policy, x..., greater); }),
    expected_down);
  EXPECT_EQ(
    run_by_key(a_down, b_down, [](auto... x) { return mgpu::set_difference_by_key(x..., greater); }), expected_down);
}

TEST(ThrustExamples, SetIntersectionByKey)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  // The one operation by key that takes no values of B.
  const auto with_policy = [](auto a, auto a_end, auto b, auto b_end, auto a_values, auto, auto... x)
  { return mgpu::set_intersection_by_key(policy, a, a_end, b, b_end, a_values, x...); };
  const auto without_policy = [](auto a, auto a_end, auto b, auto b_end, auto a_values, auto, auto... x)
  { return mgpu::set_intersection_by_key(a, a_end, b, b_end, a_values, x...); };
  const ints a{1, 3, 5, 7, 9, 11};
  const ints b{1, 1, 2, 3, 5, 8, 13};
  const two_ints expected{{1, 3, 5}, {0, 0, 0}};
  EXPECT_EQ(run_by_key(a, b, with_policy), expected);
  EXPECT_EQ(run_by_key(a, b, without_policy), expected);

  const ints a_down{11, 9, 7, 5, 3, 1};
  const ints b_down{13, 8, 5, 3, 2, 1, 1};
  const two_ints expected_down{{5, 3, 1}, {0, 0, 0}};
  EXPECT_EQ(run_by_key(a_down, b_down, [&](auto... x) { return with_policy(x..., greater); }), expected_down);
  EXPECT_EQ(run_by_key(a_down, b_down, [&](auto... x) { return without_policy(x..., greater); }), expected_down);
}

TEST(ThrustExamples, SetSymmetricDifferenceByKey)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const ints a{0, 1, 2, 2, 4, 6, 7};
  const ints b{1, 1, 2, 5, 8};
  // Documented without the keys 1 and 2, as above.
  const two_ints expected{{0, 1, 2, 4, 5, 6, 7, 8}, {0, 1, 0, 0, 1, 0, 0, 1}};
  EXPECT_EQ(run_by_key(a, b, [](auto... x) { return mgpu::set_symmetric_difference_by_key(policy, x...); }), expected);
  EXPECT_EQ(run_by_key(a, b, [](auto... x) { return mgpu::set_symmetric_difference_by_key(x...); }), expected);

  const ints a_down{7, 6, 4, 2, 2, 1, 0};
  const ints b_down{8, 5, 2, 1, 1};
  const two_ints expected_down{{8, 7, 6, 5, 4, 2, 1, 0}, {1, 0, 0, 1, 0, 0, 1, 0}};
  EXPECT_EQ(
    run_by_key(a_down, b_down, [](auto... x) { return mgpu::set_symmetric_difference_by_key(policy, x..., greater); }),
    expected_down);
  EXPECT_EQ(
    run_by_key(a_down, b_down, [](auto... x) { return mgpu::set_symmetric_difference_by_key(x..., greater); }),
    expected_down);
}

TEST(ThrustExamples, SetUnionByKey)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  // Documented under the name of the symmetric difference, which is the same for inputs that have no key in common.
  const ints a{0, 2, 4, 6, 8, 10, 12};
  const ints b{1, 3, 5, 7, 9};
  const two_ints expected{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12}, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0}};
  EXPECT_EQ(run_by_key(a, b, [](auto... x) { return mgpu::set_union_by_key(policy, x...); }), expected);
  EXPECT_EQ(run_by_key(a, b, [](auto... x) { return mgpu::set_union_by_key(x...); }), expected);
  EXPECT_EQ(run_by_key(a, b, [](auto... x) { return mgpu::set_symmetric_difference_by_key(policy, x...); }), expected);

  // Documented with the value 1 for the key 10, which comes from A.
  const ints a_down{12, 10, 8, 6, 4, 2, 0};
  const ints b_down{9, 7, 5, 3, 1};
  const two_ints expected_down{{12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, {0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}};
  EXPECT_EQ(
    run_by_key(a_down, b_down, [](auto... x) { return mgpu::set_union_by_key(policy, x..., greater); }), expected_down);
  EXPECT_EQ(run_by_key(a_down, b_down, [](auto... x) { return mgpu::set_union_by_key(x..., greater); }), expected_down);
}

} // namespace
