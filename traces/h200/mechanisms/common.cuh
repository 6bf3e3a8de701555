// What the suites here share: where a thread is, buffers, and names of cases.
#pragma once
#include "../harness.cuh"
#define GLOBAL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_Y (blockIdx.y * blockDim.y + threadIdx.y)
#define F(n) ((size_t)(n) * 4)
#define IN(N, n, s) buf(N, F(n), HASH_F32, s)
#define INTS(N, n, s) buf(N, F(n), HASH_I32, s)
#define OUT(N, n) buf(N, F(n), ZERO, 0, true)
#define TMP(N, n) buf(N, F(n), ZERO, 0)
static char name[80];
static const char* nm(const char* f, int a = 0, int b = 0, int c = 0) { sprintf(name, f, a, b, c); return name; }
