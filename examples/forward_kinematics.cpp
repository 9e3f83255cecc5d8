// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Forward kinematics of many chains: where is each link of each robot arm, or each atom of each side chain of a
// molecule, if one knows how every link is turned and moved relative to the one before?
//
// You learn how to scan chains of any lengths in one call. The transform of a link relative to its base is the
// composition of the transforms up to it: an inclusive scan by an operator that does not commute, in segments. The pose
// of the bases is `init`, the leftmost operand in every chain.
//
// Links need not be stored chain after chain: permutation iterators read and write them wherever they are. And reverse
// iterators scan from the tips: the load on a joint is the sum of all weights from its link to the tip.
//
// First come two arms, printed; then many chains, and one of 20,000 links, compared with a serial loop.

#include <mgpu_thrust/segmented_scan.h>

#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/permutation_iterator.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

// ---- Rigid transforms ----

struct vector3
{
  double x, y, z;
};

/// A rotation by a unit quaternion, and then a translation: 56 bytes.
struct pose
{
  double w, x, y, z;
  vector3 move;
};

MGPU_THRUST_HOST_DEVICE vector3 apply(const pose& t, const vector3& v)
{
  const double a = 2 * (t.y * v.z - t.z * v.y); // twice the cross product of the quaternion's vector and v
  const double b = 2 * (t.z * v.x - t.x * v.z);
  const double c = 2 * (t.x * v.y - t.y * v.x);
  return {
    v.x + t.w * a + t.y * c - t.z * b + t.move.x, v.y + t.w * b + t.z * a - t.x * c + t.move.y,
    v.z + t.w * c + t.x * b - t.y * a + t.move.z};
}

/// Composes the transform of a link's parent with that of the link relative to its parent. It does not commute.
struct compose
{
  MGPU_THRUST_HOST_DEVICE pose operator()(const pose& p, const pose& q) const
  {
    return {
      p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
      p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, apply(p, q.move)};
  }
};

/// A joint that turns by an angle about an axis, a unit vector, and then a link of this length.
pose make_link(double angle, const vector3& axis, double length)
{
  const double sine = std::sin(angle / 2);
  pose result{std::cos(angle / 2), sine * axis.x, sine * axis.y, sine * axis.z, {0, 0, 0}};
  result.move = apply(result, {length, 0, 0});
  return result;
}

// ---- Two arms ----

constexpr double right_angle = 1.5707963267948966;
constexpr vector3 up{0, 0, 1};
constexpr vector3 left{0, 1, 0};

/// Rounds for printing, without a sign of zero.
double rounded(double number)
{
  return std::round(1000 * number) / 1000 + 0.0;
}

void show_two_arms()
{
  const thrust::device_vector<int> arms{0, 3}; // the first has three links, the second two
  thrust::device_vector<pose> links{
    make_link(0, up, 2), make_link(right_angle, up, 1), make_link(-right_angle, left, 1), make_link(right_angle, up, 1),
    make_link(right_angle, up, 1)};
  const pose base{1, 0, 0, 0, {0, 0, 10}}; // all arms are mounted at a height of 10
  mgpu::segmented_inclusive_scan(
    thrust::device, links.begin(), links.end(), arms.begin(), arms.end(), links.begin(), base, compose{});

  const thrust::device_vector<int> weights{5, 3, 1, 4, 2}; // of the links
  const thrust::device_vector<int> arms_from_end{0, 2};    // the second arm comes first
  thrust::device_vector<int> loads(5);
  mgpu::segmented_inclusive_scan(
    thrust::device, weights.rbegin(), weights.rend(), arms_from_end.begin(), arms_from_end.end(), loads.rbegin());

  const thrust::host_vector<pose> poses = links;
  const thrust::host_vector<int> weight_on_joint = loads;
  std::printf("arm  link  its end is at             weight on its joint\n");
  for (std::size_t i = 0; i < poses.size(); ++i)
  {
    std::printf(
      "%3d  %4d  %7.3f %7.3f %7.3f  %10d\n", i < 3 ? 1 : 2, static_cast<int>(i < 3 ? i : i - 3) + 1,
      rounded(poses[i].move.x), rounded(poses[i].move.y), rounded(poses[i].move.z), weight_on_joint[i]);
  }
}

// ---- Many chains ----

struct chains
{
  std::vector<std::int64_t> offsets; // where each chain begins
  std::vector<std::int32_t> places;  // of the links, chain after chain, in `links`
  std::vector<pose> links;           // in any order
};

/// Makes 5000 chains of 0 to 79 links, and one of 20,000 among them. Links are stored in random order.
chains make_chains()
{
  std::mt19937 random(1); // which gives the same numbers everywhere
  chains result;
  std::int64_t size = 0;
  for (int chain = 0; chain < 5001; ++chain)
  {
    result.offsets.push_back(size);
    size += chain == 2000 ? 20000 : static_cast<std::int64_t>(random() % 80);
  }
  result.places.resize(size);
  std::iota(result.places.begin(), result.places.end(), 0);
  for (std::int64_t i = size - 1; i > 0; --i)
  {
    std::swap(result.places[i], result.places[random() % (i + 1)]);
  }
  const vector3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, 0.8, 0}};
  for (std::int64_t i = 0; i < size; ++i)
  {
    const double angle = static_cast<double>(random() % 4096) / 1024;
    const double length = static_cast<double>(random() % 1024) / 1024;
    result.links.push_back(make_link(angle, axes[random() % 4], length));
  }
  return result;
}

/// Returns the pose of each link in the coordinates of its chain's base, where the link is stored.
std::vector<pose> find_poses(const chains& host)
{
  const thrust::device_vector<std::int64_t> offsets(host.offsets.begin(), host.offsets.end());
  const thrust::device_vector<std::int32_t> places(host.places.begin(), host.places.end());
  thrust::device_vector<pose> poses(host.links.begin(), host.links.end());
  const auto in_order = thrust::make_permutation_iterator(poses.begin(), places.begin());
  mgpu::segmented_inclusive_scan(
    thrust::device, in_order, in_order + static_cast<std::int64_t>(places.size()), offsets.begin(), offsets.end(),
    in_order, compose{});
  std::vector<pose> result(host.links.size());
  thrust::copy(poses.begin(), poses.end(), result.begin());
  return result;
}

std::vector<pose> serial_poses(const chains& in)
{
  std::vector<pose> result(in.links.size());
  for (std::size_t chain = 0; chain < in.offsets.size(); ++chain)
  {
    const std::int64_t begin = in.offsets[chain];
    const std::int64_t end =
      chain + 1 < in.offsets.size() ? in.offsets[chain + 1] : static_cast<std::int64_t>(in.links.size());
    for (std::int64_t i = begin; i < end; ++i)
    {
      const pose& link = in.links[in.places[i]];
      result[in.places[i]] = i == begin ? link : compose{}(result[in.places[i - 1]], link);
    }
  }
  return result;
}

/// Returns whether positions differ by no more than rounding in another order does.
bool agree(const std::vector<pose>& x, const std::vector<pose>& y)
{
  return std::equal(
    x.begin(), x.end(), y.begin(), y.end(),
    [](const pose& p, const pose& q)
    {
      return std::abs(p.move.x - q.move.x) < 1e-6 && std::abs(p.move.y - q.move.y) < 1e-6
             && std::abs(p.move.z - q.move.z) < 1e-6;
    });
}

int main()
{
  example::skip_without_device();
  show_two_arms();
  const chains many = make_chains();
  const bool is_right = agree(find_poses(many), serial_poses(many));
  std::printf(
    "\n%zu chains of %zu links: a serial loop %s.\n", many.offsets.size(), many.links.size(),
    is_right ? "agrees" : "DISAGREES");
  return is_right ? 0 : 1;
}
