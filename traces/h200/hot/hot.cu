// What a slice of level two takes for atomic operations on few words: lanes, words, sectors and lines of one chunk of 256 bytes,
// then hashed words over one to 64 chunks that begin at different places of a KiB.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__host__ __device__ inline uint32_t mix32(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16; return x; }

// A lane adds to the word at its place in the chunk, which moves by `turn` words a round; a negative place takes no part.
__global__ void chunk(uint32_t* base, const int* place, int turn, int rounds, uint32_t value, unsigned long long* cycles) {
  int at = place[threadIdx.x & 31]; value += threadIdx.x & value >> 8;
  unsigned long long begin = clock64();
  if (at >= 0) for (int r = 0; r < rounds; r++) { atomicAdd(base + (at & 63), value); at += turn; }
  __threadfence(); unsigned long long end = clock64();
  if (threadIdx.x == 0) atomicMax(cycles, end - begin);
}
// Every lane adds to a hashed word of so many.
__global__ void hashed(uint32_t* base, int mask, int rounds, unsigned long long* cycles) {
  uint32_t at = mix32(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned long long begin = clock64();
  for (int r = 0; r < rounds; r++) { atomicAdd(base + (at & mask), 1u); at = mix32(at + 77); }
  __threadfence(); unsigned long long end = clock64();
  if (threadIdx.x == 0) atomicMax(cycles, end - begin);
}
int main() {
  char* memory; CHECK(cudaMalloc(&memory, 4 << 20)); CHECK(cudaMemset(memory, 0, 4 << 20));
  int* place; CHECK(cudaMalloc(&place, 128)); unsigned long long* cycles; CHECK(cudaMalloc(&cycles, 8));
  auto took = [&](auto launch) {
    unsigned long long best = ~0ull, h;
    for (int lap = 0; lap < 3; lap++) { CHECK(cudaMemset(cycles, 0, 8)); launch(); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(&h, cycles, 8, cudaMemcpyDeviceToHost)); if (h < best) best = h; }
    return (double)best;
  };
  auto row = [&](const char* what, std::vector<int> lanes, int turn, uint32_t value, int warps) {
    lanes.resize(32, -1); CHECK(cudaMemcpy(place, lanes.data(), 128, cudaMemcpyHostToDevice)); int rounds = 4096 / warps;
    double c = took([&] { chunk<<<132, 32 * warps>>>((uint32_t*)memory, place, turn, rounds, value, cycles); });
    printf("%s, turn %d, value %u, %d warps: %.3f cycles an instruction\n", what, turn, value, warps, c / (132.0 * rounds * warps)); fflush(stdout);
  };
  char name[96];
  for (int warps : {16, 2}) for (int turn : {0, 1, 8, 32}) {
    for (int n : {1, 2, 4, 8, 16, 32}) { std::vector<int> l; for (int i = 0; i < n; i++) l.push_back(i); sprintf(name, "%d words in a row", n); row(name, l, turn, 1, warps); if (n == 32) { row(name, l, turn, 2, warps); row(name, l, turn, 0x1f02, warps); } }
    for (int n : {2, 3, 4, 5, 6, 8}) { std::vector<int> l; for (int i = 0; i < n; i++) l.push_back(8 * i); sprintf(name, "%d sectors of a word", n); row(name, l, turn, 1, warps); }
    for (int k : {2, 4, 8, 32}) { std::vector<int> l(k, 0); sprintf(name, "%d lanes on a word", k); row(name, l, turn, 1, warps); }
    for (int k : {2, 4, 8}) { std::vector<int> l; for (int i = 0; i < 4 * k; i++) l.push_back(i / k * 8); sprintf(name, "4 sectors of %d lanes on a word", k); row(name, l, turn, 1, warps); }
    for (int k : {2, 4}) { std::vector<int> l; for (int i = 0; i < 4 * k; i++) l.push_back(i / k * 8 + i % k); sprintf(name, "4 sectors of %d words", k); row(name, l, turn, 1, warps); }
    { std::vector<int> l; for (int i = 0; i < 2; i++) l.push_back(32 * i); row("2 lines of a word", l, turn, 1, warps); }
    for (int m : {31, 63}) { std::vector<int> l; for (int i = 0; i < 32; i++) l.push_back(mix32(i + 5) & m); sprintf(name, "32 lanes on hashed words of %d", m + 1); row(name, l, turn, 1, warps); }
  }
  for (int words : {32, 64, 128, 256, 512, 1024, 2048, 4096, 16384, 65536}) for (int begin : {0, 256, 512, 4096, 65536, 2097152}) {
    double c = took([&] { hashed<<<264, 256>>>((uint32_t*)(memory + begin), words - 1, 64, cycles); });
    printf("hashed words of %d from byte %d on: %.3f cycles an instruction\n", words, begin, c / (264.0 * 8 * 64)); fflush(stdout);
  }
}
