// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Every algorithm, with key and index types that are prone to conversion warnings: integers that arithmetic promotes,
// unsigned integers, and structures. It is compiled with more warnings than the tests, and not executed.

#include "../support/every_family.h"

#include <cstdint>

template <class Policy>
void call(const Policy& policy)
{
  test::results_of_every_family<std::int16_t, std::int16_t, test::as_pointers>(policy, 100, ::cuda::std::less<>{});
  test::results_of_every_family<char, std::uint32_t, test::as_pointers>(policy, 100, ::cuda::std::less<>{});
  test::results_of_every_family<float, unsigned char, test::as_pointers>(policy, 100, ::cuda::std::greater<>{});
  test::results_of_every_family<std::uint64_t, std::uint64_t, test::as_pointers>(policy, 100, ::cuda::std::greater<>{});
}

void call_all()
{
  call(thrust::seq);
#if defined(_OPENMP)
  call(thrust::omp::par);
#endif
#if MGPU_THRUST_HAS_TBB
  call(thrust::tbb::par);
#endif
}
