// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Calls of every function of the device layer in both forms, with any type of storage and any number of arguments: the
// compiler finds the form that is meant. Nothing is executed.

#include <mgpu_thrust/asof_directions.h>
#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/device/device_asof_join.cuh>
#include <mgpu_thrust/device/device_bulk.cuh>
#include <mgpu_thrust/device/device_interval.cuh>
#include <mgpu_thrust/device/device_join.cuh>
#include <mgpu_thrust/device/device_load_balance.cuh>
#include <mgpu_thrust/device/device_merge.cuh>
#include <mgpu_thrust/device/device_multiway_merge.cuh>
#include <mgpu_thrust/device/device_range_join.cuh>
#include <mgpu_thrust/device/device_segmented_compact.cuh>
#include <mgpu_thrust/device/device_segmented_reduce.cuh>
#include <mgpu_thrust/device/device_segmented_scan.cuh>
#include <mgpu_thrust/device/device_segmented_set_operations.cuh>
#include <mgpu_thrust/device/device_segmented_sort.cuh>
#include <mgpu_thrust/device/device_semi_join.cuh>
#include <mgpu_thrust/device/device_set_operations.cuh>
#include <mgpu_thrust/device/device_sort.cuh>
#include <mgpu_thrust/device/device_sorted_search.cuh>
#include <mgpu_thrust/device/device_window_reduce.cuh>

#include <thrust/iterator/counting_iterator.h>

#include <cuda/stream_ref>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace
{

template <class... Types>
struct arguments
{
};

/// Whether a function takes these arguments, and no two of its overloads are equally good.
template <class Function, class... First, class... Args, class... Last>
constexpr bool takes(arguments<First...>, arguments<Args...>, arguments<Last...>)
{
  return std::is_invocable_v<Function, First..., Args..., Last...>;
}

/// Whether arguments after temporary storage select the two-phase form. With bytes that are no variable that form is
/// none, and so the call is not the short form, either.
template <class Function, class Storage, class Args, class Last>
constexpr bool is_two_phase()
{
  return takes<Function>(arguments<Storage, std::size_t&>{}, Args{}, Last{})
         && !takes<Function>(arguments<Storage, std::size_t>{}, Args{}, Last{});
}

/// Whether each form of a function takes arguments, with nothing or a stream in the end.
template <class Function, class Args, class Last>
constexpr bool has_both_forms(Args, Last)
{
  return is_two_phase<Function, void*, Args, Last>() && is_two_phase<Function, std::nullptr_t, Args, Last>()
         && is_two_phase<Function, char*, Args, Last>() && is_two_phase<Function, unsigned char*, Args, Last>()
         && is_two_phase<Function, double*, Args, Last>() && takes<Function>(arguments<>{}, Args{}, Last{});
}

/// Whether a function has both forms with as many optional arguments as one likes.
template <class Function, class... Required>
constexpr bool has_all_forms(arguments<Required...>, arguments<>)
{
  constexpr arguments<Required...> args;
  return has_both_forms<Function>(args, arguments<>{}) && has_both_forms<Function>(args, arguments<cudaStream_t>{})
         && has_both_forms<Function>(args, arguments<::cuda::stream_ref>{});
}
template <class Function, class... Required, class Next, class... Optional>
constexpr bool has_all_forms(arguments<Required...>, arguments<Next, Optional...>)
{
  return has_both_forms<Function>(arguments<Required...>{}, arguments<>{})
         && has_all_forms<Function>(arguments<Required..., Next>{}, arguments<Optional...>{});
}

struct any_function
{
};

#define MGPU_THRUST_TEST_FORMS(name, ...)                                                                              \
  {                                                                                                                    \
    const auto call = [](auto&&... args) -> decltype(mgpu::name(static_cast<decltype(args)&&>(args)...))               \
    { return cudaSuccess; };                                                                                           \
    static_assert(has_all_forms<decltype(call)>(__VA_ARGS__));                                                         \
  }

[[maybe_unused]] void check_forms_of_all_functions()
{
  // Pointers to char may be storage, and a variable for a size its bytes.
  using It = char*;
  using Size = std::size_t&;
  using Deferred = mgpu::deferred<const int*>;
  using Numbers = thrust::counting_iterator<std::int64_t>;
  MGPU_THRUST_TEST_FORMS(DeviceSort::SortKeys, arguments<It, Deferred>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSort::SortKeys, arguments<Numbers, int>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceInterval::Expand, arguments<Deferred, Numbers, Deferred, It, It>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceAsofJoin::Rows, arguments<It, Size, It, Size, It, mgpu::backward_t>{},
    arguments<any_function, any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceBulk::Remove, arguments<It, Size, It, Size, It>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(DeviceBulk::Remove, arguments<It, Size, It, Size, It, int*>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(DeviceBulk::Insert, arguments<It, Size, It, It, Size, It>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(DeviceBulk::Insert, arguments<It, Size, It, It, Size, It, int*>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(DeviceInterval::Expand, arguments<Size, It, Size, It, It>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(DeviceInterval::Gather, arguments<Size, It, Size, It, It, It>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(DeviceInterval::Scatter, arguments<Size, It, Size, It, It, It>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(DeviceInterval::Move, arguments<Size, It, Size, It, It, It, It>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::Inner, arguments<It, Size, It, Size, It, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceJoin::Inner, arguments<It, Size, It, Size, It, It, int, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::InnerCount, arguments<It, Size, It, Size, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::Left, arguments<It, Size, It, Size, It, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceJoin::Left, arguments<It, Size, It, Size, It, It, int, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::LeftCount, arguments<It, Size, It, Size, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::Right, arguments<It, Size, It, Size, It, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceJoin::Right, arguments<It, Size, It, Size, It, It, int, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::RightCount, arguments<It, Size, It, Size, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::Full, arguments<It, Size, It, Size, It, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceJoin::Full, arguments<It, Size, It, Size, It, It, int, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::FullCount, arguments<It, Size, It, Size, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceLoadBalance::Search, arguments<Size, It, Size, It>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(DeviceLoadBalance::ForEach, arguments<Size, It, Size, any_function>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(DeviceLoadBalance::ForEach, arguments<Size, It, Size, It, any_function>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(DeviceLoadBalance::Transform, arguments<Size, It, Size, It, any_function>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(DeviceLoadBalance::Transform, arguments<Size, It, Size, It, It, any_function>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(DeviceMerge::MergeKeys, arguments<It, Size, It, Size, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceMerge::MergeKeys, arguments<It, Size, It, Size, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMerge::MergePairs, arguments<It, It, Size, It, It, Size, It, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMerge::MergePairs, arguments<It, It, Size, It, It, Size, It, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeRunsKeys, arguments<It, Size, It, Size, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeRunsPairs, arguments<It, It, Size, It, Size, It, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeRunsIndices, arguments<It, Size, It, Size, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceMultiwayMerge::MergeKeys, arguments<It, It, Size, Size, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergePairs, arguments<It, It, It, Size, Size, It, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeIndices, arguments<It, It, Size, Size, It, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeRunsReduceByKey, arguments<It, It, Size, It, Size, It, It, int*>{},
    arguments<any_function, any_function, any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeRunsReduceByKeyCount, arguments<It, It, Size, It, Size, int*>{},
    arguments<any_function, any_function, any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeRunsUnique, arguments<It, Size, It, Size, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeRunsUniqueCount, arguments<It, Size, It, Size, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeReduceByKey, arguments<It, It, It, Size, Size, It, It, int*>{},
    arguments<any_function, any_function, any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeReduceByKeyCount, arguments<It, It, It, Size, Size, int*>{},
    arguments<any_function, any_function, any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeUnique, arguments<It, It, Size, Size, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeUniqueCount, arguments<It, It, Size, Size, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceRangeJoin::Rows, arguments<It, Size, It, Size, It, It, It, int*>{}, arguments<any_function, any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceRangeJoin::Rows, arguments<It, Size, It, Size, It, It, It, int, int*>{},
    arguments<any_function, any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceRangeJoin::RowCount, arguments<It, Size, It, Size, It, int*>{}, arguments<any_function, any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceRangeJoin::Counts, arguments<It, Size, It, Size, It, It>{}, arguments<any_function, any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedCompact::CopyIf, arguments<It, Size, It, Size, It, It, int*, any_function>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedCompact::UniqueCopy, arguments<It, Size, It, Size, It, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedReduce::Reduce, arguments<It, Size, It, Size, It, int, any_function>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedScan::InclusiveScan, arguments<It, Size, It, Size, It, any_function>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedScan::InclusiveScanInit, arguments<It, Size, It, Size, It, int, any_function>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedScan::ExclusiveScan, arguments<It, Size, It, Size, It, int, any_function>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::IntersectionSize, arguments<It, It, It, It, It, It, Size, It>{},
    arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::HaveOverlap, arguments<It, It, It, It, It, It, Size, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::ForEachInIntersections, arguments<It, It, It, It, It, It, Size, any_function>{},
    arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::Intersection, arguments<It, It, It, It, It, It, Size, It, int, It, int*>{},
    arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::Union, arguments<It, It, It, It, It, It, Size, It, int, It, int*>{},
    arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::Difference, arguments<It, It, It, It, It, It, Size, It, int, It, int*>{},
    arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::SymmetricDifference, arguments<It, It, It, It, It, It, Size, It, int, It, int*>{},
    arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::Merge, arguments<It, It, It, It, It, It, Size, It, int, It, int*>{},
    arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::IntersectionIndices, arguments<It, It, It, It, It, It, Size, It, It, int, It, int*>{},
    arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::UnionCombined,
    arguments<It, It, It, It, It, It, Size, It, It, It, It, int, It, int*, any_function, any_function>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::IntersectionCombined,
    arguments<It, It, It, It, It, It, Size, It, It, It, It, int, It, int*, any_function, any_function>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::LowerBound, arguments<It, It, It, It, It, It, Size, It, It>{},
    arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::UpperBound, arguments<It, It, It, It, It, It, Size, It, It>{},
    arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSort::StableSortKeys, arguments<It, Size, It, Size>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedSort::SortKeys, arguments<It, Size, It, Size>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSort::StableSortPairs, arguments<It, It, Size, It, Size>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedSort::SortPairs, arguments<It, It, Size, It, Size>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSort::StableSortIndices, arguments<It, Size, It, Size, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedSort::SortKeysByFlags, arguments<It, Size, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSemiJoin::Semi, arguments<It, Size, It, Size, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSemiJoin::SemiCount, arguments<It, Size, It, Size, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSemiJoin::Anti, arguments<It, Size, It, Size, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSemiJoin::AntiCount, arguments<It, Size, It, Size, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::IntersectionKeys, arguments<It, Size, It, Size, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::IntersectionPairs, arguments<It, It, Size, It, It, Size, It, It, int*>{},
    arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::IntersectionCombined,
    arguments<It, It, Size, It, It, Size, It, It, int*, any_function, any_function>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::IntersectionCount, arguments<It, Size, It, Size, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::UnionKeys, arguments<It, Size, It, Size, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::UnionPairs, arguments<It, It, Size, It, It, Size, It, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::UnionCombined,
    arguments<It, It, Size, It, It, Size, It, It, int*, any_function, any_function>{}, arguments<>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::UnionCount, arguments<It, Size, It, Size, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::DifferenceKeys, arguments<It, Size, It, Size, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::DifferencePairs, arguments<It, It, Size, It, It, Size, It, It, int*>{},
    arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::DifferenceCount, arguments<It, Size, It, Size, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::SymmetricDifferenceKeys, arguments<It, Size, It, Size, It, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::SymmetricDifferencePairs, arguments<It, It, Size, It, It, Size, It, It, int*>{},
    arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::SymmetricDifferenceCount, arguments<It, Size, It, Size, int*>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSort::StableSortKeys, arguments<It, Size>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSort::SortKeys, arguments<It, Size>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSort::StableSortPairs, arguments<It, It, Size>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSort::SortPairs, arguments<It, It, Size>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSort::StableSortIndices, arguments<It, Size, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSortedSearch::LowerBound, arguments<It, Size, It, Size, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSortedSearch::UpperBound, arguments<It, Size, It, Size, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSortedSearch::Contains, arguments<It, Size, It, Size, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(DeviceSortedSearch::Count, arguments<It, Size, It, Size, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSortedSearch::EqualRange, arguments<It, Size, It, Size, It, It>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSortedSearch::Search, arguments<It, Size, It, Size, std::int64_t*, It>{},
    arguments<std::int64_t*, any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceWindowReduce::Reduce, arguments<It, Size, It, Size, It, It, int>{}, arguments<any_function>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceWindowReduce::ReduceByRange, arguments<It, Size, It, It, any_function, any_function, int>{},
    arguments<any_function, any_function>{})

  // With an operator a stream is no optional argument.
  const auto count = [](auto&&... args) -> decltype(mgpu::DeviceSortedSearch::Count(
                                          static_cast<decltype(args)&&>(args)...)) { return cudaSuccess; };
  static_assert(has_both_forms<decltype(count)>(
    arguments<It, Size, It, Size, It, any_function, any_function>{}, arguments<cudaStream_t>{}));
}

} // namespace
