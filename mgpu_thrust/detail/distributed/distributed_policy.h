// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The policy of a call over ranks.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/backend.h>

#include <thrust/execution_policy.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The ranks of a communicator, which must outlive this object; each executes its own part under `Policy`.
template <class Communicator, class Policy>
class distributed_policy : public thrust::execution_policy<distributed_policy<Communicator, Policy>>
{
public:
  distributed_policy(Communicator& communicator, const Policy& policy)
      : communicator_(&communicator)
      , local_(policy)
  {
  }
  Communicator& communicator() const
  {
    return *communicator_;
  }
  Policy& local()
  {
    return local_;
  }

private:
  Communicator* communicator_;
  Policy local_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
