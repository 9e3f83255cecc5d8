#pragma once
#include <mgpu_thrust/detail/config.h>
MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{
template <class Input, class Output, class T, class Op> struct segment_reduction { Input input; Output output; T init; Op op; };
}
MGPU_THRUST_NAMESPACE_END
