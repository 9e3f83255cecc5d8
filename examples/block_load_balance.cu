// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A kernel of your own on mgpu::BlockLoadBalance: have your friends more friends than you?
//
// In a network each person is a segment, whose items are the friends. Some have hundreds, most have few, and some have
// none. With a thread for each person, a warp would wait for its most popular person. Here each thread has the same
// number of friendships, of whatever persons.
//
// You learn how a block finds the segments of a tile of items; how a thread sums up consecutive items, and writes once
// for each segment, not once for each item; and how the collective is combined with those of CUB: cub::BlockLoad loads
// the tile, and cub::BlockReduce sums the counts of the threads. A function that is called for each item, as by
// mgpu::for_each_in_segments, can do neither.

#include <mgpu_thrust/block/block_load_balance.cuh>

#include "example_support.h"

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

// ---- The kernel ----

/// A network in device memory. Person p has the friends [first_friend[p], first_friend[p + 1]).
struct device_network
{
  int num_persons;
  int num_friends; ///< total number of friends of all persons
  const int* first_friend;
  const int* friends;

  __device__ int friends_of(int person) const
  {
    return first_friend[person + 1] - first_friend[person];
  }
};

constexpr int block_threads = 64;
constexpr int items_per_thread = 5;

/// Adds to sums[p] the numbers of friends of the friends of person p, and to *more the number of friends, over all
/// persons, who have more friends than the person. Both must be 0 before.
__global__ void look_at_friends(device_network network, unsigned* sums, unsigned* more)
{
  using collective = mgpu::BlockLoadBalance<block_threads, items_per_thread>;
  using loader = cub::BlockLoad<int, block_threads, items_per_thread, cub::BLOCK_LOAD_TRANSPOSE>;
  using reducer = cub::BlockReduce<unsigned, block_threads>;
  __shared__ typename collective::TempStorage balance_storage;
  __shared__ typename loader::TempStorage loader_storage;
  __shared__ typename reducer::TempStorage reducer_storage;

  // 1. The tile: this block's friendships, and the persons that have the first and the last of them. The last offset is
  // the end of the friends, not a segment.
  const auto tile = mgpu::load_balance_tile(
    network.num_friends, network.first_friend, network.num_persons, std::int64_t{blockIdx.x} * collective::tile_items,
    collective::tile_items);

  // 2. The offsets of the friends of each person.
  collective balance(balance_storage);
  balance.Load(tile);

  // 3. The persons of the calling thread's consecutive items. The rank of a friend is not needed here.
  std::int64_t persons[items_per_thread];
  std::int64_t ranks[items_per_thread];
  balance.Blocked(persons, ranks);

  // 4. The work. BlockLoad reads coalesced, and transposes the items to the blocked arrangement of step 3.
  int friends[items_per_thread];
  loader(loader_storage).Load(network.friends + tile.first_item, friends, tile.num_items);
  unsigned with_more = 0;
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < items_per_thread; ++k)
  {
    if (collective::BlockedItem(k) < tile.num_items) // the last tile may be short
    {
      const int person = static_cast<int>(persons[k]);
      const int theirs = network.friends_of(friends[k]);
      with_more += theirs > network.friends_of(person);
      sum += theirs;

      // If the next item has another person, is another thread's or does not exist, the thread's part of this sum is
      // complete. The person may have more friends in other threads and tiles, hence an atomic addition.
      const bool is_last = k + 1 == items_per_thread || collective::BlockedItem(k + 1) >= tile.num_items;
      if (is_last || persons[k + 1 < items_per_thread ? k + 1 : k] != persons[k])
      {
        atomicAdd(&sums[person], sum);
        sum = 0;
      }
    }
  }
  const unsigned block_with_more = reducer(reducer_storage).Sum(with_more);
  if (threadIdx.x == 0)
  {
    atomicAdd(more, block_with_more);
  }
}

// ---- Networks ----

struct network
{
  std::vector<int> first_friend{0}; // one more than there are persons
  std::vector<int> friends;

  int num_persons() const
  {
    return static_cast<int>(first_friend.size()) - 1;
  }
  int friends_of(int person) const
  {
    return first_friend[person + 1] - first_friend[person];
  }
};

/// Makes a network from its friendships, each of two persons in either order. Those given twice count once, and those
/// of a person with itself not at all.
network make_network(int persons, const std::vector<std::pair<int, int>>& friendships)
{
  std::vector<std::vector<int>> lists(persons);
  for (const auto& [p, q] : friendships)
  {
    if (p != q)
    {
      lists[p].push_back(q);
      lists[q].push_back(p);
    }
  }
  network result;
  for (std::vector<int>& list : lists)
  {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    result.friends.insert(result.friends.end(), list.begin(), list.end());
    result.first_friend.push_back(static_cast<int>(result.friends.size()));
  }
  return result;
}

/// Person 0 is a friend of 1 to 5, and 1 of 2. Persons 6 and 8 have no friends; 7 and 9 are friends.
network make_small_network()
{
  return make_network(10, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {7, 9}});
}

/// Makes a random network. The lower a person's number, the more friends; more than a third of the persons have none.
/// It is the same on every machine.
network make_random_network()
{
  std::uint64_t state = 1;
  const auto below = [&](std::uint64_t limit) // splitmix64, of S. Vigna
  {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % limit;
  };
  constexpr int persons = 50000;
  std::vector<std::pair<int, int>> friendships;
  for (int i = 0; i < 150000; ++i)
  {
    const std::uint64_t p = below(1 + below(1 + below(persons))); // small numbers are more likely
    const std::uint64_t q = below(1 + below(1 + below(persons)));
    friendships.emplace_back(static_cast<int>(p), static_cast<int>(q));
  }
  return make_network(persons, friendships);
}

// ---- Friends of friends ----

struct findings
{
  std::vector<unsigned> sums; ///< for each person, the total number of friends of the person's friends
  unsigned more = 0;          ///< number of friends, over all persons, who have more friends than the person
};

findings on_the_device(const network& n)
{
  const thrust::device_vector<int> first_friend(n.first_friend);
  const thrust::device_vector<int> friends(n.friends);
  thrust::device_vector<unsigned> sums(n.num_persons());
  thrust::device_vector<unsigned> more(1);
  const auto raw = [](auto& vector) { return thrust::raw_pointer_cast(vector.data()); };
  constexpr int tile_items = block_threads * items_per_thread;
  const int num_friends = static_cast<int>(n.friends.size());
  look_at_friends<<<(num_friends + tile_items - 1) / tile_items, block_threads>>>(
    device_network{n.num_persons(), num_friends, raw(first_friend), raw(friends)}, raw(sums), raw(more));
  example::check_cuda(cudaGetLastError());
  example::check_cuda(cudaDeviceSynchronize());

  const thrust::host_vector<unsigned> host_sums(sums);
  return {std::vector<unsigned>(host_sums.begin(), host_sums.end()), more[0]};
}

/// Computes the sums and the number by two nested loops.
findings by_a_plain_loop(const network& n)
{
  findings result;
  for (int person = 0; person < n.num_persons(); ++person)
  {
    unsigned sum = 0;
    for (int i = n.first_friend[person]; i < n.first_friend[person + 1]; ++i)
    {
      const int theirs = n.friends_of(n.friends[i]);
      sum += theirs;
      result.more += theirs > n.friends_of(person);
    }
    result.sums.push_back(sum);
  }
  return result;
}

bool are_same(const findings& x, const findings& y)
{
  return x.sums == y.sums && x.more == y.more;
}

int main()
{
  example::skip_without_device();

  const network small = make_small_network();
  const findings of_small = on_the_device(small);
  std::printf("%d persons\n", small.num_persons());
  for (int person = 0; person < small.num_persons(); ++person)
  {
    std::printf(
      "  person %d: friends %d, friends of theirs %u\n", person, small.friends_of(person), of_small.sums[person]);
  }
  std::printf("  %u of %zu friends have more\n", of_small.more, small.friends.size());

  const network random = make_random_network();
  const findings of_random = on_the_device(random);
  int with_friends = 0;
  int with_popular_friends = 0;
  int most = 0;
  for (int person = 0; person < random.num_persons(); ++person)
  {
    const std::int64_t theirs = random.friends_of(person);
    most = std::max(most, random.friends_of(person));
    with_friends += theirs > 0;
    with_popular_friends += of_random.sums[person] > theirs * theirs; // on average their friends have more than they
  }
  std::printf("%d persons, of whom one has %d friends and %d have any\n", random.num_persons(), most, with_friends);
  std::printf("  %u of %zu friends have more\n", of_random.more, random.friends.size());
  std::printf("  %d persons' friends have more on average\n", with_popular_friends);

  if (!are_same(of_small, by_a_plain_loop(small)) || !are_same(of_random, by_a_plain_loop(random)))
  {
    std::printf("WRONG: a plain loop says otherwise\n");
    return 1;
  }
  return 0;
}
