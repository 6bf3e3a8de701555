// Runs k_banks of every cubin that is named with 1, 4, 8 and 16 warps in one block; prints cycles per instruction and sub-partition.
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define C(x) do { CUresult e = (x); if (e) { const char *s; cuGetErrorString(e, &s); printf("%s: %s\n", #x, s); exit(1); } } while (0)
int main(int n, char **names) {
    C(cuInit(0)); CUdevice d; C(cuDeviceGet(&d, 0)); CUcontext c; C(cuDevicePrimaryCtxRetain(&c, d)); C(cuCtxSetCurrent(c));
    CUdeviceptr in, out, clocks; C(cuMemAlloc(&in, 1 << 16)); C(cuMemAlloc(&out, 1 << 16)); C(cuMemAlloc(&clocks, 1 << 16)); C(cuMemsetD8(in, 0, 1 << 16));
    printf("variant,warps,cycles\n");
    for (int v = 1; v < n; v++) {
        CUmodule m; C(cuModuleLoad(&m, names[v])); CUfunction f; C(cuModuleGetFunction(&f, m, "k_banks"));
        for (int warps : {1, 4, 8, 16}) {
            long long best = 1ll << 60;
            for (int repeat = 0; repeat < 3; repeat++) {
                int rounds = 64; void *args[] = {&in, &out, &clocks, &rounds};
                C(cuLaunchKernel(f, 1, 1, 1, warps * 32, 1, 1, 0, 0, args, 0)); C(cuCtxSynchronize());
                std::vector<long long> t(warps); C(cuMemcpyDtoH(t.data(), clocks, warps * 8));
                long long most = 0; for (long long x : t) if (x > most) most = x;
                if (most < best) best = most;
            }
            const char *name = names[v]; for (const char *p = name; *p; p++) if (*p == '/') name = p + 1;
            int length = 0; while (name[length] && name[length] != '.') length++;
            printf("%.*s,%d,%.3f\n", length, name, warps, best / 64.0 / 512 / ((warps + 3) / 4));
        }
        C(cuModuleUnload(m));
    }
}
