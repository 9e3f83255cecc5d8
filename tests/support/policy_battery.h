// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of policies: properties that every algorithm must have under every kind of policy, tested with a call.
///
/// A family derives a call object from policy_call for each function that it tests,
///
///   struct semi_join_call : test::policy_call
///   {
///     explicit semi_join_call(std::int64_t size);   // sets `inputs` of about that size, and the expected results
///
///     template <class Policy>
///     MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, int* out);
///   };
///
/// and instantiates the battery with them in this namespace, by INSTANTIATE_TYPED_TEST_SUITE_P(SemiJoins, Policies,
/// calls), where `calls` is a testing::Types of them.

#include "counting_allocator.h"
#include "elements.h"
#include "systems.h"
#if defined(__CUDACC__)
#  include "cuda_policies.h"
#  include "streams.h"
#endif

#include <thrust/execution_policy.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace test
{

using ints = std::vector<std::int32_t>;

/// When an algorithm uses a CPU policy's allocator.
enum class cpu_storage
{
  never,
  for_workers, ///< not if only the caller's thread executes
  always
};

/// The size of inputs of a function that allocates on a GPU only where there are so many tiles that an earlier kernel
/// cuts them.
#if defined(__CUDACC__)
inline constexpr std::int64_t size_of_many_tiles = 9000000;
#else
inline constexpr std::int64_t size_of_many_tiles = 200000;
#endif

/// Inputs and expected results of a call, and properties of the function.
struct policy_call
{
  std::vector<ints> inputs; ///< four at most
  ints expected;            ///< the expected output
  std::int64_t result = 0;  ///< the expected return value of run

  static constexpr bool runs_in_device_code = true; ///< plans do not
  static constexpr bool synchronises = true;        ///< even under par_nosync, as it returns a count
  static constexpr cpu_storage allocates_on_cpu = cpu_storage::for_workers;
  static constexpr bool allocates_on_gpu = true;
  static constexpr std::int64_t size_with_storage = 200000; ///< of inputs for which storage is allocated on a GPU
};

/// The inputs of a call, in memory that its policy can access.
struct call_inputs
{
  const std::int32_t* first[4];
  const std::int32_t* last[4];
  std::int64_t output_size; ///< capacity of the output

  MGPU_THRUST_HOST_DEVICE std::int64_t size(int input) const
  {
    return last[input] - first[input];
  }
};

/// A call with its inputs and its output in the memory of a policy.
template <class Policy, class Call>
class placed_call
{
public:
  explicit placed_call(const Call& call)
      : call_(call)
      , out_(call.expected.size() + 1, -7)
  {
    for (const ints& input : call.inputs)
    {
      inputs_.push_back(test::to_memory<Policy>(input));
    }
  }
  call_inputs inputs() const
  {
    call_inputs in{{}, {}, static_cast<std::int64_t>(call_.expected.size())};
    for (std::size_t i = 0; i < inputs_.size(); ++i)
    {
      in.first[i] = thrust::raw_pointer_cast(inputs_[i].data());
      in.last[i] = in.first[i] + inputs_[i].size();
    }
    return in;
  }
  std::int32_t* output()
  {
    return thrust::raw_pointer_cast(out_.data());
  }
  const memory<Policy, std::int32_t>& output_memory() const
  {
    return out_;
  }
  template <class AnyPolicy>
  std::int64_t run(const AnyPolicy& policy)
  {
    return Call::run(policy, inputs(), output());
  }
  void expect_right(std::int64_t result) const
  {
    EXPECT_EQ(result, call_.result);
    test::expect_output(out_, call_.expected, static_cast<std::int64_t>(call_.expected.size()));
  }

private:
  const Call& call_;
  std::vector<memory<Policy, std::int32_t>> inputs_;
  memory<Policy, std::int32_t> out_;
};

template <class Call>
class Policies : public testing::Test
{
};
TYPED_TEST_SUITE_P(Policies);

// Storage comes from the policy's allocator and is returned to it, whichever allocation fails, and nothing is written
// to the output before the failure.
TYPED_TEST_P(Policies, EveryAllocationFails)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const TypeParam call(TypeParam::size_with_storage);
#if defined(_OPENMP)
  omp_set_num_threads(3);
#endif
  for_each_counting_policy(
    [&](allocation_log& log, const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      constexpr bool is_serial = std::is_same_v<mgpu::detail::backend_t<policy_t>, mgpu::detail::serial_backend>;
      constexpr cpu_storage least = is_serial ? cpu_storage::always : cpu_storage::for_workers;
      placed_call<policy_t, TypeParam> placed(call);
      std::int64_t result = -1;
      const auto run = [&] { result = placed.run(policy); };
      if constexpr (on_cuda<policy_t> ? TypeParam::allocates_on_gpu : TypeParam::allocates_on_cpu >= least)
      {
        test::let_every_allocation_fail(log, placed.output_memory(), run);
      }
      else
      {
        run();
        EXPECT_EQ(log.allocations, 0);
      }
      placed.expect_right(result);
    });
}

#if defined(__CUDACC__)

TYPED_TEST_P(Policies, OfEveryKind)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const TypeParam call(TypeParam::size_with_storage);
  for_each_cuda_policy(
    [&](const auto& policy, cudaStream_t stream)
    {
      placed_call<thrust::cuda::tag, TypeParam> placed(call);
      cudaDeviceSynchronize(); // the stream does not wait for other streams
      const std::int64_t result = placed.run(policy);
      cudaStreamSynchronize(stream); // par_nosync does not synchronise
      placed.expect_right(result);
    },
    TypeParam::allocates_on_gpu);
}

template <class Call>
__global__ void run_in_a_thread(call_inputs in, std::int32_t* out, std::int64_t* result)
{
  *result = Call::run(thrust::seq, in, out);
}

TYPED_TEST_P(Policies, CalledFromDeviceCode)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  if constexpr (TypeParam::runs_in_device_code)
  {
    const TypeParam call(2000);
    placed_call<thrust::cuda::tag, TypeParam> placed(call);
    thrust::device_vector<std::int64_t> result(1);
    run_in_a_thread<TypeParam><<<1, 1>>>(placed.inputs(), placed.output(), thrust::raw_pointer_cast(result.data()));
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    placed.expect_right(result[0]);
  }
}

// A call that does not wait for its stream can be captured, if its allocator does not either.
TYPED_TEST_P(Policies, NosyncDoesNotSynchronise)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  if constexpr (!TypeParam::synchronises)
  {
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    const TypeParam call(30000);
    placed_call<thrust::cuda::tag, TypeParam> placed(call);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    const std::int64_t result = placed.run(thrust::cuda::par_nosync.on(stream));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    placed.expect_right(result);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
}

TYPED_TEST_P(Policies, ManyHostThreadsAndStreams)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_on_many_streams(
    [](int t, cudaStream_t stream)
    {
      const TypeParam call(100000 + 1000 * t);
      placed_call<thrust::cuda::tag, TypeParam> placed(call);
      cudaDeviceSynchronize(); // the stream does not wait for the inputs
      int wrong = 0;
      for (int repeat = 0; repeat < 20; ++repeat)
      {
        wrong += placed.run(thrust::cuda::par.on(stream)) != call.result;
        wrong += placed.run(thrust::cuda::par_nosync.on(stream)) != call.result;
      }
      cudaStreamSynchronize(stream);
      placed.expect_right(call.result);
      return wrong;
    });
}

REGISTER_TYPED_TEST_SUITE_P(
  Policies, EveryAllocationFails, OfEveryKind, CalledFromDeviceCode, NosyncDoesNotSynchronise,
  ManyHostThreadsAndStreams);

#else

#  if defined(_OPENMP)
struct derived_policy : thrust::omp::execution_policy<derived_policy>
{
};
#  endif

TYPED_TEST_P(Policies, OfEveryKind)
{
  const TypeParam call(100000);
  const auto check = [&](const auto& policy)
  {
    placed_call<std::decay_t<decltype(policy)>, TypeParam> placed(call);
    placed.expect_right(placed.run(policy));
  };
  check(thrust::host);
  check(thrust::device); // the device system of these tests is C++
  check(thrust::cpp::tag{});
  allocation_log log;
  counting_allocator allocator{&log};
  check(thrust::seq(allocator));
  EXPECT_EQ(log.allocations > 0, TypeParam::allocates_on_cpu == cpu_storage::always);
  EXPECT_EQ(log.live, 0);
#  if defined(_OPENMP)
  check(thrust::omp::par);
  check(derived_policy{});
#  endif
#  if MGPU_THRUST_HAS_TBB
  check(thrust::tbb::par);
#  endif
}

REGISTER_TYPED_TEST_SUITE_P(Policies, EveryAllocationFails, OfEveryKind);

#endif

} // namespace test
