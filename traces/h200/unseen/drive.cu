// Launches the kernels that a list names (launches.txt up to the first bar) from cubins of a folder, and prints a checksum of each buffer (FNV-1a over words).
#include "../harness.cuh"
#include <iostream>
#include <sstream>
#include <fstream>
static uint64_t fnv(const std::vector<uint32_t>& w) { uint64_t s = 0xcbf29ce484222325ull; for (uint32_t x : w) s = (s ^ x) * 0x100000001b3ull; return s; }
// uniform:LOW:HIGH:SEED
__global__ void init_uniform(uint32_t* p, size_t words, float low, float high, uint32_t seed) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x) {
    double unit = (double)(mix32((uint32_t)i + seed * 0x9e3779b9U) >> 8) / (double)(1 << 24);
    p[i] = __float_as_uint((float)__dadd_rn((double)low, __dmul_rn(unit, (double)high - (double)low)));
  }
}
static size_t bytes_of(std::string s) { size_t m = 1; auto e = s.find_first_not_of("0123456789"); if (e != std::string::npos) { std::string u = s.substr(e); if (u == "KiB") m = 1024; else if (u == "MiB") m = 1 << 20; else if (u == "GiB") m = 1 << 30; else { fprintf(stderr, "unit %s\n", u.c_str()); } } return std::stoull(s) * m; }
static dim3 dim(std::string s) { for (char& c : s) if (c == 'x' || c == ',') c = ' '; std::istringstream t(s); unsigned a = 1, b = 1, c = 1; t >> a; t >> b; t >> c; if (!b) b = 1; if (!c) c = 1; return dim3(a, b ? b : 1, c ? c : 1); }
int main(int n, char** v) { // DIR LIST
  std::ifstream f(v[2]); std::string line;
  while (std::getline(f, line)) {
    std::istringstream s(line); std::string file, kernel, g, b, a; s >> file >> kernel >> g >> b; if (!s || file[0] == '#') continue;
    file = std::string(v[1]) + "/" + file.substr(file.rfind('/') == std::string::npos ? 0 : file.rfind('/') + 1); file = file.substr(0, file.size() - 3) + ".cubin";
    cudaLibrary_t lib; if (cudaLibraryLoadFromFile(&lib, file.c_str(), 0, 0, 0, 0, 0, 0)) { printf("%s,nofile %s\n", kernel.c_str(), file.c_str()); cudaGetLastError(); continue; }
    cudaKernel_t k; CHECK(cudaLibraryGetKernel(&k, lib, kernel.c_str()));
    std::vector<void*> bufs; std::vector<size_t> sizes; std::vector<std::pair<int, uint64_t>> vals; // kind, value
    while (s >> a) {
      std::vector<std::string> p; std::string q; std::istringstream t(a); while (std::getline(t, q, ':')) p.push_back(q);
      if (p[0] == "buffer") { size_t by = bytes_of(p[2]); void* d; CHECK(cudaMalloc(&d, (by + 255) / 256 * 256)); std::string r = p[3]; uint32_t seed = p.size() > 4 ? std::stoul(p[4]) : 0;
        int init = r == "zero" ? ZERO : r == "index_u32" ? INDEX_U32 : r == "hash_f32" ? HASH_F32 : r == "hash_i32" ? HASH_I32 : CHAIN;
        if (r == "uniform") init_uniform<<<256, 256>>>((uint32_t*)d, by / 4, std::stof(p[4]), std::stof(p[5]), std::stoul(p[6]));
        else init_buffer<<<256, 256>>>((uint32_t*)d, by / 4, init, init == CHAIN ? 0 : seed, init == CHAIN ? seed : 0); bufs.push_back(d); sizes.push_back(by); vals.push_back({8, (uint64_t)d}); }
      else if (p[0] == "i32" || p[0] == "u32") vals.push_back({4, (uint32_t)std::stoll(p[1])});
      else if (p[0] == "f32") { float x = std::stof(p[1]); uint32_t u; memcpy(&u, &x, 4); vals.push_back({4, u}); }
      else if (p[0] == "f64") { double x = std::stod(p[1]); uint64_t u; memcpy(&u, &x, 8); vals.push_back({8, u}); }
      else if (p[0] == "i64" || p[0] == "u64") vals.push_back({8, (uint64_t)std::stoll(p[1])});
      else { printf("%s,arg %s\n", kernel.c_str(), a.c_str()); }
    }
    std::vector<void*> args; for (auto& x : vals) args.push_back(&x.second);
    CHECK(cudaDeviceSynchronize());
    cudaError_t e = cudaLaunchKernel((void*)k, dim(g), dim(b), args.data(), 0, 0); if (!e) e = cudaDeviceSynchronize();
    printf("%s,%s,%s", kernel.c_str(), g.c_str(), b.c_str()); if (e) { printf(",%s\n", cudaGetErrorString(e)); return 1; }
    for (size_t i = 0; i < bufs.size(); i++) { std::vector<uint32_t> h(sizes[i] / 4); CHECK(cudaMemcpy(h.data(), bufs[i], sizes[i] / 4 * 4, cudaMemcpyDeviceToHost)); printf(",%016llx", (unsigned long long)fnv(h)); }
    printf("\n"); fflush(stdout); for (void* d : bufs) cudaFree(d);
  }
}
