// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A family of the test shows what the door does with any: it plans once a call, and launches by that plan.

#include "support/device_calls.h"

#include <mgpu_thrust/detail/execute/device_plan.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/execute/job.h>
#include <mgpu_thrust/detail/execute/reserved_job.h>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace
{

/// Stores the number of its plan where it is told.
struct numbered_job : mgpu::detail::job_base
{
  using result_type = void;
  std::int64_t* output;

  MGPU_THRUST_HOST_DEVICE explicit numbered_job(std::int64_t* to)
      : output(to)
  {
  }
  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
  }
  void check_sizes(mgpu::detail::size_checks&) const
  {
  }
  bool is_empty() const
  {
    return false;
  }
  MGPU_THRUST_HOST_DEVICE void in_thread() const
  {
  }
  MGPU_THRUST_HOST_DEVICE numbered_job sized() const
  {
    return *this;
  }
  void empty_result() const
  {
  }
  void result() const
  {
  }
};

int plans = 0; // that have been made

} // namespace

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <>
struct device_work<numbered_job>
{
  struct plan_type : device_plan
  {
    std::int64_t number;
  };

  template <class Count>
  static plan_type plan(const numbered_job&, const Count*)
  {
    ++plans;
    return {{1, sizeof(std::int64_t)}, plans};
  }
  static cudaError_t
  launch(void* storage, const numbered_job& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    // By way of the storage, of which there must be as much as the plan says.
    const cudaError_t error = cudaMemcpyAsync(
      storage, &plan.number, plan.bytes, cudaMemcpyHostToDevice, stream); // from pageable memory: a copy
    return error != cudaSuccess ? error
                                : cudaMemcpyAsync(job.output, storage, plan.bytes, cudaMemcpyDeviceToDevice, stream);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

namespace
{

/// Calls function(job), which must make one plan, and execute the job by it.
template <class Function>
void expect_one_plan(const char* name, Function function)
{
  SCOPED_TRACE(name);
  thrust::device_vector<std::int64_t> output(1, -1);
  const int before = plans;
  function(numbered_job(test::raw(output)));
  EXPECT_EQ(plans, before + 1);
  EXPECT_EQ(output[0], plans);
}

TEST(DevicePlan, IsMadeOnceACall)
{
  const auto& policy = thrust::device;
  expect_one_plan("execute", [&](const numbered_job& job) { mgpu::detail::execute(policy, "test", job); });
  expect_one_plan("execute_n", [&](const numbered_job& job) { mgpu::detail::execute_n(policy, "test", job); });
  expect_one_plan(
    "reserved",
    [](const numbered_job& job)
    {
      auto cuda_policy = thrust::cuda::par;
      mgpu::detail::reserved_job<decltype(cuda_policy), numbered_job>(cuda_policy, "test", job).execute();
    });
}

TEST(DevicePlan, IsMadeOnceForEachPhaseOfTheDeviceLayer)
{
  thrust::device_vector<std::int64_t> output(1, -1);
  const numbered_job job(test::raw(output));
  const int before = plans;
  std::size_t bytes = 0;
  ASSERT_EQ(mgpu::detail::enqueue(nullptr, bytes, job, mgpu::detail::no_count, nullptr), cudaSuccess);
  EXPECT_EQ(plans, before + 1);
  EXPECT_GE(bytes, sizeof(std::int64_t));
  thrust::device_vector<char> storage(bytes);
  ASSERT_EQ(mgpu::detail::enqueue(test::raw(storage), bytes, job, mgpu::detail::no_count, nullptr), cudaSuccess);
  EXPECT_EQ(plans, before + 2);
  EXPECT_EQ(output[0], plans);
}

} // namespace
