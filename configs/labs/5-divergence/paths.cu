// Two sides of a branch with the same work; which threads go where is decided by one bit of the thread's number.
extern "C" __global__ void sides(float* data, unsigned bit) {
    float x = data[threadIdx.x];
    if (threadIdx.x >> bit & 1) {
#pragma unroll 1
        for (int k = 0; k < 64; k++) x = x * 0.5f + 1.0f;
    } else {
#pragma unroll 1
        for (int k = 0; k < 64; k++) x = x * 0.25f + 3.0f;
    }
    data[threadIdx.x] = x;
}
// A loop of `least` iterations, and up to `more` further ones by the thread's number.
extern "C" __global__ void loop(float* data, unsigned least, unsigned more) {
    float x = data[threadIdx.x];
    unsigned rounds = least + threadIdx.x % (more + 1);
#pragma unroll 1
    for (unsigned k = 0; k < rounds; k++) {
#pragma unroll
        for (int j = 0; j < 32; j++) x = x * 0.5f + 1.0f;
    }
    data[threadIdx.x] = x;
}
