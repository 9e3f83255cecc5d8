// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Every family with the iterators of namespace cuda, which CCCL 3.6 has all of, and with those of C++20 views; CCCL's
// deferred sizes.

#include "support/every_family.h"
#include "support/systems.h"

#include <cuda/std/functional>
#include <cuda/version>

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#if CCCL_VERSION >= 3006000
#  include <cuda/iterator>
#  include <cuda/std/random>
#  include <cuda/std/tuple>
#endif
// Clang 15 and earlier do not compile libstdc++'s views.
#if __cplusplus >= 202002L && !defined(__CUDACC__) && (!defined(__clang__) || __clang_major__ >= 16)
#  define MGPU_THRUST_TEST_VIEWS 1
#  include <deque>
#  include <ranges>
#  include <span>
#  include <utility>
#endif

namespace
{

constexpr std::int64_t iterated_size = 3000;

struct same_value
{
  template <class T>
  MGPU_THRUST_HOST_DEVICE T operator()(const T& x) const
  {
    return x;
  }
};

/// Expects that all families have the results of pointers with the iterators of an Access.
template <class Access, class Compare = ::cuda::std::less<>>
void expect_results_of_pointers()
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto call_all = [](const auto& policy, auto access, auto comp)
  {
    using policy_t = std::decay_t<decltype(policy)>;
    test::every_family<policy_t, std::int64_t, std::int32_t, decltype(access), decltype(comp)> calls(
      policy, iterated_size, comp);
    calls.call_all();
#if defined(__CUDACC__)
    calls.call_all_deferred(); // on a CPU it is the same code with the sizes as they are
#endif
    return calls.results;
  };
  const auto expected = call_all(thrust::seq, test::as_pointers{}, ::cuda::std::less<>{});
#if defined(__CUDACC__)
  EXPECT_TRUE(call_all(thrust::cuda::par, Access{}, Compare{}) == expected);
#elif defined(_OPENMP)
  EXPECT_TRUE(call_all(thrust::omp::par, Access{}, Compare{}) == expected);
#else
  EXPECT_TRUE(call_all(thrust::seq, Access{}, Compare{}) == expected);
#endif
}

#if CCCL_VERSION >= 3006000

template <class T>
struct value_at
{
  const T* values;

  MGPU_THRUST_HOST_DEVICE T operator()(std::int64_t i) const
  {
    return values[i];
  }
};

template <class T>
struct store_at
{
  T* values;

  template <class Index, class Value>
  MGPU_THRUST_HOST_DEVICE void operator()(Index i, const Value& value) const
  {
    values[i] = static_cast<T>(value);
  }
};

/// Keys of 8 bytes by a permutation iterator, all else by a transform iterator over a counting iterator; outputs by a
/// permutation iterator and a transform output iterator.
struct as_permutations_and_transforms : test::as_pointers
{
  static auto input(const std::int64_t* first)
  {
    return cuda::permutation_iterator(first, cuda::counting_iterator<std::int64_t>(0));
  }
  static auto input(const std::int32_t* first)
  {
    return cuda::transform_iterator(cuda::counting_iterator<std::int64_t>(0), value_at<std::int32_t>{first});
  }
  template <class T>
  static auto in_place(T* first)
  {
    return cuda::permutation_iterator(first, cuda::counting_iterator<std::int64_t>(0));
  }
  static auto output(std::int64_t* first)
  {
    return cuda::permutation_iterator(first, cuda::counting_iterator<std::int64_t>(0));
  }
  static auto output(std::int32_t* first)
  {
    return cuda::transform_output_iterator(first, same_value{});
  }
};

/// Keys of 8 bytes by a zip transform iterator, all else by a strided iterator; outputs by a tabulate output iterator
/// and a strided iterator.
struct as_strides_and_tabulations : test::as_pointers
{
  static auto input(const std::int64_t* first)
  {
    return cuda::zip_transform_iterator(same_value{}, first);
  }
  static auto input(const std::int32_t* first)
  {
    return cuda::strided_iterator(first, 1);
  }
  template <class T>
  static auto in_place(T* first)
  {
    return cuda::strided_iterator(first, 1);
  }
  static auto output(std::int64_t* first)
  {
    return cuda::tabulate_output_iterator(store_at<std::int64_t>{first}, std::int64_t{0});
  }
  static auto output(std::int32_t* first)
  {
    return cuda::strided_iterator(first, 1);
  }
};

/// Keys of 8 bytes by zip iterators of one range.
struct as_zips : test::as_pointers
{
  using test::as_pointers::in_place;
  using test::as_pointers::input;
  using test::as_pointers::output;

  static auto input(const std::int64_t* first)
  {
    return cuda::zip_iterator(first);
  }
  static auto in_place(std::int64_t* first)
  {
    return cuda::zip_iterator(first);
  }
  static auto output(std::int64_t* first)
  {
    return cuda::zip_iterator(first);
  }
};
struct first_less
{
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(const X& x, const Y& y) const
  {
    return ::cuda::std::get<0>(x) < ::cuda::std::get<0>(y);
  }
};

TEST(CudaIterators, PermutationsAndTransforms)
{
  expect_results_of_pointers<as_permutations_and_transforms>();
}

TEST(CudaIterators, StridesAndTabulations)
{
  expect_results_of_pointers<as_strides_and_tabulations>();
}

TEST(CudaIterators, Zips)
{
  expect_results_of_pointers<as_zips, first_less>();
}

TEST(CudaIterators, DeferredSizesOfCccl)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(std::vector<int>{1, 3, 5, 7, 9});
      test::memory<policy_t, int> out(10, -7);
      auto counts = test::to_memory<policy_t>(std::vector<int>{3, 100});
      const auto result = mgpu::merge_n(
        policy, a.begin(), cuda::args::deferred{counts.data(), cuda::args::bounds(0, 5)}, a.begin(),
        cuda::args::deferred{counts.data() + 1, cuda::args::bounds(0, 2)}, out.begin(), counts.data() + 1);
      EXPECT_EQ(result.capacity, 7);
      EXPECT_EQ(test::to_host(counts)[1], 5);
      EXPECT_EQ(test::to_host(out), (std::vector<int>{1, 1, 3, 3, 5, -7, -7, -7, -7, -7}));
    });
  EXPECT_FALSE(mgpu::detail::has_cccl_parts<int>); // a size whose parts have other names is told at compile time
}

// Iterators that are not over memory: of each family one call. (The difference of discard iterators of CCCL 3.6.0 has
// the wrong sign.)
TEST(CudaIterators, CountingConstantShuffleAndDiscard)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      constexpr int n = 3000;
      const cuda::counting_iterator<int> numbers(0);
      const cuda::constant_iterator<int> sevens(7);
      const cuda::constant_iterator<int> zeros(0);
      const cuda::shuffle_iterator shuffled{cuda::random_bijection{n, ::cuda::std::minstd_rand(1)}};
      const cuda::discard_iterator discarded{};
      test::memory<policy_t, int> out(2 * n);

      EXPECT_EQ(mgpu::set_union(policy, numbers, numbers + n, sevens, sevens + 2, discarded).index(), n + 1);
      EXPECT_EQ(
        mgpu::merge_by_key(policy, numbers, numbers + n, sevens, sevens + 2, sevens, numbers, discarded, out.begin())
          .first.index(),
        n + 2);
      EXPECT_EQ(mgpu::sorted_lower_bound(policy, numbers, numbers + n, sevens, sevens + 9, discarded).index(), 9);
      mgpu::sorted_lower_bound(policy, numbers, numbers + n, sevens, sevens + 9, out.begin());
      EXPECT_EQ(test::to_host(out)[8], 7);
      EXPECT_EQ(
        mgpu::inner_join(policy, numbers, numbers + n, sevens, sevens + 9, discarded, discarded).first.index(), 9);
      EXPECT_EQ(mgpu::semi_join(policy, numbers, numbers + n, sevens, sevens + 9, discarded).index(), 1);
      EXPECT_EQ(
        mgpu::bulk_insert(policy, numbers, numbers + n, sevens, numbers, numbers + 9, discarded).index(), n + 9);
      EXPECT_EQ(mgpu::bulk_remove(policy, sevens, sevens + n, numbers, numbers + 9, discarded).index(), n - 9);
      EXPECT_EQ(mgpu::load_balancing_search(policy, n, numbers, numbers + n, discarded).index(), n);
      EXPECT_EQ(mgpu::interval_expand(policy, n, numbers, numbers + n, sevens, discarded).index(), n);
      mgpu::segmented_reduce(policy, sevens, sevens + n, zeros, zeros + 1, out.begin());
      EXPECT_EQ(test::to_host(out)[0], 7 * n);
      EXPECT_EQ(mgpu::segmented_reduce(policy, numbers, numbers + n, numbers, numbers + n, discarded).index(), n);

      // The index of each number in a random order, and the number at that index.
      EXPECT_EQ(mgpu::stable_sort_indices(policy, shuffled, shuffled + n, discarded).index(), n);
      mgpu::stable_sort_indices(policy, shuffled, shuffled + n, out.begin());
      const auto indices = test::to_host(out);
      for (int i = 0; i < n; ++i)
      {
        ASSERT_EQ(static_cast<int>(shuffled[indices[static_cast<std::size_t>(i)]]), i);
      }
      mgpu::segmented_sort_by_flags(policy, out.begin(), out.begin() + n, zeros);
      EXPECT_EQ(test::to_host(out)[n - 1], n - 1);
    });
}

#endif

#if defined(MGPU_THRUST_TEST_VIEWS)

/// Inputs by iterators of a transform view, whose category is that of an input iterator.
struct as_views : test::as_pointers
{
  template <class T>
  static auto input(const T* first)
  {
    using view = std::ranges::transform_view<std::span<const T>, same_value>;
    static std::deque<view> views; // iterators refer to their view
    views.emplace_back(std::span<const T>(first, static_cast<std::size_t>(2 * iterated_size)), same_value{});
    return std::as_const(views.back()).begin();
  }
};

TEST(CudaIterators, Views)
{
  expect_results_of_pointers<as_views>();
}

#endif

} // namespace
