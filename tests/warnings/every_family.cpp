// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Every algorithm, with key and index types that are prone to conversion warnings: integers that arithmetic promotes,
// unsigned integers, and structures. It is compiled with more warnings than the tests, and not executed.

#include "../support/every_family.h"

#include <cstdint>

template <class Key, class Index, class Compare, class Policy>
void call(const Policy& policy)
{
  test::results_of_every_family<Key, Index, test::as_pointers>(policy, 100, Compare{});
}

void call_all()
{
  // What several workers execute does not depend on their system, and has the serial functions in it.
#if defined(_OPENMP)
  const auto& workers = thrust::omp::par;
#elif MGPU_THRUST_HAS_TBB
  const auto& workers = thrust::tbb::par;
#else
  const auto& workers = thrust::seq;
#endif
  call<std::int16_t, std::int16_t, ::cuda::std::less<>>(workers);
  call<char, std::uint32_t, ::cuda::std::less<>>(thrust::seq);
  call<float, unsigned char, ::cuda::std::greater<>>(thrust::seq);
  call<std::uint64_t, std::uint64_t, ::cuda::std::greater<>>(workers);
}
