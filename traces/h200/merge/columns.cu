// Stores of words, pairs and quadruples to columns: the lanes of a warp write to lines far from each other.
#include <cstdio>
#include <cstdlib>
template <class T> __device__ void columns(T* out, int stride, int lift) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  T value; float* words = (float*)&value;
  for (int i = 0; i < (int)(sizeof(T) / 4); i++) words[i] = (float)(x + i);
  out[(size_t)x * stride + (y & lift)] = value;
}
extern "C" __global__ void k_words(float* out, int stride, int lift) { columns(out, stride, lift); }
extern "C" __global__ void k_pairs(float2* out, int stride, int lift) { columns(out, stride, lift); }
extern "C" __global__ void k_quads(float4* out, int stride, int lift) { columns(out, stride, lift); }
extern "C" __global__ void k_rows(float4* out, const float4* in, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[(size_t)x * n + y] = in[(size_t)y * n + x];
}
int main() {
  float *out, *in;
  cudaMalloc(&out, 64 << 20); cudaMalloc(&in, 16 << 20);
  cudaMemset(out, 0, 64 << 20); cudaMemset(in, 0, 16 << 20);
  dim3 tall(32, 128), block(32, 8), flat(32, 1024), warp(32, 1);
  for (int twice = 0; twice < 2; twice++) {
    k_rows<<<tall, block>>>((float4*)out, (float4*)in, 1024);
    k_quads<<<tall, block>>>((float4*)out, 1024, ~0);
    k_quads<<<flat, warp>>>((float4*)out, 1024, ~0);
    k_quads<<<tall, block>>>((float4*)out, 1024 + 8, ~0);
    k_quads<<<tall, block>>>((float4*)out, 1024 + 16, ~0);
    k_quads<<<tall, block>>>((float4*)out, 1024 + 64, ~0);
    k_quads<<<tall, block>>>((float4*)out, 2048, ~0);
    k_quads<<<tall, block>>>((float4*)out, 512, 511);
    k_quads<<<tall, block>>>((float4*)out, 8, 7);
    k_quads<<<tall, block>>>((float4*)out, 1024, 7);
    k_quads<<<tall, block>>>((float4*)out, 1024, 63);
    k_pairs<<<tall, block>>>((float2*)out, 2048, ~0);
    k_pairs<<<tall, block>>>((float2*)out, 1024, ~0);
    k_words<<<tall, block>>>(out, 4096, ~0);
    k_words<<<tall, block>>>(out, 1024, ~0);
    k_words<<<tall, block>>>(out, 1024 + 32, ~0);
    k_words<<<tall, block>>>(out, 32, 31);
  }
  return cudaDeviceSynchronize();
}
