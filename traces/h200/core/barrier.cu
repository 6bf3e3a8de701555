// As issue.cu with one word from lane to lane, and a block barrier before the clock, so that barrier.py may put in others.
extern "C" __global__ void k_banks(const float *in, float *out, long long *clocks, int rounds) {
    __shared__ float room[256];
    float x[64];
    for (int i = 0; i < 64; i++) x[i] = in[(i * 32 + (threadIdx.x & 31)) * 1];
    room[threadIdx.x & 255] = x[0]; __syncthreads(); long long start = 0, end = 0;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(start) :: "memory");
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int i = 0; i < 512; i++) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i & 63]) : "f"(x[(i + 7) & 63]), "f"(x[(i + 22) & 63]));
    }
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(end) :: "memory");
    float sum = room[threadIdx.x & 255];
    for (int i = 0; i < 64; i++) sum += x[i];
    sum += *(volatile const float *)&in[(threadIdx.x & 31) * 1];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if ((threadIdx.x & 31) == 0) clocks[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = end - start;
}
