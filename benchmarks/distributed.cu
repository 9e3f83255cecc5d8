// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Merges, set operations, searches, joins and sorts of int over several GPUs, by the clock of a caller who waits.
/// Beside them: what each GPU does alone, the time of NCCL for the same bytes, and one GPU that sorts everything.
///
///     benchmark_distributed [--out=FILE] [--commit=SHA] [GPUS] [N...]
///
/// GPUS is the number of GPUs, 2 if it is missing, and N are numbers of elements a GPU, as 2^28. The file is JSON for
/// charts.py, as other benchmarks write it with --pairs.

#include "caching_allocator.h"
#include "distributions.h"

#include <mgpu_thrust/asof_join.h>
#include <mgpu_thrust/distributed.h>
#include <mgpu_thrust/distributed/nccl_communicator.cuh>
#include <mgpu_thrust/join.h>
#include <mgpu_thrust/multiway_merge.h>
#include <mgpu_thrust/semi_join.h>
#include <mgpu_thrust/set_operations.h>
#include <mgpu_thrust/sorted_search.h>

#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/tabulate.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace mgpu_benchmark
{

inline void check_nccl(ncclResult_t result)
{
  if (result != ncclSuccess)
  {
    throw std::runtime_error(ncclGetErrorString(result));
  }
}

constexpr int calls_over_gpus = 11; ///< of which the median is taken

/// Times of calls and of what stands beside them, for charts.py.
class result_file
{
public:
  /// Adds a call, and the time of a peer that the chart has. The time of a peer that was not measured is 0.
  void add(
    int num_gpus, const char* peer, const char* operation, const char* distribution, std::int64_t n, double call,
    double peer_time)
  {
    if (peer_time > 0)
    {
      char row[512];
      std::snprintf(
        row, sizeof(row),
        R"({"name": "gpu/nccl:%d/mgpu_beside_%s/%s/%d_gpus/i32/%s/n:%lld", "real_time": %.6f, "time_unit": "ms", )"
        R"("peer_ms": %.6f, "ratio": %.6f})",
        num_gpus, peer, operation, num_gpus, distribution, static_cast<long long>(n), call, peer_time,
        peer_time / call);
      rows_.emplace_back(row);
    }
  }
  void set_copy(double gigabytes_per_second)
  {
    copy_ = gigabytes_per_second;
  }
  void write(const std::string& path, const std::string& commit, const std::string& machine, int num_gpus) const
  {
    std::ofstream file(path);
    file << "{\"context\": {\"machine\": \"" << machine << "\", \"commit\": \"" << commit
         << "\", \"pairs\": \"wait\", \"copy_gigabytes_per_second/gpu:" << num_gpus << "\": \"" << copy_
         << "\"},\n \"benchmarks\": [";
    for (std::size_t i = 0; i < rows_.size(); ++i)
    {
      file << (i == 0 ? "\n  " : ",\n  ") << rows_[i];
    }
    file << "]}\n";
    if (!file.flush())
    {
      throw std::runtime_error("cannot write " + path);
    }
  }

private:
  std::vector<std::string> rows_;
  double copy_ = 0;
};

/// A communicator that notes when a call over ranks begins to look for cuts, when it has confirmed them, and when
/// elements have moved.
class timed_communicator
{
public:
  using clock = std::chrono::steady_clock;

  explicit timed_communicator(mgpu::nccl_communicator& communicator)
      : communicator_(communicator)
  {
  }
  int rank() const
  {
    return communicator_.rank();
  }
  int size() const
  {
    return communicator_.size();
  }
  void reserve(std::size_t bytes)
  {
    communicator_.reserve(bytes);
    cuts_begin = clock::now();
  }
  void all_gather(const void* send, void* receive, std::size_t bytes)
  {
    communicator_.all_gather(send, receive, bytes);
    cuts_end = clock::now();
  }
  void group_start()
  {
    communicator_.group_start();
  }
  template <class Policy>
  void send(const thrust::execution_policy<Policy>& exec, const void* data, std::size_t bytes, int peer)
  {
    communicator_.send(exec, data, bytes, peer);
  }
  template <class Policy>
  void recv(const thrust::execution_policy<Policy>& exec, void* data, std::size_t bytes, int peer)
  {
    communicator_.recv(exec, data, bytes, peer);
  }
  template <class Policy>
  void group_end(const thrust::execution_policy<Policy>& exec)
  {
    communicator_.group_end(exec);
    exchange_end = clock::now();
  }
  void abort()
  {
    communicator_.abort();
  }

  clock::time_point cuts_begin;
  clock::time_point cuts_end;
  clock::time_point exchange_end;

private:
  mgpu::nccl_communicator& communicator_;
};

/// A rank of the benchmark: a GPU, a stream, an allocator.
class gpu_rank
{
public:
  gpu_rank(mgpu::nccl_communicator& communicator, result_file& results)
      : communicator_(communicator)
      , results_(results)
  {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  gpu_rank(const gpu_rank&) = delete;
  gpu_rank& operator=(const gpu_rank&) = delete;
  ~gpu_rank()
  {
    cudaStreamDestroy(stream_);
  }

  mgpu::nccl_communicator& communicator()
  {
    return communicator_;
  }
  int rank() const
  {
    return communicator_.rank();
  }
  int size() const
  {
    return communicator_.size();
  }
  /// Notes a call for charts, on one rank.
  void
  note(const char* peer, const char* operation, const char* distribution, std::int64_t n, double call, double peer_time)
  {
    if (rank() == 0)
    {
      results_.add(size(), peer, operation, distribution, n, call, peer_time);
    }
  }
  void note_copy(double gigabytes_per_second)
  {
    if (rank() == 0)
    {
      results_.set_copy(gigabytes_per_second);
    }
  }
  cudaStream_t stream() const
  {
    return stream_;
  }
  auto local()
  {
    return thrust::cuda::par(allocator_).on(stream_);
  }
  auto over()
  {
    return mgpu::over(communicator_, local());
  }
  void wait() const
  {
    check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }
  /// The largest value of all ranks.
  double max_of_ranks(double value)
  {
    std::vector<double> values(static_cast<std::size_t>(size()));
    communicator_.all_gather(&value, values.data(), sizeof(value));
    return *std::max_element(values.begin(), values.end());
  }
  /// Milliseconds of a call that all ranks make: of the slowest rank, and the median of the calls.
  double time(const std::function<void()>& prepare, const std::function<void()>& call)
  {
    std::vector<double> times;
    for (int i = -2; i < calls_over_gpus; ++i)
    {
      prepare();
      wait();
      communicator_.all_gather(nullptr, nullptr, 0);
      const auto begin = std::chrono::steady_clock::now();
      call();
      wait();
      const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
      const double slowest = max_of_ranks(passed.count());
      if (i >= 0)
      {
        times.push_back(slowest);
      }
    }
    std::nth_element(times.begin(), times.begin() + calls_over_gpus / 2, times.end());
    return times[calls_over_gpus / 2];
  }
  double time(const std::function<void()>& call)
  {
    return time([] {}, call);
  }
  /// Milliseconds of the parts of a call over ranks, which gets a policy for them: before the cuts, the cuts, the
  /// exchange, and what follows; each of the slowest rank, and the median of the calls.
  template <class Call>
  std::vector<double> time_parts(const std::function<void()>& prepare, Call call)
  {
    timed_communicator timed(communicator_);
    std::vector<std::vector<double>> parts(4);
    for (int i = -2; i < calls_over_gpus; ++i)
    {
      prepare();
      wait();
      communicator_.all_gather(nullptr, nullptr, 0);
      const auto begin = timed_communicator::clock::now();
      call(mgpu::over(timed, local()));
      wait();
      const auto end = timed_communicator::clock::now();
      const auto milliseconds = [](auto from, auto to)
      { return std::chrono::duration<double, std::milli>(to - from).count(); };
      const double of_call[] = {
        milliseconds(begin, timed.cuts_begin), milliseconds(timed.cuts_begin, timed.cuts_end),
        milliseconds(timed.cuts_end, timed.exchange_end), milliseconds(timed.exchange_end, end)};
      for (std::size_t part = 0; part < parts.size(); ++part)
      {
        const double slowest = max_of_ranks(of_call[part]);
        if (i >= 0)
        {
          parts[part].push_back(slowest);
        }
      }
    }
    std::vector<double> medians;
    for (std::vector<double>& times : parts)
    {
      std::nth_element(times.begin(), times.begin() + calls_over_gpus / 2, times.end());
      medians.push_back(times[calls_over_gpus / 2]);
    }
    return medians;
  }
  /// Milliseconds of sends and receives of NCCL, of as many elements as counts(peer) says, each way; the first of them
  /// from and to element `first` of an aligned buffer.
  double time_exchange(const std::function<std::int64_t(int)>& counts, std::int64_t first = 0)
  {
    std::int64_t total = first;
    for (int peer = 0; peer < size(); ++peer)
    {
      total += peer == rank() ? 0 : counts(peer);
    }
    const thrust::device_vector<int> sent(static_cast<std::size_t>(total));
    thrust::device_vector<int> received(static_cast<std::size_t>(total));
    return time(
      [&]
      {
        std::int64_t begin = first;
        check_nccl(ncclGroupStart());
        for (int peer = 0; peer < size(); ++peer)
        {
          const std::int64_t count = peer == rank() ? 0 : counts(peer);
          if (count > 0)
          {
            const ncclComm_t comm = communicator_.native_handle();
            const auto bytes = static_cast<std::size_t>(count) * sizeof(int);
            check_nccl(ncclSend(thrust::raw_pointer_cast(sent.data()) + begin, bytes, ncclInt8, peer, comm, stream_));
            check_nccl(
              ncclRecv(thrust::raw_pointer_cast(received.data()) + begin, bytes, ncclInt8, peer, comm, stream_));
            begin += count;
          }
        }
        check_nccl(ncclGroupEnd());
      });
  }

private:
  mgpu::nccl_communicator& communicator_;
  result_file& results_; ///< of rank 0
  cudaStream_t stream_{};
  caching_allocator allocator_;
};

/// Prints a line of the table, on one rank.
void print_times(
  const gpu_rank& gpu, std::int64_t n, const char* name, double call, double local, double exchange, double one_gpu)
{
  if (gpu.rank() == 0)
  {
    std::printf("%11lld  %-22s %9.3f %9.3f %9.3f ", static_cast<long long>(n), name, call, local, exchange);
    std::printf(local + exchange > 0 ? "%7.2f" : "      -", call / (local + exchange));
    std::printf(one_gpu > 0 ? " %9.3f %7.2f\n" : "         -       -\n", one_gpu, one_gpu / call);
    std::fflush(stdout);
  }
}

/// Prints the parts of a call.
void print_parts(const gpu_rank& gpu, const std::vector<double>& parts)
{
  if (gpu.rank() == 0)
  {
    std::printf(
      "%13sparts: before the cuts %.3f, cuts %.3f, exchange %.3f, after it %.3f ms\n", "", parts[0], parts[1], parts[2],
      parts[3]);
  }
}

/// A random key of all bits but the sign.
struct random_key
{
  std::int64_t first;

  MGPU_THRUST_HOST_DEVICE int operator()(std::int64_t i) const
  {
    return static_cast<int>(random_bits(static_cast<std::uint64_t>(first + i)) >> 33);
  }
};
/// A few keys.
struct one_of_16_keys
{
  std::int64_t first;

  MGPU_THRUST_HOST_DEVICE int operator()(std::int64_t i) const
  {
    return static_cast<int>(random_bits(static_cast<std::uint64_t>(first + i)) >> 60);
  }
};
/// Element i of a sequence that ascends by 2, or of the same sequence for up to 2^30 elements in all.
struct ascending_key
{
  std::int64_t first;

  MGPU_THRUST_HOST_DEVICE int operator()(std::int64_t i) const
  {
    return static_cast<int>((first + i) >> 1);
  }
};

/// The elements of both inputs that a GPU brings, n in all, about half of them in each; a part is not where it belongs.
struct brought_parts
{
  std::int64_t half;
  std::int64_t moved;
  std::int64_t a_count;
  std::int64_t b_count;
  std::int64_t a_first;
  std::int64_t b_first;

  /// Even ranks have more of A, and their neighbours more of B, by as much.
  brought_parts(const gpu_rank& gpu, std::int64_t n, int percent_misplaced)
      : half(n / 2)
      , moved((gpu.rank() ^ 1) < gpu.size() ? n * percent_misplaced / 100 : 0)
  {
    const bool is_even = gpu.rank() % 2 == 0;
    a_count = is_even ? half + moved : half - moved;
    b_count = n - a_count;
    a_first = gpu.rank() * half + (is_even ? 0 : moved);
    b_first = gpu.rank() * half - (is_even ? 0 : moved);
  }
};

/// Merges of n elements a GPU, of which a part is not where it belongs.
void measure_merges(gpu_rank& gpu, std::int64_t n, int percent_misplaced, const char* name, const char* distribution)
{
  const brought_parts parts(gpu, n, percent_misplaced);
  const std::int64_t moved = parts.moved;
  const std::int64_t a_count = parts.a_count;
  const std::int64_t b_count = parts.b_count;
  thrust::device_vector<int> a(static_cast<std::size_t>(a_count));
  thrust::device_vector<int> b(static_cast<std::size_t>(b_count));
  thrust::device_vector<int> out(static_cast<std::size_t>(n));
  thrust::tabulate(gpu.local(), a.begin(), a.end(), ascending_key{parts.a_first});
  thrust::tabulate(gpu.local(), b.begin(), b.end(), ascending_key{parts.b_first});
  const int* const a_keys = thrust::raw_pointer_cast(a.data());
  const int* const b_keys = thrust::raw_pointer_cast(b.data());
  int* const out_keys = thrust::raw_pointer_cast(out.data());
  const double local =
    gpu.time([&] { mgpu::merge(gpu.local(), a_keys, a_keys + a_count, b_keys, b_keys + b_count, out_keys); });
  const double exchange =
    moved == 0 ? 0 : gpu.time_exchange([&](int peer) { return peer == (gpu.rank() ^ 1) ? moved : 0; });
  const double call =
    gpu.time([&] { mgpu::merge(gpu.over(), a_keys, a_keys + a_count, b_keys, b_keys + b_count, out_keys); });
  if (
    !thrust::is_sorted(gpu.local(), out.begin(), out.end())
    || out.front() != static_cast<int>(gpu.rank() * parts.half >> 1))
  {
    throw std::runtime_error("the merge is wrong");
  }
  print_times(gpu, n, name, call, local, exchange, 0);
  gpu.note("local_and_nccl", "merge", distribution, n, call, local + exchange);
  print_parts(
    gpu, gpu.time_parts(
           [] {},
           [&](const auto& exec) { mgpu::merge(exec, a_keys, a_keys + a_count, b_keys, b_keys + b_count, out_keys); }));

  // The cuts alone.
  if (percent_misplaced == 0)
  {
    auto policy = gpu.local();
    const auto time_cuts = [&](mgpu::cut_path path)
    {
      return gpu.time(
        [&]
        {
          using cuts_type = mgpu::distributed_cuts<int, ::cuda::std::less<>>;
          cuts_type cuts(
            "merge", gpu.rank(), gpu.size(),
            {mgpu::detail::make_piece(policy, "merge", a_keys, a_count),
             mgpu::detail::make_piece(policy, "merge", b_keys, b_count)},
            n, {}, mgpu::piece_order::ascending_by_rank, cuts_type::default_max_bytes, 0, path);
          mgpu::detail::find_cuts(gpu.communicator(), cuts, [] {});
        });
    };
    print_times(gpu, n, "cuts of a merge", time_cuts(mgpu::cut_path::merge), 0, 0, 0);
    print_times(gpu, n, "on the balanced path", time_cuts(mgpu::cut_path::balanced), 0, 0, 0);
    print_times(gpu, n, "of a join", time_cuts(mgpu::cut_path::merge_and_copies), 0, 0, 0);

    // What a round of the cuts is made of.
    constexpr std::int64_t num_samples = 2048;
    std::vector<int> samples(num_samples);
    std::vector<int> of_all(num_samples * static_cast<std::size_t>(gpu.size()));
    std::vector<std::int64_t> positions(num_samples);
    for (std::int64_t i = 0; i < num_samples; ++i)
    {
      positions[static_cast<std::size_t>(i)] = i * a_count / num_samples;
    }
    const double message =
      gpu.time([&] { gpu.communicator().all_gather(samples.data(), of_all.data(), num_samples * sizeof(int)); });
    print_times(gpu, n, "message of 2048", message, 0, 0, 0);
    const auto piece = mgpu::detail::make_piece(policy, "merge", a_keys, a_count);
    const double read = gpu.time([&] { piece.read(positions.data(), num_samples, samples.data()); });
    print_times(gpu, n, "read of 2048 samples", read, 0, 0, 0);
  }
}

/// Element i of a sequence whose keys are even, each 4 times.
struct even_key
{
  std::int64_t first;

  MGPU_THRUST_HOST_DEVICE int operator()(std::int64_t i) const
  {
    return static_cast<int>((first + i) >> 2 << 1);
  }
};

/// Keys that match are twice in A, so a join of n elements has n rows, and a GPU has a part of a key's rows more.
constexpr std::int64_t max_rows_of_key = 8;

/// Where the results of a call are.
enum class results_are
{
  where_they_arise,
  where_a_is_from
};

/// A set operation, a join or a search of n elements a GPU, of which a part is not where it belongs. Half of A has
/// matches, and half of B. `call(policy, a, a_end, b, b_end, result)` executes it.
template <class Call>
void measure_matches(
  gpu_rank& gpu, std::int64_t n, int percent_misplaced, const char* name, const char* operation,
  const char* distribution, results_are place, Call call)
{
  const brought_parts parts(gpu, n, percent_misplaced);
  thrust::device_vector<int> a(static_cast<std::size_t>(parts.half + parts.moved));
  thrust::device_vector<int> b(static_cast<std::size_t>(n - parts.half + parts.moved));
  thrust::device_vector<int> out(static_cast<std::size_t>(n + max_rows_of_key));
  int* const a_keys = thrust::raw_pointer_cast(a.data());
  int* const b_keys = thrust::raw_pointer_cast(b.data());
  int* const out_keys = thrust::raw_pointer_cast(out.data());
  const auto call_under = [&](const auto& exec, std::int64_t a_count, std::int64_t b_count)
  { return call(exec, a_keys, a_keys + a_count, b_keys, b_keys + b_count, out_keys) - out_keys; };

  // The work of a GPU: as much as it has where nothing is misplaced.
  const std::int64_t first = gpu.rank() * parts.half;
  thrust::tabulate(gpu.local(), a_keys, a_keys + parts.half, ascending_key{first});
  thrust::tabulate(gpu.local(), b_keys, b_keys + parts.half, even_key{first});
  std::int64_t local_size = 0;
  const double local = gpu.time([&] { local_size = call_under(gpu.local(), parts.half, parts.half); });

  thrust::tabulate(gpu.local(), a_keys, a_keys + parts.a_count, ascending_key{parts.a_first});
  thrust::tabulate(gpu.local(), b_keys, b_keys + parts.b_count, even_key{parts.b_first});
  const double one_way =
    parts.moved == 0 ? 0 : gpu.time_exchange([&](int peer) { return peer == (gpu.rank() ^ 1) ? parts.moved : 0; });
  const double exchange = place == results_are::where_a_is_from ? 2 * one_way : one_way;
  std::int64_t size = 0;
  const double time = gpu.time([&] { size = call_under(gpu.over(), parts.a_count, parts.b_count); });
  // A key at a border of GPUs may give its copies to either.
  const bool is_size_right =
    place == results_are::where_a_is_from ? size == parts.a_count : std::abs(size - local_size) <= max_rows_of_key;
  if (!thrust::is_sorted(gpu.local(), out_keys, out_keys + size) || !is_size_right)
  {
    throw std::runtime_error("the result is wrong");
  }
  print_times(gpu, n, name, time, local, exchange, 0);
  gpu.note("local_and_nccl", operation, distribution, n, time, local + exchange);
  print_parts(
    gpu, gpu.time_parts([] {}, [&](const auto& exec) { (void) call_under(exec, parts.a_count, parts.b_count); }));
}

void measure_sets(gpu_rank& gpu, std::int64_t n, int percent_misplaced, const char* distribution)
{
  const std::string misplaced = percent_misplaced > 0 ? ", misplaced" : ", aligned";
  const auto measure = [&](const char* name, const char* operation, results_are place, auto call)
  { measure_matches(gpu, n, percent_misplaced, (name + misplaced).c_str(), operation, distribution, place, call); };
  measure(
    "intersection", "set_intersection", results_are::where_they_arise,
    [](const auto&... arguments) { return mgpu::set_intersection(arguments...); });
  measure(
    "union", "set_union", results_are::where_they_arise,
    [](const auto&... arguments) { return mgpu::set_union(arguments...); });
  measure(
    "lower bounds", "sorted_lower_bound", results_are::where_a_is_from,
    [](const auto& exec, const int* a, const int* a_end, const int* b, const int* b_end, int* result)
    { return mgpu::sorted_lower_bound(exec, b, b_end, a, a_end, result); });
  measure(
    "as-of join", "asof_join", results_are::where_a_is_from,
    [](const auto& exec, const int* a, const int* a_end, const int* b, const int* b_end, int* result)
    { return mgpu::asof_join(exec, a, a_end, b, b_end, result, mgpu::backward); });
  measure(
    "semi join", "semi_join", results_are::where_they_arise,
    [](const auto&... arguments) { return mgpu::semi_join(arguments...); });
  thrust::device_vector<int> right_rows(static_cast<std::size_t>(n + max_rows_of_key));
  measure(
    "inner join", "inner_join", results_are::where_they_arise,
    [&](const auto&... arguments)
    { return mgpu::inner_join(arguments..., thrust::raw_pointer_cast(right_rows.data())).first; });
}

/// Sorts of n elements a GPU.
template <class MakeKey>
void measure_sorts(gpu_rank& gpu, std::int64_t n, const char* name, const char* distribution, bool has_one_gpu)
{
  const std::int64_t all = n * gpu.size();
  const auto ranks = static_cast<std::int64_t>(gpu.size());
  thrust::device_vector<int> source(static_cast<std::size_t>(n));
  thrust::device_vector<int> keys(static_cast<std::size_t>(n));
  thrust::tabulate(gpu.local(), source.begin(), source.end(), MakeKey{gpu.rank() * n});
  const auto restore = [&] { thrust::copy(gpu.local(), source.begin(), source.end(), keys.begin()); };
  int* const first = thrust::raw_pointer_cast(keys.data());
  const double local_sort = std::min(
    gpu.time(restore, [&] { mgpu::sort(gpu.local(), first, first + n); }),
    gpu.time(restore, [&] { thrust::sort(gpu.local(), first, first + n); }));
  std::vector<std::int64_t> offsets;
  for (std::int64_t run = 0; run < ranks; ++run)
  {
    offsets.push_back(run * n / ranks);
    const auto begin = keys.begin() + run * n / ranks;
    const auto end = keys.begin() + (run + 1) * n / ranks;
    thrust::copy(gpu.local(), source.begin() + run * n / ranks, source.begin() + (run + 1) * n / ranks, begin);
    thrust::sort(gpu.local(), begin, end);
  }
  double local_merge = 0;
  {
    const thrust::device_vector<std::int64_t> runs(offsets.begin(), offsets.end());
    thrust::device_vector<int> out(static_cast<std::size_t>(n));
    local_merge = gpu.time(
      [&]
      {
        mgpu::merge_runs(
          gpu.local(), first, first + n, thrust::raw_pointer_cast(runs.data()),
          thrust::raw_pointer_cast(runs.data()) + ranks, thrust::raw_pointer_cast(out.data()));
      });
  }
  const auto equal_parts = [&](int) { return n / ranks; };
  const double exchange = gpu.time_exchange(equal_parts);
  const double unaligned_exchange = gpu.time_exchange(equal_parts, 1);
  // About as much as the parts of random keys differ. NCCL chooses its channels by size, so parts about a power of 2
  // may have different numbers of them.
  const std::int64_t difference = std::min<std::int64_t>(4096, n / ranks / 4 * 4);
  const double uneven_exchange =
    gpu.time_exchange([&](int peer) { return n / ranks + ((gpu.rank() + peer) % 2 == 0 ? difference : -difference); });
  const double call = gpu.time(restore, [&] { mgpu::sort(gpu.over(), first, first + n); });
  if (!thrust::is_sorted(gpu.local(), keys.begin(), keys.end()))
  {
    throw std::runtime_error("the sort is wrong");
  }
  double one_gpu = 0;
  double thrust_sort = 0;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const bool lacks_room = static_cast<double>(free_bytes) < 14.0 * static_cast<double>(all); // keys, and two storages
  has_one_gpu = has_one_gpu && gpu.max_of_ranks(lacks_room) == 0;
  if (has_one_gpu)
  {
    thrust::device_vector<int> whole(static_cast<std::size_t>(gpu.rank() == 0 ? all : 0));
    const auto restore_whole = [&] { thrust::tabulate(gpu.local(), whole.begin(), whole.end(), MakeKey{0}); };
    one_gpu = gpu.time(restore_whole, [&] { mgpu::sort(gpu.local(), whole.begin(), whole.end()); });
    thrust_sort = gpu.time(restore_whole, [&] { thrust::sort(gpu.local(), whole.begin(), whole.end()); });
  }
  print_times(gpu, n, name, call, local_sort + local_merge, exchange, one_gpu);
  gpu.note("local_and_nccl", "sort", distribution, n, call, local_sort + local_merge + exchange);
  gpu.note("one_gpu", "sort", distribution, n, call, one_gpu);
  gpu.note("thrust_by_digits", "sort", distribution, n, call, thrust_sort);
  if (gpu.rank() == 0)
  {
    std::printf("%13s of these a local sort %.3f, a local merge %.3f ms", "", local_sort, local_merge);
    std::printf(
      has_one_gpu ? "; thrust::sort of all on one GPU %.3f ms: %.2f\n" : "\n", thrust_sort, thrust_sort / call);
  }
  print_parts(gpu, gpu.time_parts(restore, [&](const auto& exec) { mgpu::sort(exec, first, first + n); }));

  // The exchange with the copy of a rank's own part, as a sort has it, and the copy alone.
  const auto own_bytes = static_cast<std::size_t>(n / ranks) * sizeof(int);
  const int* const sent = thrust::raw_pointer_cast(source.data());
  const double whole_exchange = gpu.time(
    [&]
    {
      mgpu::nccl_communicator& communicator = gpu.communicator();
      communicator.group_start();
      for (int peer = 0; peer < gpu.size(); ++peer)
      {
        communicator.send(gpu.local(), sent + peer * (n / ranks), own_bytes, peer);
        communicator.recv(gpu.local(), first + peer * (n / ranks), own_bytes, peer);
      }
      communicator.group_end(gpu.local());
    });
  const double copy =
    gpu.time([&] { cudaMemcpyAsync(first, sent, own_bytes, cudaMemcpyDeviceToDevice, gpu.stream()); });
  gpu.note_copy(2e-6 * static_cast<double>(own_bytes) / copy);
  // What it costs to allocate and free storage in each call.
  const double with_allocation = gpu.time(
    restore, [&] { mgpu::sort(mgpu::over(gpu.communicator(), thrust::cuda::par.on(gpu.stream())), first, first + n); });
  if (gpu.rank() == 0)
  {
    std::printf(
      "%13sthe exchange with the copy of the own part %.3f, the copy alone %.3f ms\n", "", whole_exchange, copy);
    std::printf(
      "%13sNCCL alone from and to addresses that are not aligned to 16 bytes %.3f ms\n", "", unaligned_exchange);
    std::printf("%13sNCCL alone where parts differ by some thousand elements %.3f ms\n", "", uneven_exchange);
    std::printf("%13sthe call with storage from cudaMalloc %.3f ms\n", "", with_allocation);
    std::fflush(stdout);
  }
}

void measure_all(mgpu::nccl_communicator& communicator, const std::vector<std::int64_t>& sizes, result_file& results)
{
  for (const std::int64_t n : sizes)
  {
    gpu_rank gpu(communicator, results); // its allocator returns what another size needed
    measure_merges(gpu, n, 0, "merge, aligned", "aligned");
    measure_merges(gpu, n, 10, "merge, 10 % misplaced", "misplaced");
    measure_sets(gpu, n, 0, "aligned");
    measure_sets(gpu, n, 10, "misplaced");
    measure_sorts<random_key>(gpu, n, "sort, random", "random", true);
    measure_sorts<one_of_16_keys>(gpu, n, "sort, 16 keys", "16_keys", false);
  }
}

int run_over_gpus(int argc, char** argv)
{
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
  {
    std::printf("no CUDA device\n");
    return EXIT_SUCCESS;
  }
  std::string out;
  std::string commit;
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i)
  {
    const std::string argument = argv[i];
    if (argument.rfind("--out=", 0) == 0)
    {
      out = argument.substr(6);
    }
    else if (argument.rfind("--commit=", 0) == 0)
    {
      commit = argument.substr(9);
    }
    else
    {
      arguments.push_back(argument);
    }
  }
  const int used = std::min(devices, arguments.empty() ? 2 : std::stoi(arguments[0]));
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 1; i < arguments.size(); ++i)
  {
    const std::string& size = arguments[i];
    sizes.push_back(size.rfind("2^", 0) == 0 ? std::int64_t{1} << std::stoi(size.substr(2)) : std::stoll(size));
  }
  if (sizes.empty())
  {
    sizes = {std::int64_t{1} << 20, std::int64_t{1} << 28};
  }
  std::vector<int> numbers(static_cast<std::size_t>(used));
  std::iota(numbers.begin(), numbers.end(), 0);
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  int version = 0;
  ncclGetVersion(&version);
  std::printf("%d GPUs: %s, NCCL %d, int, milliseconds\n", used, properties.name, version);
  std::printf(
    "%11s  %-22s %9s %9s %9s %7s %9s %7s\n", "n a GPU", "call", "time", "local", "NCCL", "ratio", "one GPU",
    "speed-up");
  result_file results;
  mgpu::run_on_gpus(numbers, [&](mgpu::nccl_communicator& communicator) { measure_all(communicator, sizes, results); });
  if (!out.empty())
  {
    const std::string name = properties.name; // such as NVIDIA H100 80GB HBM3
    results.write(out, commit, name.substr(0, name.find(' ', name.find(' ') + 1)), used);
  }
  return EXIT_SUCCESS;
}

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  try
  {
    return mgpu_benchmark::run_over_gpus(argc, argv);
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
