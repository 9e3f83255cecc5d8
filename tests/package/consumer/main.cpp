// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A program that uses the library. It chooses a Thrust device system only if its build does; where it does not, that
// system is CUDA, and host policies must work all the same.

#include <mgpu_thrust/set_operations.h>

#include <thrust/execution_policy.h>

#include <vector>

template <class Policy>
bool intersects(const Policy& policy)
{
  const std::vector<int> a{1, 3, 3, 5};
  const std::vector<int> b{3, 5, 7};
  std::vector<int> result(3);
  result.erase(mgpu::set_intersection(policy, a.begin(), a.end(), b.begin(), b.end(), result.begin()), result.end());
  return result == std::vector<int>{3, 5};
}

int main()
{
  bool right = intersects(thrust::host);
#if THRUST_DEVICE_SYSTEM != THRUST_DEVICE_SYSTEM_CUDA
  right = right && intersects(thrust::device);
#endif
  return right ? 0 : 1;
}
