// Copies to shared memory from rows of several lengths to rows of several pitches, in one block of one or eight warps. It prints cycles for each copy; copies.csv is what the profiler counted.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
// Each lane copies `bytes` from `from + lane / per * row + lane % per * bytes` to `lane / per * pitch + lane % per * bytes`, `laps` times, `step` bytes on.
template <int BYTES, bool PAST> __global__ void k_copies(const char *from, uint32_t *cycles, int per, int row, int pitch, int laps, int step, int back) {
    extern __shared__ __align__(128) char to[]; int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    uint32_t at = (uint32_t)__cvta_generic_to_shared(to) + warp * 4096 + lane / per * pitch + lane % per * BYTES; const char *p = from + (size_t)(blockIdx.x * (blockDim.x / 32) + warp) * step * laps + lane / per * row + lane % per * BYTES;
    __syncthreads(); uint32_t start = clock();
    for (int lap = 0; lap < laps; lap++, p += step) {
        if constexpr (PAST) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(p) : "memory");
        else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(p), "n"(BYTES) : "memory");
        if (back && lap % back == back - 1) asm volatile("cp.async.wait_all;" ::: "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory"); uint32_t end = clock(); if (lane == 0) { cycles[2 * warp] = start; cycles[2 * warp + 1] = end; }
}
int main() {
    char *from; uint32_t *cycles; cudaMalloc(&from, 64 << 20); cudaMemset(from, 0, 64 << 20); cudaMallocManaged(&cycles, 4096);
    struct P { int per, row, pitch, step; const char *name; } ps[] = {
        {32, 0, 0, 512, "line_after_line"}, {4, 64, 80, 512, "padded_80"}, {4, 256, 64, 64, "rows_64"}, {4, 256, 80, 64, "rows_64_to_80"}, {8, 256, 128, 128, "rows_128"}, {8, 256, 144, 128, "rows_128_to_144"}, {2, 256, 32, 32, "rows_32"}, {2, 256, 48, 32, "rows_32_to_48"}, {1, 256, 16, 16, "rows_16"}, {32, 0, 0, 0, "same_lines"}, {8, 256, 256, 128, "rows_128_conflict_4"}, {1, 256, 128, 16, "rows_16_conflict"} };
    for (int warps : {1, 8}) for (auto &p : ps) for (int kind = 0; kind < 4; kind++) for (int warm = 0; warm < 2; warm++) {
        int laps = 64, bytes = kind == 3 ? 16 : kind == 2 ? 16 : kind == 1 ? 8 : 4; if (bytes * 32 < 512 && p.per == 32 && p.step) p.step = 512;
        if (kind == 3) k_copies<16, true><<<1, 32 * warps, 32768>>>(from, cycles, p.per, p.row, p.pitch, laps, p.step, 0);
        else if (kind == 2) k_copies<16, false><<<1, 32 * warps, 32768>>>(from, cycles, p.per, p.row, p.pitch, laps, p.step, 0);
        else if (kind == 1) k_copies<8, false><<<1, 32 * warps, 32768>>>(from, cycles, p.per, p.row, p.pitch, laps, p.step, 0);
        else k_copies<4, false><<<1, 32 * warps, 32768>>>(from, cycles, p.per, p.row, p.pitch, laps, p.step, 0);
        if (cudaDeviceSynchronize() != cudaSuccess) { printf("failed\n"); return 1; }
        uint32_t first = ~0u, last = 0; for (int w = 0; w < warps; w++) { first = min(first, cycles[2 * w]); last = max(last, cycles[2 * w + 1]); }
        printf("%s %d %s warps %d run %d: %.2f\n", p.name, bytes, kind == 3 ? "past" : "by", warps, warm, (last - first) / (double)(laps * warps));
    }
}
