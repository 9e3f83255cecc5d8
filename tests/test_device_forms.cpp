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
struct list
{
};

/// Whether a function takes these arguments, and no two of its overloads are equally good.
template <class Function, class... First, class... Args, class... Last>
constexpr bool takes(list<First...>, list<Args...>, list<Last...>)
{
  return std::is_invocable_v<Function, First..., Args..., Last...>;
}

/// Whether arguments after temporary storage select the two-phase form. With bytes that are no variable that form is
/// none, and so the call is not the short form, either.
template <class Function, class Storage, class Args, class Last>
constexpr bool is_two_phase()
{
  return takes<Function>(list<Storage, std::size_t&>{}, Args{}, Last{})
         && !takes<Function>(list<Storage, std::size_t>{}, Args{}, Last{});
}

/// Whether each form of a function takes arguments, with nothing or a stream in the end.
template <class Function, class Args, class Last>
constexpr bool has_both_forms(Args, Last)
{
  return is_two_phase<Function, void*, Args, Last>() && is_two_phase<Function, std::nullptr_t, Args, Last>()
         && is_two_phase<Function, char*, Args, Last>() && is_two_phase<Function, unsigned char*, Args, Last>()
         && is_two_phase<Function, double*, Args, Last>() && takes<Function>(list<>{}, Args{}, Last{});
}

/// Whether a function has both forms with as many optional arguments as one likes.
template <class Function, class... Required>
constexpr bool has_all_forms(list<Required...>, list<>)
{
  constexpr list<Required...> args;
  return has_both_forms<Function>(args, list<>{}) && has_both_forms<Function>(args, list<cudaStream_t>{})
         && takes<Function>(list<>{}, args, list<::cuda::stream_ref>{});
}
template <class Function, class... Required, class Next, class... Optional>
constexpr bool has_all_forms(list<Required...>, list<Next, Optional...>)
{
  return has_both_forms<Function>(list<Required...>{}, list<>{})
         && has_all_forms<Function>(list<Required..., Next>{}, list<Optional...>{});
}

struct functor
{
};

#define MGPU_THRUST_TEST_FORMS(name, ...)                                                                              \
  {                                                                                                                    \
    const auto call = [](auto&&... args) -> decltype(mgpu::name(static_cast<decltype(args)&&>(args)...))               \
    { return cudaSuccess; };                                                                                           \
    static_assert(has_all_forms<decltype(call)>(__VA_ARGS__));                                                         \
  }

// Pointers to char may be storage, and a variable for a size its bytes.
using It = char*;
using Size = std::size_t&;
using Deferred = mgpu::deferred<const int*>;
using Numbers = thrust::counting_iterator<std::int64_t>;

[[maybe_unused]] void check_all()
{
  MGPU_THRUST_TEST_FORMS(DeviceSort::SortKeys, list<It, Deferred>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSort::SortKeys, list<Numbers, int>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceInterval::Expand, list<Deferred, Numbers, Deferred, It, It>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceAsofJoin::Rows, list<It, Size, It, Size, It, mgpu::backward_t>{}, list<functor, functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceBulk::Remove, list<It, Size, It, Size, It>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceBulk::Remove, list<It, Size, It, Size, It, int*>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceBulk::Insert, list<It, Size, It, It, Size, It>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceBulk::Insert, list<It, Size, It, It, Size, It, int*>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceInterval::Expand, list<Size, It, Size, It, It>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceInterval::Gather, list<Size, It, Size, It, It, It>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceInterval::Scatter, list<Size, It, Size, It, It, It>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceInterval::Move, list<Size, It, Size, It, It, It, It>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::Inner, list<It, Size, It, Size, It, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::Inner, list<It, Size, It, Size, It, It, int, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::InnerCount, list<It, Size, It, Size, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::Left, list<It, Size, It, Size, It, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::Left, list<It, Size, It, Size, It, It, int, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::LeftCount, list<It, Size, It, Size, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::Right, list<It, Size, It, Size, It, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::Right, list<It, Size, It, Size, It, It, int, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::RightCount, list<It, Size, It, Size, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::Full, list<It, Size, It, Size, It, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::Full, list<It, Size, It, Size, It, It, int, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceJoin::FullCount, list<It, Size, It, Size, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceLoadBalance::Search, list<Size, It, Size, It>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceLoadBalance::ForEach, list<Size, It, Size, functor>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceLoadBalance::ForEach, list<Size, It, Size, It, functor>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceLoadBalance::Transform, list<Size, It, Size, It, functor>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceLoadBalance::Transform, list<Size, It, Size, It, It, functor>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceMerge::MergeKeys, list<It, Size, It, Size, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceMerge::MergeKeys, list<It, Size, It, Size, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceMerge::MergePairs, list<It, It, Size, It, It, Size, It, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceMerge::MergePairs, list<It, It, Size, It, It, Size, It, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceMultiwayMerge::MergeRunsKeys, list<It, Size, It, Size, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceMultiwayMerge::MergeRunsPairs, list<It, It, Size, It, Size, It, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceMultiwayMerge::MergeRunsIndices, list<It, Size, It, Size, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceMultiwayMerge::MergeKeys, list<It, It, Size, Size, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceMultiwayMerge::MergePairs, list<It, It, It, Size, Size, It, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceMultiwayMerge::MergeIndices, list<It, It, Size, Size, It, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeRunsReduceByKey, list<It, It, Size, It, Size, It, It, int*>{},
    list<functor, functor, functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeRunsReduceByKeyCount, list<It, It, Size, It, Size, int*>{},
    list<functor, functor, functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceMultiwayMerge::MergeRunsUnique, list<It, Size, It, Size, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceMultiwayMerge::MergeRunsUniqueCount, list<It, Size, It, Size, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeReduceByKey, list<It, It, It, Size, Size, It, It, int*>{},
    list<functor, functor, functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceMultiwayMerge::MergeReduceByKeyCount, list<It, It, It, Size, Size, int*>{}, list<functor, functor, functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceMultiwayMerge::MergeUnique, list<It, It, Size, Size, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceMultiwayMerge::MergeUniqueCount, list<It, It, Size, Size, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceRangeJoin::Rows, list<It, Size, It, Size, It, It, It, int*>{}, list<functor, functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceRangeJoin::Rows, list<It, Size, It, Size, It, It, It, int, int*>{}, list<functor, functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceRangeJoin::RowCount, list<It, Size, It, Size, It, int*>{}, list<functor, functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceRangeJoin::Counts, list<It, Size, It, Size, It, It>{}, list<functor, functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedCompact::CopyIf, list<It, Size, It, Size, It, It, int*, functor>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedCompact::UniqueCopy, list<It, Size, It, Size, It, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedReduce::Reduce, list<It, Size, It, Size, It, int, functor>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedScan::InclusiveScan, list<It, Size, It, Size, It, functor>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedScan::InclusiveScanInit, list<It, Size, It, Size, It, int, functor>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedScan::ExclusiveScan, list<It, Size, It, Size, It, int, functor>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::IntersectionSize, list<It, It, It, It, It, It, Size, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::HaveOverlap, list<It, It, It, It, It, It, Size, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::ForEachInIntersections, list<It, It, It, It, It, It, Size, functor>{},
    list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::Intersection, list<It, It, It, It, It, It, Size, It, int, It, int*>{},
    list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::Union, list<It, It, It, It, It, It, Size, It, int, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::Difference, list<It, It, It, It, It, It, Size, It, int, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::SymmetricDifference, list<It, It, It, It, It, It, Size, It, int, It, int*>{},
    list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::Merge, list<It, It, It, It, It, It, Size, It, int, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::IntersectionIndices, list<It, It, It, It, It, It, Size, It, It, int, It, int*>{},
    list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::UnionCombined,
    list<It, It, It, It, It, It, Size, It, It, It, It, int, It, int*, functor, functor>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::IntersectionCombined,
    list<It, It, It, It, It, It, Size, It, It, It, It, int, It, int*, functor, functor>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::LowerBound, list<It, It, It, It, It, It, Size, It, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSegmentedSetOperations::UpperBound, list<It, It, It, It, It, It, Size, It, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedSort::StableSortKeys, list<It, Size, It, Size>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedSort::SortKeys, list<It, Size, It, Size>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedSort::StableSortPairs, list<It, It, Size, It, Size>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedSort::SortPairs, list<It, It, Size, It, Size>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedSort::StableSortIndices, list<It, Size, It, Size, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSegmentedSort::SortKeysByFlags, list<It, Size, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSemiJoin::Semi, list<It, Size, It, Size, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSemiJoin::SemiCount, list<It, Size, It, Size, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSemiJoin::Anti, list<It, Size, It, Size, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSemiJoin::AntiCount, list<It, Size, It, Size, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSetOperations::IntersectionKeys, list<It, Size, It, Size, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::IntersectionPairs, list<It, It, Size, It, It, Size, It, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::IntersectionCombined, list<It, It, Size, It, It, Size, It, It, int*, functor, functor>{},
    list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceSetOperations::IntersectionCount, list<It, Size, It, Size, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSetOperations::UnionKeys, list<It, Size, It, Size, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::UnionPairs, list<It, It, Size, It, It, Size, It, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::UnionCombined, list<It, It, Size, It, It, Size, It, It, int*, functor, functor>{}, list<>{})
  MGPU_THRUST_TEST_FORMS(DeviceSetOperations::UnionCount, list<It, Size, It, Size, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSetOperations::DifferenceKeys, list<It, Size, It, Size, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::DifferencePairs, list<It, It, Size, It, It, Size, It, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSetOperations::DifferenceCount, list<It, Size, It, Size, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::SymmetricDifferenceKeys, list<It, Size, It, Size, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::SymmetricDifferencePairs, list<It, It, Size, It, It, Size, It, It, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSetOperations::SymmetricDifferenceCount, list<It, Size, It, Size, int*>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSort::StableSortKeys, list<It, Size>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSort::SortKeys, list<It, Size>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSort::StableSortPairs, list<It, It, Size>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSort::SortPairs, list<It, It, Size>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSort::StableSortIndices, list<It, Size, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSortedSearch::LowerBound, list<It, Size, It, Size, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSortedSearch::UpperBound, list<It, Size, It, Size, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSortedSearch::Contains, list<It, Size, It, Size, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSortedSearch::Count, list<It, Size, It, Size, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceSortedSearch::EqualRange, list<It, Size, It, Size, It, It>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceSortedSearch::Search, list<It, Size, It, Size, std::int64_t*, It>{}, list<std::int64_t*, functor>{})
  MGPU_THRUST_TEST_FORMS(DeviceWindowReduce::Reduce, list<It, Size, It, Size, It, It, int>{}, list<functor>{})
  MGPU_THRUST_TEST_FORMS(
    DeviceWindowReduce::ReduceByRange, list<It, Size, It, It, functor, functor, int>{}, list<functor, functor>{})
}

} // namespace
