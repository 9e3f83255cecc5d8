// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Eight calls for Python: set operations, searches and as-of joins of sorted arrays, and sums of segments.
//
// You learn how a language with arrays of its own calls the library. Arrays come in by DLPack without a copy, results
// are arrays of the caller's library, and the policy follows the device of the arrays. README.md shows the calls.

#include <mgpu_thrust/asof_join.h>
#include <mgpu_thrust/segmented_reduce.h>
#include <mgpu_thrust/segmented_scan.h>
#include <mgpu_thrust/set_operations.h>
#include <mgpu_thrust/sorted_search.h>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <thrust/execution_policy.h>
#if defined(_OPENMP)
#  include <thrust/system/omp/execution_policy.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace nb = nanobind;

/// A one-dimensional array of Python: its elements where they are, and the object that owns them.
template <class T>
struct array : nb::ndarray<T, nb::ndim<1>, nb::c_contig>
{
  nb::object object;

  T* begin() const
  {
    return this->data();
  }
  T* end() const
  {
    return begin() + this->size();
  }
};

namespace nanobind::detail
{

/// An array of other elements is none, rather than converted: a conversion would be a copy.
template <class T>
struct type_caster<array<T>>
{
  using elements_caster = make_caster<ndarray<T, ndim<1>, c_contig>>;
  NB_TYPE_CASTER(array<T>, elements_caster::Name)

  template <class Flags>
  bool from_python(handle source, Flags flags, cleanup_list* cleanup) noexcept
  {
    elements_caster elements;
    if (!elements.from_python(source, flags & ~static_cast<Flags>(cast_flags::convert), cleanup))
    {
      return false;
    }
    value = {elements.value, borrow(source)};
    return true;
  }
};

} // namespace nanobind::detail

namespace
{

using nb::literals::operator""_a;

/// An array without values, of the library that `like` belongs to and on its device: NumPy, CuPy or torch.
template <class T>
array<T> make_array(const nb::object& like, std::size_t size)
{
  const char* const name = std::is_same_v<T, bool> ? "bool" : std::is_same_v<T, double> ? "float64" : "int64";
  const nb::str module{nb::object(like.type().attr("__module__"))};
  const std::string_view path = module.c_str();
  const nb::module_ library = nb::module_::import_(nb::str(path.data(), std::min(path.find('.'), path.size())).c_str());
  return nb::cast<array<T>>(
    nb::hasattr(like, "new_empty") ? like.attr("new_empty")(size, "dtype"_a = library.attr(name)) // torch
                                   : library.attr("empty")(size, "dtype"_a = name));
}

#if defined(__CUDACC__)
/// Temporary storage in the order of a stream.
struct stream_allocator
{
  using value_type = char;
  cudaStream_t stream;

  char* allocate(std::ptrdiff_t bytes)
  {
    void* memory = nullptr;
    if (cudaMallocAsync(&memory, bytes, stream) != cudaSuccess)
    {
      throw std::bad_alloc();
    }
    return static_cast<char*>(memory);
  }
  void deallocate(char* memory, std::size_t)
  {
    cudaFreeAsync(memory, stream);
  }
};

/// What the pool of the current device holds stays there when a stream is waited for.
void keep_memory()
{
  cudaMemPool_t pool;
  std::uint64_t bytes = UINT64_MAX;
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess)
  {
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes);
  }
}
#endif

/// Calls f with the policy for a device of DLPack.
template <class F>
std::size_t call_on(int device_type, [[maybe_unused]] std::uintptr_t stream, const F& f)
{
  const nb::gil_scoped_release unlocked; // other threads of Python may run
#if defined(__CUDACC__)
  if (device_type == nb::device::cuda::value)
  {
    const auto cuda_stream = reinterpret_cast<cudaStream_t>(stream);
    return f(thrust::cuda::par_nosync(stream_allocator{cuda_stream}).on(cuda_stream));
  }
#endif
  if (device_type != nb::device::cpu::value)
  {
    throw std::invalid_argument("mgpu_arrays: this build has no policy for the device of the arrays");
  }
#if defined(_OPENMP)
  return f(thrust::omp::par);
#else
  return f(thrust::host);
#endif
}

/// Returns an array of `Out` with what call(policy, begin and end of a, begin and end of b, begin of the result) writes
/// there: `room` elements at most.
template <class Out, class A, class B, class Call>
nb::object compute(const array<A>& a, const array<B>& b, std::size_t room, std::uintptr_t stream, const Call& call)
{
  if (a.device_type() != b.device_type() || a.device_id() != b.device_id())
  {
    throw std::invalid_argument("mgpu_arrays: the arrays are on different devices");
  }
  const auto out = make_array<Out>(a.object, room);
  const std::size_t size = call_on(
    a.device_type(), stream,
    [&](const auto& policy) {
      return static_cast<std::size_t>(call(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin()) - out.begin());
    });
  return size == room ? out.object : nb::object(out.object[nb::slice(nb::int_(0), nb::int_(size), nb::none())]);
}

/// Whether `name` is the second one of two choices.
bool is_second(std::string_view name, std::string_view first, std::string_view second)
{
  if (name != first && name != second)
  {
    throw std::invalid_argument(
      std::string(name) + " is neither " + std::string(first) + " nor " + std::string(second));
  }
  return name == second;
}

/// The calls for arrays of T.
template <class T>
struct calls
{
  using keys = const array<const T>&;
  using offsets = const array<const std::int64_t>&;
  using index = std::int64_t;
  using stream = std::uintptr_t; ///< of CUDA

  static nb::object intersect1d(keys a, keys b, stream at)
  {
    const auto room = std::min(a.size(), b.size());
    return compute<T>(a, b, room, at, [](const auto&... all) { return mgpu::set_intersection(all...); });
  }
  static nb::object union1d(keys a, keys b, stream at)
  {
    const auto room = a.size() + b.size();
    return compute<T>(a, b, room, at, [](const auto&... all) { return mgpu::set_union(all...); });
  }
  static nb::object setdiff1d(keys a, keys b, stream at)
  {
    return compute<T>(a, b, a.size(), at, [](const auto&... all) { return mgpu::set_difference(all...); });
  }
  static nb::object isin(keys element, keys test_elements, stream at)
  {
    return compute<bool>(
      test_elements, element, element.size(), at, [](const auto&... all) { return mgpu::sorted_contains(all...); });
  }
  static nb::object searchsorted(keys a, keys v, const char* side, stream at)
  {
    const bool is_right = is_second(side, "left", "right");
    return compute<index>(
      a, v, v.size(), at,
      [=](const auto&... all)
      { return is_right ? mgpu::sorted_upper_bound(all...) : mgpu::sorted_lower_bound(all...); });
  }
  static nb::object asof_join(keys left, keys right, const char* direction, stream at)
  {
    const bool is_forward = is_second(direction, "backward", "forward");
    return compute<index>(
      left, right, left.size(), at,
      [=](const auto&... all)
      { return is_forward ? mgpu::asof_join(all..., mgpu::forward) : mgpu::asof_join(all..., mgpu::backward); });
  }
  static nb::object segmented_sum(keys values, offsets starts, stream at)
  {
    const auto segments = starts.size() - (starts.size() > 0); // the last offset is the end of the last one
    return compute<T>(
      values, starts, segments, at,
      [=](const auto& policy, auto first, auto last, auto starts_first, auto, T* out)
      { return mgpu::segmented_reduce(policy, first, last, starts_first, starts_first + segments, out); });
  }
  static nb::object segmented_scan(keys values, offsets starts, stream at)
  {
    return compute<T>(
      values, starts, values.size(), at, [](const auto&... all) { return mgpu::segmented_inclusive_scan(all...); });
  }
  static std::uintptr_t address(keys a)
  {
    return reinterpret_cast<std::uintptr_t>(a.begin());
  }

  static void add_to(nb::module_& module)
  {
    const auto at = "stream"_a = 0;
    module.def("intersect1d", intersect1d, "a"_a, "b"_a, at);
    module.def("union1d", union1d, "a"_a, "b"_a, at);
    module.def("setdiff1d", setdiff1d, "a"_a, "b"_a, at);
    module.def("isin", isin, "element"_a, "test_elements"_a, at);
    module.def("searchsorted", searchsorted, "a"_a, "v"_a, "side"_a = "left", at);
    module.def("asof_join", asof_join, "left"_a, "right"_a, "direction"_a = "backward", at);
    module.def("segmented_sum", segmented_sum, "values"_a, "offsets"_a, at);
    module.def("segmented_scan", segmented_scan, "values"_a, "offsets"_a, at);
    module.def("address", address, "a"_a);
  }
};

} // namespace

NB_MODULE(mgpu_arrays, module)
{
#if defined(__CUDACC__)
  keep_memory();
#endif
  calls<std::int64_t>::add_to(module);
  calls<double>::add_to(module);
}
