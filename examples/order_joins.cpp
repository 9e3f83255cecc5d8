// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Joins of two tables as in the TPC-H benchmark: orders, and the items of these orders.
//
// You learn how queries become joins whose results are columns. An order has no item or up to seven; both tables are
// sorted by the order's key, which is how a database stores them. There are three queries:
//   - What was the revenue of each year? An inner join gives every item the date of its order. Its outputs write the
//     year and the price after discount of a row; the row numbers are stored nowhere.
//   - Which orders were delivered late? A semi join keeps the orders that have an item that came after the promised
//     day; its output writes the priority of these orders.
//   - Which orders have no item? An anti join, and a left join, whose rows for these orders have -1 for the item.
//
// The tables are made from a hash of the row's number, so the answers are the same everywhere; they are compared with
// those of a loop over both tables. The number of rows joined per second is printed to the standard error stream.
//
// Usage: order_joins [ORDERS], the number of orders, 150,000 if it is left out.

#include <mgpu_thrust/join.h>
#include <mgpu_thrust/semi_join.h>

#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

// ---- The tables ----

constexpr int first_year = 1992;
constexpr int years = 7;
constexpr int days = 2406; // from the first of 1992 to the second of August 1998
constexpr int most_items = 7;
constexpr int num_priorities = 5;
constexpr std::array<const char*, num_priorities> priorities{
  "1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"};

/// Returns a pseudorandom number that depends on `value` and `column`.
MGPU_THRUST_HOST_DEVICE std::uint32_t hash(std::uint64_t value, std::uint64_t column)
{
  std::uint64_t bits = value * 8 + column + 1;
  bits = (bits ^ (bits >> 31)) * 0x9E3779B97F4A7C15ull;
  bits = (bits ^ (bits >> 29)) * 0xBF58476D1CE4E5B9ull;
  return static_cast<std::uint32_t>((bits ^ (bits >> 32)) >> 8);
}

/// The columns of the orders, each a function of an order's number.
struct order_key
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t order) const
  {
    return order / 8 * 32 + order % 8; // eight keys in a row, then none for 24, as TPC-H has it
  }
};
struct order_day
{
  MGPU_THRUST_HOST_DEVICE int operator()(std::int64_t order) const
  {
    return static_cast<int>(hash(order, 0) % days);
  }
};
struct order_priority
{
  MGPU_THRUST_HOST_DEVICE int operator()(std::int64_t order) const
  {
    return static_cast<int>(hash(order, 1) % num_priorities);
  }
};

/// The number of items of an order: one to seven, but none for one order in fifty.
struct items_of_order
{
  MGPU_THRUST_HOST_DEVICE int operator()(std::int64_t order) const
  {
    return hash(order, 2) % 50 == 0 ? 0 : static_cast<int>(hash(order, 3) % most_items) + 1;
  }
};

/// The columns of the items, each a function of an item's number.
struct item_price // in cents
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t item) const
  {
    return 90000 + hash(item, 4) % 10000000;
  }
};
struct item_discount // in percent
{
  MGPU_THRUST_HOST_DEVICE int operator()(std::int64_t item) const
  {
    return static_cast<int>(hash(item, 5) % 11);
  }
};
struct item_delay // days from the promised one to that of receipt
{
  MGPU_THRUST_HOST_DEVICE int operator()(std::int64_t item) const
  {
    return static_cast<int>(hash(item, 6) % 90) - 80;
  }
};

template <class Value, class Make>
thrust::device_vector<Value> make_column(std::int64_t size, Make make)
{
  const auto first = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), make);
  return thrust::device_vector<Value>(first, first + size);
}

struct order_table
{
  thrust::device_vector<std::int64_t> keys; // in ascending order
  thrust::device_vector<int> days;
  thrust::device_vector<int> priorities;

  explicit order_table(std::int64_t size)
      : keys(make_column<std::int64_t>(size, order_key{}))
      , days(make_column<int>(size, order_day{}))
      , priorities(make_column<int>(size, order_priority{}))
  {
  }
};

struct item_table
{
  thrust::device_vector<std::int64_t> order_keys; // in ascending order
  thrust::device_vector<std::int64_t> prices;
  thrust::device_vector<int> discounts;
  thrust::device_vector<int> delays;

  explicit item_table(std::int64_t orders)
      : order_keys(make_order_keys(orders))
      , prices(make_column<std::int64_t>(order_keys.size(), item_price{}))
      , discounts(make_column<int>(order_keys.size(), item_discount{}))
      , delays(make_column<int>(order_keys.size(), item_delay{}))
  {
  }

private:
  static std::vector<std::int64_t> make_order_keys(std::int64_t orders)
  {
    std::vector<std::int64_t> keys;
    for (std::int64_t order = 0; order < orders; ++order)
    {
      keys.insert(keys.end(), items_of_order{}(order), order_key{}(order));
    }
    return keys;
  }
};

// ---- Functions of a row's number, whose results an output writes instead ----

/// Returns the year of a day.
MGPU_THRUST_HOST_DEVICE int year_of(int day)
{
  return first_year + day * 4 / 1461; // 1992 and 1996 are leap years
}

struct year_of_order
{
  const int* order_days;

  MGPU_THRUST_HOST_DEVICE int operator()(std::int64_t row) const
  {
    return year_of(order_days[row]);
  }
};

/// Returns a price after discount, in hundredths of a cent, so that no discount is rounded.
struct revenue_of_item
{
  const std::int64_t* prices;
  const int* discounts;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t row) const
  {
    return prices[row] * (100 - discounts[row]);
  }
};

struct priority_of_order
{
  const int* priorities;

  MGPU_THRUST_HOST_DEVICE int operator()(std::int64_t row) const
  {
    return priorities[row];
  }
};

struct is_late
{
  MGPU_THRUST_HOST_DEVICE bool operator()(int delay) const
  {
    return delay > 0;
  }
};

struct is_no_row
{
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t row) const
  {
    return row < 0;
  }
};

// ---- The queries ----

/// Calls f several times, and prints the number of rows of both tables that it joined per second.
template <class Function>
void report_speed(const char* name, std::size_t rows, Function f)
{
  double seconds = 1e9;
  for (int repeat = 0; repeat < 3; ++repeat)
  {
    const auto begin = std::chrono::steady_clock::now();
    f();
    seconds = std::min(seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::fprintf(
    stderr, "%s: %zu rows in %.3f ms, %.0f million rows a second\n", name, rows, 1e3 * seconds,
    1e-6 * static_cast<double>(rows) / seconds);
}

using answers = std::vector<std::int64_t>; // a number for each year or priority

answers revenue_by_year(const order_table& orders, const item_table& items)
{
  const std::int64_t size = mgpu::inner_join_size(
    thrust::device, orders.keys.begin(), orders.keys.end(), items.order_keys.begin(), items.order_keys.end());
  thrust::device_vector<int> order_years(size);
  thrust::device_vector<std::int64_t> revenues(size);
  const auto write_year = thrust::make_transform_output_iterator(
    order_years.begin(), year_of_order{thrust::raw_pointer_cast(orders.days.data())});
  const auto write_revenue = thrust::make_transform_output_iterator(
    revenues.begin(),
    revenue_of_item{thrust::raw_pointer_cast(items.prices.data()), thrust::raw_pointer_cast(items.discounts.data())});
  report_speed(
    "inner join", orders.keys.size() + items.order_keys.size(),
    [&]
    {
      mgpu::inner_join(
        thrust::device, orders.keys.begin(), orders.keys.end(), items.order_keys.begin(), items.order_keys.end(),
        write_year, write_revenue);
    });

  thrust::sort_by_key(thrust::device, order_years.begin(), order_years.end(), revenues.begin());
  thrust::device_vector<int> found_years(years);
  thrust::device_vector<std::int64_t> sums(years);
  const auto ends = thrust::reduce_by_key(
    thrust::device, order_years.begin(), order_years.end(), revenues.begin(), found_years.begin(), sums.begin());
  answers result(years, 0);
  for (std::ptrdiff_t i = 0; i < ends.first - found_years.begin(); ++i)
  {
    result[found_years[i] - first_year] = sums[i];
  }
  return result;
}

answers late_orders_by_priority(const order_table& orders, const item_table& items)
{
  // The orders' keys of the items that came late are still in ascending order.
  thrust::device_vector<std::int64_t> late(items.order_keys.size());
  late.erase(
    thrust::copy_if(
      thrust::device, items.order_keys.begin(), items.order_keys.end(), items.delays.begin(), late.begin(), is_late{}),
    late.end());
  thrust::device_vector<int> found(orders.keys.size());
  const auto write_priority = thrust::make_transform_output_iterator(
    found.begin(), priority_of_order{thrust::raw_pointer_cast(orders.priorities.data())});
  std::ptrdiff_t size = 0;
  report_speed(
    "semi join", orders.keys.size() + late.size(),
    [&]
    {
      size = mgpu::semi_join(
               thrust::device, orders.keys.begin(), orders.keys.end(), late.begin(), late.end(), write_priority)
             - write_priority;
    });
  answers result;
  for (int priority = 0; priority < num_priorities; ++priority)
  {
    result.push_back(thrust::count(thrust::device, found.begin(), found.begin() + size, priority));
  }
  return result;
}

/// Returns the rows of the orders that have no item.
thrust::host_vector<std::int64_t> empty_orders(const order_table& orders, const item_table& items)
{
  thrust::device_vector<std::int64_t> rows(orders.keys.size());
  std::ptrdiff_t size = 0;
  report_speed(
    "anti join", orders.keys.size() + items.order_keys.size(),
    [&]
    {
      size = mgpu::anti_join(
               thrust::device, orders.keys.begin(), orders.keys.end(), items.order_keys.begin(), items.order_keys.end(),
               rows.begin())
             - rows.begin();
    });
  rows.resize(size);
  return rows;
}

/// Returns the number of rows of a left join that have no item.
std::int64_t rows_without_item(const order_table& orders, const item_table& items)
{
  const std::int64_t size = mgpu::left_join_size(
    thrust::device, orders.keys.begin(), orders.keys.end(), items.order_keys.begin(), items.order_keys.end());
  thrust::device_vector<std::int64_t> item_rows(size);
  report_speed(
    "left join", orders.keys.size() + items.order_keys.size(),
    [&]
    {
      mgpu::left_join(
        thrust::device, orders.keys.begin(), orders.keys.end(), items.order_keys.begin(), items.order_keys.end(),
        thrust::make_discard_iterator(), item_rows.begin());
    });
  return thrust::count_if(thrust::device, item_rows.begin(), item_rows.end(), is_no_row{});
}

// ---- The same answers, by a loop over both tables ----

struct expected_answers
{
  answers revenue = answers(years, 0);
  answers late = answers(num_priorities, 0);
  std::vector<std::int64_t> empty;

  explicit expected_answers(std::int64_t orders)
  {
    std::int64_t item = 0;
    for (std::int64_t order = 0; order < orders; ++order)
    {
      bool has_late_item = false;
      const std::int64_t end = item + items_of_order{}(order);
      if (item == end)
      {
        empty.push_back(order);
      }
      for (; item < end; ++item)
      {
        revenue[year_of(order_day{}(order)) - first_year] += item_price{}(item) * (100 - item_discount{}(item));
        has_late_item = has_late_item || item_delay{}(item) > 0;
      }
      late[order_priority{}(order)] += has_late_item;
    }
  }
};

/// Converts a number for printf.
long long number(std::int64_t n)
{
  return n;
}

int main(int argc, char** argv)
{
  example::skip_without_device();
  try
  {
    const std::int64_t num_orders = argc > 1 ? std::atoll(argv[1]) : 150000;
    if (argc > 2 || num_orders < 1)
    {
      throw std::runtime_error("usage: order_joins [ORDERS]");
    }
    const order_table orders(num_orders);
    const item_table items(num_orders);
    std::printf("%zu orders, %zu items\n", orders.keys.size(), items.order_keys.size());

    const answers revenue = revenue_by_year(orders, items);
    std::printf("\nRevenue by year\n");
    for (int year = 0; year < years; ++year)
    {
      std::printf(
        "%d %16lld.%02d\n", first_year + year, number(revenue[year] / 10000),
        static_cast<int>(revenue[year] / 100 % 100));
    }

    const answers late = late_orders_by_priority(orders, items);
    std::printf("\nOrders with a late item, by priority\n");
    for (int priority = 0; priority < num_priorities; ++priority)
    {
      std::printf("%-15s %8lld\n", priorities[priority], number(late[priority]));
    }

    const thrust::host_vector<std::int64_t> empty = empty_orders(orders, items);
    const std::int64_t without_item = rows_without_item(orders, items);
    std::printf(
      "\n%zu orders have no item, the first of them order %lld.\n", empty.size(),
      number(empty.empty() ? -1 : order_key{}(empty[0])));

    const expected_answers expected(num_orders);
    const bool is_right = revenue == expected.revenue && late == expected.late
                          && std::vector<std::int64_t>(empty.begin(), empty.end()) == expected.empty
                          && without_item == static_cast<std::int64_t>(empty.size());
    std::printf("The answers are %s.\n", is_right ? "right" : "WRONG");
    return is_right ? 0 : 1;
  }
  catch (const std::exception& error)
  {
    std::printf("%s\n", error.what());
    return 1;
  }
}
