// nvcc -arch=sm_90 -cubin runtime.cu; nvdisasm -json runtime.cubin > runtime.json
#include <cstdio>
struct Shape { __device__ virtual int sides() const = 0; };
struct Square : Shape { __device__ int sides() const override { return 4; } };
struct Triangle : Shape { __device__ int sides() const override { return 3; } };
__device__ __noinline__ int sum(int n) { return n < 2 ? n : sum(n - 1) + sum(n - 2); }

extern "C" __global__ void prints(int n) { printf("%d\n", n); }
extern "C" __global__ void virtuals(int *out, int n) { Square s; Triangle t; Shape *two[2] = {&s, &t}; out[0] = two[n]->sides(); }
extern "C" __global__ void recursion(int *out, int n) { out[0] = sum(n); }
