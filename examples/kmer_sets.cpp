// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// How similar are two genomes? The question is answered by set operations on their k-mers, the substrings of k bases.
//
// You learn how set operations work together with Thrust's sort and transform on 64-bit keys; how the *_size_n
// functions measure an overlap without writing it; what multisets add to sets, where a sequence repeats itself; and how
// a chain of operations leaves the sizes of its results in the memory of a GPU, so that the host reads them only at its
// end.
//
// The similarity of two sets is the Jaccard index, the size of their intersection over that of their union. It gives an
// estimate of the share of bases that mutated, with no alignment of the sequences: B. D. Ondov et al.: Mash: fast
// genome and metagenome distance estimation using MinHash (2016). There the sets are sampled; here they are complete.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/read_count.h>
#include <mgpu_thrust/set_operations_n.h>
#include <mgpu_thrust/sorted_search_n.h>

#include "example_support.h"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

using base = std::uint8_t; // A, C, G and T are 0, 1, 2 and 3, so that the complement of x is 3 - x
using sequence = std::vector<base>;
using kmer = std::uint64_t;                // two bits a base, the first base highest
using kmers = thrust::device_vector<kmer>; // sorted
constexpr int k = 31;                      // odd, so that no k-mer is its own reverse complement

// ---- Two sequences, the same on every machine ----

/// The generator splitmix64 of S. Vigna. (The standard library's distributions differ between implementations.)
class random_numbers
{
public:
  explicit random_numbers(std::uint64_t seed)
      : state_(seed)
  {
  }
  std::uint64_t below(std::uint64_t limit)
  {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % limit;
  }
  base next_base() // 41 % are G or C, as in the human genome
  {
    return static_cast<base>(below(100) < 41 ? 1 + below(2) : 3 * below(2));
  }

private:
  std::uint64_t state_;
};

/// Makes random bases, with an element of 600 bases that occurs twelve times, as transposons do, and a short repeat.
sequence make_genome(random_numbers& random)
{
  sequence genome(200000);
  std::generate(genome.begin(), genome.end(), [&] { return random.next_base(); });
  const sequence transposon(genome.begin() + 1000, genome.begin() + 1600);
  for (int copy = 1; copy < 12; ++copy)
  {
    std::copy(transposon.begin(), transposon.end(), genome.begin() + 1000 + copy * 16000);
  }
  for (int i = 0; i < 120; ++i)
  {
    genome[100000 + i] = static_cast<base>(1 - i % 2); // CACACA...
  }
  return genome;
}

/// The mutations between two sequences.
struct mutations
{
  int substitutions = 0;
  int insertions = 0;
  int deletions = 0;
};

/// Makes a related sequence: 1 % of the bases substituted, a few short insertions and deletions, and one segment
/// inverted.
sequence mutate(const sequence& genome, random_numbers& random, mutations& history)
{
  sequence relative;
  for (std::size_t i = 0; i < genome.size(); ++i)
  {
    relative.push_back(genome[i]);
    if (random.below(100) == 0)
    {
      relative.back() = static_cast<base>((genome[i] + 1 + random.below(3)) % 4);
      ++history.substitutions;
    }
    if (random.below(20000) == 0)
    {
      std::generate_n(std::back_inserter(relative), 1 + random.below(10), [&] { return random.next_base(); });
      ++history.insertions;
    }
    if (random.below(20000) == 0)
    {
      i += 1 + random.below(10);
      ++history.deletions;
    }
  }
  // An inverted segment is read from the other strand: backwards, and complemented.
  std::reverse(relative.begin() + 60000, relative.begin() + 90000);
  std::transform(
    relative.begin() + 60000, relative.begin() + 90000, relative.begin() + 60000,
    [](base x) { return static_cast<base>(3 - x); });
  return relative;
}

// ---- Their k-mers ----

/// Returns the k-mer at a position in canonical form: the smaller of itself and its reverse complement. It is the same
/// for both strands, so that inversions do not matter.
struct canonical_kmer
{
  const base* bases;

  MGPU_THRUST_HOST_DEVICE kmer operator()(std::size_t position) const
  {
    kmer forward = 0;
    kmer backward = 0;
    for (int i = 0; i < k; ++i)
    {
      const kmer x = bases[position + i];
      forward = forward << 2 | x;
      backward |= (3 - x) << 2 * i;
    }
    return forward < backward ? forward : backward;
  }
};

/// Returns all k-mers of a sequence, sorted: a multiset.
kmers all_kmers(const sequence& bases)
{
  const thrust::device_vector<base> device_bases(bases.begin(), bases.end());
  kmers result(bases.size() - k + 1);
  const auto positions = thrust::make_counting_iterator(std::size_t{0});
  thrust::transform(
    thrust::device, positions, positions + result.size(), result.begin(),
    canonical_kmer{thrust::raw_pointer_cast(device_bases.data())});
  thrust::sort(thrust::device, result.begin(), result.end());
  return result;
}

std::string to_text(kmer bases)
{
  std::string text(k, ' ');
  for (int i = 0; i < k; ++i)
  {
    text[i] = "ACGT"[bases >> 2 * (k - 1 - i) & 3];
  }
  return text;
}

// ---- Operations whose sizes stay on the device ----

// Their policy. On a GPU calls are queued, and the host waits for no result. It still waits where temporary storage is
// freed; an allocator that keeps memory, like that of streams.cu, avoids that. On a CPU a call returns when it is done.
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
const auto queued = thrust::cuda::par_nosync;
#else
const auto queued = thrust::device;
#endif

using count_pointer = thrust::device_vector<std::int64_t>::pointer;
using size_on_device = mgpu::deferred<count_pointer>; // where a size will be, and what it will be at most

/// Writes one copy of each k-mer, a set, and stores its size to *count. `first_copies` is temporary storage, with room
/// for a position of each k-mer.
size_on_device distinct(const kmers& all, thrust::device_vector<int>& first_copies, kmers& set, count_pointer count)
{
  // Find the position of each k-mer's first copy: of five k-mers x x y z z these are 0 0 2 3 3. What all positions,
  // 0 1 2 3 4, have in common with them is each once: 0 2 3. The k-mers at these positions are x y z. (thrust::unique
  // would need the host, to which it returns the end of its result.)
  mgpu::sorted_lower_bound_n(queued, all.begin(), all.size(), all.begin(), all.size(), first_copies.begin());
  return mgpu::set_intersection_by_key_n(
    queued, thrust::make_counting_iterator(0), all.size(), first_copies.begin(), all.size(), all.begin(),
    thrust::make_discard_iterator(), set.begin(), count);
}

/// Stores to *count how many k-mers have more than one copy. `further_copies` is temporary storage, with room for all.
size_on_device
repeated(const kmers& all, const kmers& set, size_on_device set_size, kmers& further_copies, count_pointer count)
{
  // A multiset without its set is the second and further copies. What the set has in common with them is each k-mer
  // that has such copies, once. The second call stores its count where it reads that of the first.
  const size_on_device further_size =
    mgpu::set_difference_n(queued, all.begin(), all.size(), set.begin(), set_size, further_copies.begin(), count);
  return mgpu::set_intersection_size_n(queued, set.begin(), set_size, further_copies.begin(), further_size, count);
}

// ---- The same numbers by other means: k-mers as text, counted in a hash table ----

struct copies
{
  std::int64_t a = 0;
  std::int64_t b = 0;
};
using kmer_table = std::unordered_map<std::string, copies>;

void count_kmers(const sequence& bases, kmer_table& table, std::int64_t copies::*count)
{
  std::string forward;
  std::string backward;
  for (const base x : bases)
  {
    forward += "ACGT"[x];
    backward += "TGCA"[x];
  }
  std::reverse(backward.begin(), backward.end());
  for (std::size_t i = 0; i + k <= bases.size(); ++i)
  {
    ++(table[std::min(forward.substr(i, k), backward.substr(bases.size() - k - i, k))].*count);
  }
}

/// The numbers to find: those of distinct k-mers, and those of all k-mers with their copies.
struct overlap
{
  std::int64_t a = 0; // distinct k-mers of A
  std::int64_t b = 0;
  std::int64_t both = 0;
  std::int64_t either = 0;
  std::int64_t only_a = 0;
  std::int64_t only_b = 0;
  std::int64_t repeated_a = 0; // k-mers with more than one copy in A
  std::int64_t repeated_b = 0;
  std::int64_t both_copies = 0;   // with copies: for each k-mer the smaller of its numbers in A and B
  std::int64_t either_copies = 0; // with copies: for each k-mer the larger of its numbers in A and B

  friend bool operator==(const overlap& x, const overlap& y)
  {
    const auto fields = [](const overlap& o)
    {
      return std::tie(
        o.a, o.b, o.both, o.either, o.only_a, o.only_b, o.repeated_a, o.repeated_b, o.both_copies, o.either_copies);
    };
    return fields(x) == fields(y);
  }
};

overlap count_overlap(const kmer_table& table)
{
  overlap result;
  for (const auto& entry : table)
  {
    const copies n = entry.second;
    result.a += n.a > 0;
    result.b += n.b > 0;
    result.both += n.a > 0 && n.b > 0;
    result.either += 1;
    result.only_a += n.b == 0;
    result.only_b += n.a == 0;
    result.repeated_a += n.a > 1;
    result.repeated_b += n.b > 1;
    result.both_copies += std::min(n.a, n.b);
    result.either_copies += std::max(n.a, n.b);
  }
  return result;
}

/// Returns whether `only_a` holds k-mers of A that are not in B, in ascending order.
bool are_only_in_a(const kmers& only_a, const kmer_table& table)
{
  const thrust::host_vector<kmer> found(only_a);
  const auto is_wrong = [&](kmer x)
  {
    const auto entry = table.find(to_text(x));
    return entry == table.end() || entry->second.a == 0 || entry->second.b != 0;
  };
  return std::is_sorted(found.begin(), found.end()) && std::none_of(found.begin(), found.end(), is_wrong);
}

double ratio(std::int64_t x, std::int64_t y)
{
  return static_cast<double>(x) / static_cast<double>(y);
}

int main()
{
  example::skip_without_device();
  random_numbers random(31);
  mutations history;
  const sequence a_bases = make_genome(random);
  const sequence b_bases = mutate(a_bases, random, history);

  // 1. K-mers with their copies, and memory for what follows, as much as it can need. All calls execute one after the
  // other, so they can share what is temporary.
  const kmers a_all = all_kmers(a_bases);
  const kmers b_all = all_kmers(b_bases);
  kmers a(a_all.size()), only_a(a_all.size());
  kmers b(b_all.size()), only_b(b_all.size());
  kmers further_copies(std::max(a_all.size(), b_all.size()));
  thrust::device_vector<int> first_copies(further_copies.size());
  thrust::device_vector<std::int64_t> counts(10);
  count_pointer count = counts.data();

  // 2. Sets. Each call takes the sizes that earlier ones have returned, which are no numbers for the host yet.
  const auto a_size = distinct(a_all, first_copies, a, count++);
  const auto b_size = distinct(b_all, first_copies, b, count++);
  const auto both = mgpu::set_intersection_size_n(queued, a.begin(), a_size, b.begin(), b_size, count++);
  const auto either = mgpu::set_union_size_n(queued, a.begin(), a_size, b.begin(), b_size, count++);
  const auto only_a_size =
    mgpu::set_difference_n(queued, a.begin(), a_size, b.begin(), b_size, only_a.begin(), count++);
  const auto only_b_size =
    mgpu::set_difference_n(queued, b.begin(), b_size, a.begin(), a_size, only_b.begin(), count++);

  // 3. Multisets: the same functions on all copies.
  const auto both_copies =
    mgpu::set_intersection_size_n(queued, a_all.begin(), a_all.size(), b_all.begin(), b_all.size(), count++);
  const auto either_copies =
    mgpu::set_union_size_n(queued, a_all.begin(), a_all.size(), b_all.begin(), b_all.size(), count++);
  const auto repeated_a = repeated(a_all, a, a_size, further_copies, count++);
  const auto repeated_b = repeated(b_all, b, b_size, further_copies, count++);

  // 4. Only here does the host read sizes: the first of them waits for all that is queued.
  const auto read = [](const size_on_device& size) { return mgpu::read_count(queued, size); };
  overlap result;
  result.a = read(a_size);
  result.b = read(b_size);
  result.both = read(both);
  result.either = read(either);
  result.only_a = read(only_a_size);
  result.only_b = read(only_b_size);
  result.repeated_a = read(repeated_a);
  result.repeated_b = read(repeated_b);
  result.both_copies = read(both_copies);
  result.either_copies = read(either_copies);
  only_a.resize(result.only_a);
  only_b.resize(result.only_b);

  // 5. The mutation rate. Two k-mers are the same if none of their k bases mutated; Mash solves that for the rate.
  const double jaccard = ratio(result.both, result.either);
  const double mash_distance = -1.0 / k * std::log(2 * jaccard / (1 + jaccard));
  const int events = history.substitutions + history.insertions + history.deletions;
  const auto number = [](std::int64_t n) { return static_cast<long long>(n); };
  std::printf("Sequence A: %zu bases, %zu k-mers of %d bases\n", a_bases.size(), a_all.size(), k);
  std::printf("  distinct:                  %lld\n", number(result.a));
  std::printf("  more than once:            %lld\n", number(result.repeated_a));
  std::printf(
    "  not in B:                  %lld, the first is %s\n", number(result.only_a), to_text(only_a[0]).c_str());
  std::printf("Sequence B: %zu bases, %zu k-mers\n", b_bases.size(), b_all.size());
  std::printf("  distinct:                  %lld\n", number(result.b));
  std::printf("  more than once:            %lld\n", number(result.repeated_b));
  std::printf(
    "  not in A:                  %lld, the first is %s\n", number(result.only_b), to_text(only_b[0]).c_str());
  std::printf("Sets of distinct k-mers\n");
  std::printf("  in both:                   %lld\n", number(result.both));
  std::printf("  in either:                 %lld\n", number(result.either));
  std::printf("  Jaccard index:             %.4f\n", jaccard);
  std::printf("  share of A that is in B:   %.4f\n", ratio(result.both, result.a));
  std::printf("  share of B that is in A:   %.4f\n", ratio(result.both, result.b));
  std::printf("Multisets of all k-mers\n");
  std::printf("  in both:                   %lld\n", number(result.both_copies));
  std::printf("  in either:                 %lld\n", number(result.either_copies));
  std::printf("  weighted Jaccard index:    %.4f\n", ratio(result.both_copies, result.either_copies));
  std::printf("Mutations a base\n");
  std::printf("  estimated from Jaccard:    %.4f\n", mash_distance);
  std::printf(
    "  true:                      %.4f (%d substitutions, %d insertions, %d deletions)\n",
    ratio(events, static_cast<std::int64_t>(a_bases.size())), history.substitutions, history.insertions,
    history.deletions);

  // 6. Check.
  kmer_table table;
  count_kmers(a_bases, table, &copies::a);
  count_kmers(b_bases, table, &copies::b);
  if (!(result == count_overlap(table)) || !are_only_in_a(only_a, table))
  {
    std::printf("WRONG: a hash table of the k-mers says otherwise\n");
    return 1;
  }
  return 0;
}
