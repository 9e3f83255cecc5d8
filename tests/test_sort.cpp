// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Sorts: small inputs exhaustively, sizes around those of pieces and tiles, every disorder, policies, failures, and a
// fuzz. Types are tested in test_sort_types and test_sort_elements, orders and iterators in test_sort_orders.

#include "support/counting_allocator.h"
#include "support/fuzz.h"
#include "support/sort_battery.h"
#include "support/systems.h"
#if defined(__CUDACC__)
#  include "support/cuda_policies.h"
#endif

#include <thrust/iterator/counting_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using ints = std::vector<std::int32_t>;
using test::make_ints;

// All sequences of up to six keys with three distinct values.
TEST(Sort, AllSmallInputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (int size = 0, count = 1; size <= 6; ++size, count *= 3)
  {
    for (int number = 0; number < count; ++number)
    {
      ints keys;
      for (int i = 0, rest = number; i < size; ++i, rest /= 3)
      {
        keys.push_back(rest % 3);
      }
      test::check_sort_everywhere<std::int32_t>(keys);
      ASSERT_FALSE(HasFatalFailure()) << testing::PrintToString(keys);
    }
  }
}

TEST(Sort, EverySmallSize)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (std::int64_t size = 0; size <= 300; ++size)
  {
    test::check_sort_everywhere<std::int32_t>(make_ints(test::disorder::uniform, size, size));
    test::check_sort_everywhere<std::int32_t>(make_ints(test::disorder::few_keys, size, size));
    ASSERT_FALSE(HasFatalFailure()) << size;
  }
}

// The size of the pieces of a sort, and the minimum size of an input that has them.
struct piece_of_sort
{
  std::int64_t items;
  std::int64_t min_size;
};
#if defined(__CUDACC__)
constexpr std::int64_t max_pairwise = mgpu::detail::max_pairwise<4>;
// Of keys and pairs, whose tiles are the same if there are few; of many keys, and of many pairs.
const piece_of_sort pieces_of_sorts[] = {
  {mgpu::detail::pairwise_shapes_t<std::int32_t, 0>::tile_items, 0},
  {mgpu::detail::sort_shapes_t<std::int32_t, 0>::tile_items, max_pairwise + 1},
  {mgpu::detail::sort_shapes_t<std::int32_t, sizeof(std::int32_t)>::tile_items, max_pairwise + 1}};
#else
const piece_of_sort pieces_of_sorts[] = {{mgpu::detail::cpu_sort_piece<std::int32_t>, 0}};
#endif

// The most pieces of a test; a CPU merges them in four passes.
#if defined(__CUDACC__)
constexpr int most_pieces = 17;
#else
constexpr int most_pieces = 9;
#endif

/// Returns `pieces` pieces and `more` keys, and the pieces that any sort of that kind has.
std::int64_t size_of(const piece_of_sort& piece, std::int64_t pieces, std::int64_t more)
{
  return (piece.min_size + piece.items - 1) / piece.items * piece.items + pieces * piece.items + more;
}

TEST(Sort, SizesAroundThoseOfPieces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const piece_of_sort& piece : pieces_of_sorts)
  {
    for (const int pieces : {1, 2, 3, 5, 8, most_pieces})
    {
      for (const std::int64_t more : {-1, 0, 1})
      {
        const std::int64_t size = size_of(piece, pieces, more);
        SCOPED_TRACE(std::to_string(size) + " in pieces of " + std::to_string(piece.items));
        test::check_sort_everywhere<std::int32_t>(make_ints(test::disorder::uniform, size));
        if (pieces <= 3 && more == 1)
        {
          test::check_sort_everywhere<std::int32_t>(make_ints(test::disorder::few_keys, size));
          test::check_sort_everywhere<std::int32_t>(make_ints(test::disorder::reversed, size));
        }
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

// Few elements are sorted with a thread for each, by blocks whose number of threads depends on how many elements there
// are.
TEST(Sort, SizesAroundThoseOfBlocks)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t threads : {128, 256, 512, 1024})
  {
    for (std::int64_t blocks = threads == 128 ? 1 : 4; blocks <= 8; ++blocks)
    {
      for (const std::int64_t more : {-1, 0, 1, 33})
      {
        const std::int64_t size = blocks * threads + more;
        SCOPED_TRACE(size);
        test::check_sort_everywhere<std::int32_t>(make_ints(test::disorder::uniform, size));
        test::check_sort_everywhere<std::int32_t>(make_ints(test::disorder::few_keys, size));
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

TEST(Sort, EveryDisorder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::disorder d : test::all_disorders)
  {
    std::vector<std::int64_t> sizes{5000, 150000, 400003};
#if defined(__CUDACC__)
    sizes.insert(sizes.end(), {max_pairwise, max_pairwise + 1, 4500007}); // an odd and an even number of passes
#endif
    for (const std::int64_t size : sizes)
    {
      SCOPED_TRACE(std::string(test::name_of(d)) + " " + std::to_string(size));
      test::check_sort_everywhere<std::int32_t>(make_ints(d, size));
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

// Long ranges that are in order except for a swap across a border of pieces, at each distance from it.
TEST(Sort, AFewAreOutOfOrder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const auto& [piece, min_size] : pieces_of_sorts)
  {
    for (const std::int64_t border : {piece, 2 * piece, 3 * piece, 4 * piece})
    {
      for (const std::int64_t distance :
           {std::int64_t{1}, std::int64_t{2}, std::int64_t{100}, std::int64_t{1023}, std::int64_t{1024}, piece / 2,
            piece / 2 + 1, piece - 1, piece})
      {
        ints keys = make_ints(test::disorder::sorted, min_size + 7 * piece + 5);
        std::swap(keys[border - distance], keys[border + distance - 1]);
        test::check_sort_everywhere<std::int32_t>(keys);
        ASSERT_FALSE(HasFatalFailure()) << keys.size() << " " << border << " " << distance;
      }
    }
  }
}

// As many keys on each side of a border of pieces as belong on the other side: up to half a piece, as far as keys that
// are near may be off.
TEST(Sort, ExchangedAcrossABorder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const auto& [piece, min_size] : pieces_of_sorts)
  {
    for (const std::int64_t border : {piece, 2 * piece})
    {
      for (const std::int64_t distance : {piece / 4 + 1, piece / 2 - 1, piece / 2})
      {
        ints keys = make_ints(test::disorder::sorted, min_size + 7 * piece + 5);
        const auto at = keys.begin() + border;
        std::swap_ranges(at - distance, at, at);
        test::check_sort_everywhere<std::int32_t>(keys);
        ASSERT_FALSE(HasFatalFailure()) << keys.size() << " " << border << " " << distance;
      }
    }
  }
}

// Keys less than some distance from where they belong, which may be found near too early; sizes that take an odd and an
// even number of passes otherwise, and just enough passes to end early.
TEST(Sort, NearToTheirPlaces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(7);
  const std::int64_t piece = pieces_of_sorts[0].items;
  std::vector<std::int64_t> sizes{5 * piece + 7, 11 * piece + 1};
#if defined(__CUDACC__)
  sizes.insert(sizes.end(), {3 * piece + 1, 20 * piece + 7, max_pairwise + 7, 4500007});
#endif
  for (const std::int64_t size : sizes)
  {
    for (const int distance : {3, 30, 300, 1000, 1150, 1500, 5000})
    {
      ints keys(size);
      for (std::int64_t i = 0; i < size; ++i)
      {
        keys[i] = static_cast<std::int32_t>(i / 3 + static_cast<std::int64_t>(random() % distance) / 3);
      }
      test::check_sort_everywhere<std::int32_t>(keys);
      ASSERT_FALSE(HasFatalFailure()) << size << " " << distance;
    }
  }
}

// Keys of which few are out of order, so that only the last of a run of 2 * `half` belongs after the first of the next
// run but one, past the middle of the run between: for runs of two to sixteen threads of each shape of tiles.
TEST(Sort, NearToTheirPlacesButForThoseOfARun)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t items : {17, 21, 27, 33})
  {
    for (std::int64_t half = items; half <= 8 * items; half *= 2)
    {
      for (const std::int64_t before : {std::int64_t{0}, 2 * half, 8 * half})
      {
        std::vector<std::int64_t> ranks(before + half, 0);
        ranks.insert(ranks.end(), half, 100);
        ranks.insert(ranks.end(), half, 10);
        ranks.insert(ranks.end(), half, 200);
        ranks.push_back(50);
        ranks.resize(30000, 300);
        test::check_sort_everywhere<std::int32_t>(test::to_keys<std::int32_t>(ranks));
        test::check_sort_everywhere<std::int32_t>(test::to_keys<std::int64_t>(ranks));
        test::check_sort_everywhere<std::int32_t, test::with_values | test::as_indices>(
          test::to_keys<test::words_key<3>>(ranks)); // of the same tile shape as without values
        ASSERT_FALSE(HasFatalFailure()) << items << " " << half << " " << before;
      }
    }
  }
}

// Memory with no more than its type's alignment.
TEST(Sort, PointersAlignedToTheTypeOnly)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t size = 40000;
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      for (std::int64_t offset = 1; offset < 4; ++offset)
      {
        const auto keys = make_ints(test::disorder::uniform, size + offset + 1);
        auto expected = keys;
        std::sort(expected.begin() + offset, expected.end() - 1);
        auto sorted = test::to_memory<policy_t>(keys);
        std::int32_t* const first = thrust::raw_pointer_cast(sorted.data()) + offset;
        mgpu::sort(policy, first, first + size);
        ASSERT_EQ(test::to_host(sorted), expected);
      }
    });
}

#if defined(__CUDACC__)

/// Sorts in one device thread.
__global__ void sort_in_a_thread(int* keys, int* values, int size, const int* input, int* indices)
{
  mgpu::stable_sort_by_key(thrust::seq, keys, keys + size, values);
  mgpu::stable_sort_indices(thrust::seq, input, input + size, indices);
}

TEST(SortPolicies, OfCuda)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto keys = make_ints(test::disorder::uniform, 100003);
  const auto order = test::expected_order(keys, ::cuda::std::less<>{});
  const auto check = [&](const auto& policy, cudaStream_t stream)
  {
    auto sorted = test::to_guarded_memory<thrust::cuda::tag>(keys);
    auto values = test::values_in_guarded_memory<thrust::cuda::tag, std::int32_t>(keys.size());
    cudaDeviceSynchronize(); // the stream does not wait for other streams
    mgpu::sort_by_key(policy, sorted.begin(), sorted.end() - 1, values.begin());
    cudaStreamSynchronize(stream); // par_nosync does not synchronise
    test::expect_sorted(sorted, keys, order);
    test::expect_sorted_values<std::int32_t>(values, order);
  };
  test::for_each_cuda_policy(check);
  auto sorted = test::to_guarded_memory<thrust::cuda::tag>(keys);
  mgpu::sort(sorted.begin(), sorted.end() - 1);
  test::expect_sorted(sorted, keys, order);
}

TEST(SortPolicies, CalledFromDeviceCode)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t size : {0, 1, 2, 17, 1000})
  {
    const auto keys = make_ints(test::disorder::few_keys, size);
    const auto order = test::expected_order(keys, ::cuda::std::less<>{});
    auto sorted = test::to_guarded_memory<thrust::cuda::tag>(keys);
    auto values = test::values_in_guarded_memory<thrust::cuda::tag, std::int32_t>(size);
    const auto input = test::to_memory<thrust::cuda::tag>(keys);
    thrust::device_vector<std::int32_t> indices(size + 1, -7);
    sort_in_a_thread<<<1, 1>>>(
      thrust::raw_pointer_cast(sorted.data()), thrust::raw_pointer_cast(values.data()), static_cast<int>(size),
      thrust::raw_pointer_cast(input.data()), thrust::raw_pointer_cast(indices.data()));
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    test::expect_sorted(sorted, keys, order);
    test::expect_sorted_values<std::int32_t>(values, order);
    test::expect_sorted_values<std::int32_t>(indices, order);
  }
}

#else

TEST(SortPolicies, OfTheCpu)
{
  const auto keys = make_ints(test::disorder::uniform, 100003);
  const auto order = test::expected_order(keys, ::cuda::std::less<>{});
  test::check_sort<std::int32_t>(thrust::host, keys, order, ::cuda::std::less<>{});
  test::check_sort<std::int32_t>(thrust::device, keys, order, ::cuda::std::less<>{}); // the C++ system in these tests
  ints sorted = keys;
  mgpu::sort(sorted.begin(), sorted.end());
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  ints indices(keys.size());
  mgpu::stable_sort_indices(keys.begin(), keys.end(), indices.begin());
  EXPECT_EQ(indices, ints(order.begin(), order.end()));
}

// The serial sort of device code, executed on the host.
TEST(Sort, InPlace)
{
  for (const test::disorder d : test::all_disorders)
  {
    for (std::int64_t size = 0; size <= 500; ++size)
    {
      const auto keys = make_ints(d, size, size);
      const auto order = test::expected_order(keys, ::cuda::std::less<>{});
      auto sorted = test::to_guarded_memory<thrust::cpp::tag>(keys);
      auto values = test::values_in_guarded_memory<thrust::cpp::tag, std::int32_t>(size);
      mgpu::detail::make_sort("the keys", sorted.begin(), size, values.begin(), ::cuda::std::less<>{}).in_thread();
      test::expect_sorted(sorted, keys, order);
      test::expect_sorted_values<std::int32_t>(values, order);
      ASSERT_FALSE(HasFatalFailure()) << test::name_of(d) << " " << size;
    }
  }
}

// An order that is none loses nothing of what is not touched, and reads and writes nothing outside.
TEST(Sort, WrongOrdersStayWithinBounds)
{
  for (const std::int64_t size : {10, 1000, 100003, 300007})
  {
    test::for_each_policy(
      [&](const auto& policy)
      {
        std::vector<double> numbers(size);
        std::mt19937_64 random(1);
        for (double& x : numbers)
        {
          x = random() % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(random() % 1000);
        }
        mgpu::sort(policy, numbers.begin(), numbers.end());
        mgpu::sort(policy, numbers.begin(), numbers.end(), [](double x, double y) { return x <= y; });
        mgpu::sort(policy, numbers.begin(), numbers.end(), [&](double, double) { return true; });
      });
  }
}

/// Comparator that throws at a given call.
struct failing_order
{
  std::atomic<std::int64_t>* calls_left;

  template <class Key>
  bool operator()(const Key& x, const Key& y) const
  {
    if (--*calls_left == 0)
    {
      throw std::runtime_error("the comparison that was to fail");
    }
    return x < y;
  }
};

TEST(SortErrors, OrdersThatThrow)
{
  const auto keys = make_ints(test::disorder::uniform, 60000);
  std::vector<std::string> words;
  for (const std::int32_t key : keys)
  {
    words.push_back("a word that is too long for its object " + std::to_string(key));
  }
  for (const std::int64_t calls : {1, 5, 1000, 100000, 700000})
  {
    SCOPED_TRACE(calls);
    test::for_each_policy(
      [&](const auto& policy)
      {
        auto sorted = words;
        auto values = words;
        std::atomic<std::int64_t> left{calls};
        EXPECT_THROW(mgpu::stable_sort(policy, sorted.begin(), sorted.end(), failing_order{&left}), std::runtime_error);
        left = calls;
        ints copy = keys;
        EXPECT_THROW(
          mgpu::stable_sort_by_key(policy, copy.begin(), copy.end(), values.begin(), failing_order{&left}),
          std::runtime_error);
        EXPECT_EQ(values, words); // values are moved only after the keys are sorted
        left = calls;
        ints indices(keys.size(), -7);
        EXPECT_THROW(
          mgpu::stable_sort_indices(policy, keys.begin(), keys.end(), indices.begin(), failing_order{&left}),
          std::runtime_error);
        // All elements can be assigned and used again.
        sorted = words;
        mgpu::stable_sort(policy, sorted.begin(), sorted.end());
        EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
      });
  }
}

#endif

TEST(SortErrors, SizesAndAllocators)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      auto keys = test::to_memory<policy_t>(ints{3, 1, 2});
      auto values = test::to_memory<policy_t>(ints{3, 1, 2});
      const auto expect = [](const std::string& text, auto f)
      {
        try
        {
          f();
          ADD_FAILURE() << "no exception; expected: " << text;
        }
        catch (const std::logic_error& error)
        {
          EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
        }
      };
      expect(
        "mgpu::sort: the last of the input is before its first (-3",
        [&] { mgpu::sort(policy, keys.end(), keys.begin()); });
      expect("mgpu::stable_sort: the last of the input", [&] { mgpu::stable_sort(policy, keys.end(), keys.begin()); });
      expect(
        "mgpu::sort_by_key: the last of the keys",
        [&] { mgpu::sort_by_key(policy, keys.end(), keys.begin(), values.begin()); });
      expect(
        "mgpu::stable_sort_by_key: the last of the keys",
        [&] { mgpu::stable_sort_by_key(policy, keys.end(), keys.begin(), values.begin()); });
      expect(
        "mgpu::stable_sort_indices: the last of the input",
        [&] { mgpu::stable_sort_indices(policy, keys.end(), keys.begin(), values.begin()); });
      const thrust::counting_iterator<std::int64_t> numbers(0);
      test::memory<policy_t, std::uint8_t> few(10, 7);
      expect(
        "mgpu::stable_sort_indices: indices of up to 299 do not fit the output, which holds 255 at most",
        [&] { mgpu::stable_sort_indices(policy, numbers, numbers + 300, few.begin()); });
      test::memory<policy_t, std::int64_t> many(10, 7);
      expect(
        "mgpu::stable_sort_indices: more elements",
        [&] {
          mgpu::stable_sort_indices(policy, numbers, numbers + std::numeric_limits<std::int64_t>::max(), many.begin());
        });
      EXPECT_EQ(test::to_host(keys), (ints{3, 1, 2}));
      EXPECT_EQ(test::to_host(values), (ints{3, 1, 2}));
      EXPECT_EQ(test::to_host(few)[0], 7);
    });
}

TEST(SortErrors, StorageIsGivenBack)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto keys = make_ints(test::disorder::uniform, 100003);
  const auto order = test::expected_order(keys, ::cuda::std::less<>{});
  test::for_each_counting_policy(
    [&](test::allocation_log& log, const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      test::check_sort<test::bytes_element<33>>(policy, keys, order, ::cuda::std::less<>{});
      EXPECT_GT(log.allocations, 0);
      EXPECT_EQ(log.live, 0);
      auto sorted = test::to_memory<policy_t>(keys);
      auto values = test::to_memory<policy_t>(test::make_elements<test::bytes_element<33>>(keys.size(), 0));
      test::let_every_allocation_fail(
        log, sorted, [&] { mgpu::sort_by_key(policy, sorted.begin(), sorted.end(), values.begin()); });
    });
}

TEST(SortFuzz, RandomSizesAndDisorders)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    60,
    [](auto& random)
    {
      // Consecutive stretches of different disorders.
      std::vector<std::int64_t> ranks;
      const int stretches = 1 + static_cast<int>(random() % 4);
      for (int stretch = 0; stretch < stretches; ++stretch)
      {
        const auto size = static_cast<std::int64_t>(random() % (std::uint64_t{2} << random() % 17));
        const auto d = test::all_disorders[random() % std::size(test::all_disorders)];
        const auto part = test::make_disorder(d, size, 1 << 30, random());
        ranks.insert(ranks.end(), part.begin(), part.end());
      }
      test::check_sort_everywhere<std::int32_t>(test::to_keys<std::int32_t>(ranks));
    });
}

} // namespace
