// nvcc -arch=sm_90 -cubin aligned.cu; nvdisasm -json aligned.cubin > aligned.json
extern "C" __device__ void *__nv_aligned_device_malloc(size_t bytes, size_t alignment);
extern "C" __global__ void aligned(void **out, int n) { out[0] = __nv_aligned_device_malloc(n, 64); }
