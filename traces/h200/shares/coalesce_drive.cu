// Reads lines: name rounds every lines bulk mask cold count {sm delay first sectors}...; prints what each SM waited for a round.
#include "../harness.cuh"
#include <string>
#include <iostream>
#include <sstream>
struct Readers { int count; int sm[16]; int delay[16]; int first[16]; int sectors[16]; };
__global__ void flush(int4* p, size_t n) { for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = make_int4(0, 0, 0, 0); }
int main(int, char** v) {
  cudaLibrary_t lib; CHECK(cudaLibraryLoadFromFile(&lib, v[1], 0, 0, 0, 0, 0, 0));
  cudaKernel_t k; CHECK(cudaLibraryGetKernel(&k, lib, "coalesce")); CHECK(cudaFuncSetAttribute((void*)k, cudaFuncAttributeMaxDynamicSharedMemorySize, 131072));
  char *in, *junk; long long* mail; int* out; CHECK(cudaMalloc(&in, 64 << 20)); CHECK(cudaMalloc(&junk, 256 << 20)); CHECK(cudaMalloc(&mail, 1 << 16)); CHECK(cudaMalloc(&out, 4096)); CHECK(cudaMemset(in, 0, 64 << 20));
  cudaKernel_t k2; CHECK(cudaLibraryGetKernel(&k2, lib, "same"));
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream is(line); std::string name; int rounds, every, lines, bulk, mask, cold; Readers r = {};
    is >> name >> rounds >> every >> lines >> bulk >> mask >> cold >> r.count;
    for (int i = 0; i < r.count; i++) is >> r.sm[i] >> r.delay[i] >> r.first[i] >> r.sectors[i];
    CHECK(cudaMemset(mail, 0, 1 << 16)); CHECK(cudaMemset(out, 0, 4096));
    if (cold) flush<<<1024, 256>>>((int4*)junk, (256 << 20) / 16);
    void* args[] = {&r, &mail, &in, &lines, &rounds, &every, &bulk, &mask, &out}; void* args2[] = {&r, &in, &lines, &out};
    bool same = name.substr(0, 4) == "same";
    if (same) CHECK(cudaLaunchKernel((void*)k2, dim3(132), dim3(1024), args2, 0, 0));
    else CHECK(cudaLaunchKernel((void*)k, dim3(132), dim3(bulk ? 32 : lines * 8), args, 131072, 0));
    CHECK(cudaDeviceSynchronize());
    int h[160]; CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    printf("%s", name.c_str());
    if (same) { double s = 0, n = 0; for (int i = 0; i < 132; i++) if (h[1 + i]) { s += h[1 + i]; n++; } printf(" %.3f", s / n / 32768); if (r.count) for (int i = 0; i < r.count; i++) printf(" %.3f", h[1 + r.sm[i]] / 32768.0); }
    else for (int i = 0; i < r.count; i++) printf(" %.1f", h[1 + 2 * i] / (double)rounds);
    puts(""); fflush(stdout);
  }
}
