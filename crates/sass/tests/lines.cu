// Compiled with nvcc 13.0 for sm_90 with -lineinfo: an inlined function inside a called one.
__device__ __forceinline__ float square(float x) {
    return x * x;
}

__device__ __noinline__ float cube(float x) {
    return square(x) * x;
}

extern "C" __global__ void second(float *p) {
    p[threadIdx.x] = cube(p[threadIdx.x]);
}
