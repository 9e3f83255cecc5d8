// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Joins trades with the last quote before each, where parts of both tables lie on several ranks: threads of one
// process, or processes over MPI or NCCL (ranks_of_example.h).
//
// You learn how mgpu::asof_join finds rows over ranks, whose numbers count all quotes, and how a rank then fetches a
// column of these rows from the ranks that have it, by the communicator's own send and recv. Both tables are in the
// order of time, but cut at different times. A plain loop over whole tables checks the result.

#include <mgpu_thrust/distributed.h>

#include "example_support.h"
#include "hash_of_number.h"
#include "ranks_of_example.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

// Whole tables, of which each rank makes its part. The first trades are before all quotes.
constexpr std::int64_t num_trades = 100000;
constexpr std::int64_t num_quotes = 300000;

int time_of_trade(int trade)
{
  return 3 * trade + static_cast<int>(example::hash_of_number(trade) % 3);
}
int time_of_quote(int quote)
{
  return 100 + quote / 3 * 3;
}
int price_of_quote(int quote)
{
  return 10000 + static_cast<int>(example::hash_of_number(quote) % 100);
}

/// Rows [first, last) of a table.
struct row_range
{
  int first, last;

  thrust::device_vector<int> column(int (*value_of)(int)) const
  {
    std::vector<int> values;
    for (int row = first; row < last; ++row)
    {
      values.push_back(value_of(row));
    }
    return thrust::device_vector<int>(values.begin(), values.end());
  }
};

/// Returns the rows `needed` of a column, from the ranks that have them.
template <class Communicator>
thrust::device_vector<int>
fetch(Communicator& comm, const thrust::device_vector<int>& column, const row_range& mine, const row_range& needed)
{
  const row_range own[2]{mine, needed};
  std::vector<row_range> all(2 * comm.size());
  comm.all_gather(own, all.data(), sizeof(own));
  thrust::device_vector<int> received(needed.last - needed.first);
  const auto common = [](const row_range& a, const row_range& b) {
    return row_range{std::max(a.first, b.first), std::min(a.last, b.last)};
  };
  comm.group_start();
  for (int peer = 0; peer < comm.size(); ++peer)
  {
    const row_range sent = common(mine, all[2 * peer + 1]);
    const row_range wanted = common(needed, all[2 * peer]);
    if (sent.first < sent.last)
    {
      const int* const begin = thrust::raw_pointer_cast(column.data()) + (sent.first - mine.first);
      comm.send(thrust::device, begin, (sent.last - sent.first) * sizeof(int), peer);
    }
    if (wanted.first < wanted.last)
    {
      int* const begin = thrust::raw_pointer_cast(received.data()) + (wanted.first - needed.first);
      comm.recv(thrust::device, begin, (wanted.last - wanted.first) * sizeof(int), peer);
    }
  }
  comm.group_end(thrust::device);
  return received;
}

/// The price of a row, or 0 of none.
struct price_of_row
{
  const int* prices;
  int first_row;

  MGPU_THRUST_HOST_DEVICE int operator()(int row) const
  {
    return row < 0 ? 0 : prices[row - first_row];
  }
};

/// What a plain loop finds for some trades.
std::vector<int> expected_prices(const row_range& trades)
{
  std::vector<int> prices;
  int next_quote = 0;
  for (int trade = trades.first; trade < trades.last; ++trade)
  {
    while (next_quote < num_quotes && time_of_quote(next_quote) <= time_of_trade(trade))
    {
      ++next_quote;
    }
    prices.push_back(next_quote == 0 ? 0 : price_of_quote(next_quote - 1));
  }
  return prices;
}

/// What each rank does. Returns whether the prices of all are right.
template <class Communicator>
bool join_parts(Communicator& comm)
{
  const std::int64_t rank = comm.rank();
  const std::int64_t size = comm.size();
  const auto first_trade = [&](std::int64_t r) { return static_cast<int>(num_trades * r / size); };
  const auto first_quote = [&](std::int64_t r) { return static_cast<int>(num_quotes * r * r / (size * size)); };
  const row_range trades{first_trade(rank), first_trade(rank + 1)};
  const row_range quotes{first_quote(rank), first_quote(rank + 1)}; // later ranks have more

  const auto ranks = mgpu::over(comm, thrust::device);
  const thrust::device_vector<int> trade_times = trades.column(time_of_trade);
  const thrust::device_vector<int> quote_times = quotes.column(time_of_quote);
  thrust::device_vector<int> rows(trade_times.size());
  mgpu::asof_join(
    ranks, trade_times.begin(), trade_times.end(), quote_times.begin(), quote_times.end(), rows.begin(),
    mgpu::backward);

  // Rows ascend, so this rank needs those from the first to the last.
  const bool has_row = !rows.empty() && rows.back() >= 0;
  const row_range needed = has_row ? row_range{std::max<int>(rows.front(), 0), rows.back() + 1} : row_range{0, 0};
  const thrust::device_vector<int> fetched = fetch(comm, quotes.column(price_of_quote), quotes, needed);
  thrust::device_vector<int> prices(rows.size());
  thrust::transform(
    rows.begin(), rows.end(), prices.begin(), price_of_row{thrust::raw_pointer_cast(fetched.data()), needed.first});

  std::vector<int> found(prices.size());
  thrust::copy(prices.begin(), prices.end(), found.begin());
  const char is_right = found == expected_prices(trades);
  std::vector<char> are_right(size);
  comm.all_gather(&is_right, are_right.data(), 1);
  const bool all_right = std::count(are_right.begin(), are_right.end(), 1) == size;
  if (rank == size - 1)
  {
    std::printf(
      "the last of %d ranks has %d trades, and quotes %d to %d; it needs %d to %d\n%s\n", static_cast<int>(size),
      trades.last - trades.first, quotes.first, quotes.last - 1, needed.first, needed.last - 1,
      all_right ? "all ranks have found the prices that a loop finds" : "prices are wrong");
  }
  return all_right;
}

int main()
{
  return example::run_on_ranks([](auto& comm) { return join_parts(comm); });
}
