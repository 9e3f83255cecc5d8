// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels that a call of the device layer queues, by which tests see the path that it takes.

#include <cuda_runtime_api.h>

#include <gtest/gtest.h>

#include <cxxabi.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace test
{

/// Returns the name of a kernel, with namespaces and arguments.
inline std::string full_name_of_kernel(const void* kernel)
{
  const char* mangled = nullptr;
  if (cudaFuncGetName(&mangled, kernel) != cudaSuccess)
  {
    throw std::runtime_error("a kernel without a name");
  }
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
    abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  return status == 0 ? demangled.get() : mangled;
}

/// Returns the name of a kernel, without namespaces and arguments.
inline std::string name_of_kernel(const void* kernel)
{
  const std::string name = test::full_name_of_kernel(kernel);
  const std::string qualified = name.substr(0, name.find_first_of("<("));
  const std::size_t scope = qualified.find_last_of(": ");
  return scope == std::string::npos ? qualified : qualified.substr(scope + 1);
}

/// Returns the names of the kernels that call(stream), which returns a cudaError_t, queues, in this order. They are
/// captured into a graph and do not execute. name_of(kernel) returns the name of one.
template <class Call>
std::vector<std::string> captured_kernels(Call call, std::string (*name_of)(const void*) = test::name_of_kernel)
{
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(call(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  std::size_t count = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &count), cudaSuccess);
  std::vector<cudaGraphNode_t> nodes(count);
  EXPECT_EQ(cudaGraphGetNodes(graph, nodes.data(), &count), cudaSuccess);
  std::vector<std::string> names;
  for (const cudaGraphNode_t node : nodes)
  {
    cudaGraphNodeType type{};
    EXPECT_EQ(cudaGraphNodeGetType(node, &type), cudaSuccess);
    if (type == cudaGraphNodeTypeKernel)
    {
      cudaKernelNodeParams parameters{};
      EXPECT_EQ(cudaGraphKernelNodeGetParams(node, &parameters), cudaSuccess);
      names.push_back(name_of(parameters.func));
    }
  }
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  return names;
}

/// Returns an address that no kernel reads, as none executes.
template <class T>
T* nowhere(int number = 1)
{
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(number) << 20);
}

/// Returns captured_kernels() of call(storage, bytes, stream), a call in two phases whose storage kernels alone access.
template <class Call>
std::vector<std::string> kernels_of_call(Call call, std::string (*name_of)(const void*) = test::name_of_kernel)
{
  std::size_t bytes = 0;
  EXPECT_EQ(call(nullptr, bytes, nullptr), cudaSuccess);
  return test::captured_kernels(
    [&](cudaStream_t stream) { return call(test::nowhere<char>(100), bytes, stream); }, name_of);
}

} // namespace test
