// Kernels that use the device runtime: printf, assert, malloc and free. Launched with 2 blocks of 64 threads, unless a
// comment says otherwise; 'in' has 4096 words, 'out' 4096. Compiled with -DHARDWARE it has a main that runs them, and
// those of calls.cu, on a GPU.
#include <cassert>
#include <cstdint>
#include <cstdio>

#define KERNEL(name) extern "C" __global__ void name(uint32_t *out, const uint32_t *in, uint32_t n)
#define THREAD uint32_t t = blockIdx.x * blockDim.x + threadIdx.x, k = 0; uint32_t *o = out + t * 32
#define PUT(value) o[k++] = (uint32_t)(value)

// A line of every third thread: strings of global memory, a float, what printf returns.
KERNEL(lines) {
  THREAD;
  if (t % 3 == 0) {
    PUT(printf("thread %2u of block %u: %8.3f %s\n", threadIdx.x, blockIdx.x, (double)(in[t] % 1000) / 8, t % 2 ? "odd" : "even"));
  }
  PUT(printf("") + 1);
}

// Every conversion, by one thread.
KERNEL(conversions) {
  THREAD;
  if (t != 0) return;
  PUT(printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%i]\n", 42, 42, 42, 42, 42, 42, -42));
  PUT(printf("[%u] [%x] [%X] [%#x] [%o] [%#o] [%08x]\n", 3000000000u, 0xbeefu, 0xbeefu, 0xbeefu, 8u, 8u, 0xbeefu));
  PUT(printf("[%lld] [%llu] [%llx] [%ld] [%lu] [%zu]\n", -5000000000ll, 10000000000ull, 0x123456789abcull, -7l, 7ul, (size_t)9));
  PUT(printf("[%hd] [%hu] [%hhd] [%hhu]\n", 70000, 70000, 300, 300));
  PUT(printf("[%f] [%.0f] [%8.2f] [%-8.2f] [%+.1f] [%08.3f] [%#.0f]\n", 3.14159265, 2.5, 3.14159265, 3.14159265, 1.25, -3.14159, 3.0));
  PUT(printf("[%e] [%.3E] [%g] [%g] [%g] [%G] [%#g]\n", 12345.678, 0.00012345, 0.0001, 1e-5, 1234567.0, 1e-10, 1.5));
  PUT(printf("[%a] [%.2a] [%a]\n", 1.0, 3.14159265, 0.0));
  PUT(printf("[%f] [%f] [%e] [%5.1f] [%F]\n", 1.0 / 0.0, -1.0 / 0.0, (double)__int_as_float(0x7fffffff), 0.0, -0.0));
  PUT(printf("[%c%c%c] [%3c] [%-3c]\n", 'a', 'b', 'c', 'x', 'y'));
  PUT(printf("[%s] [%10s] [%-10s] [%.3s] [%*d] [%-*d] [%.*f]\n", "text", "right", "left", "abcdef", 6, 42, 6, 42, 3, 2.0 / 3));
  PUT(printf("100%% %d%%\n", 7));
  PUT(printf("no arguments\n"));
  PUT(printf("%s %d %s %f %lld\n", "mixed", 1, "widths", 0.5f, 1ll << 40));
  PUT(printf("[%.20d] [%.0d] [%5.3d] [%x]\n", 5, 0, 7, 0));
  PUT(printf("[%.15g] [%.17g] [%.1f] [%.1f] [%.10e]\n", 0.1, 0.1, 0.25, 0.35, 1.0 / 3));
  PUT(printf("[%f] [%.3f] [%g] [%g]\n", 1e22, 123456789.0625, 1e100, 5e-324));
}

// The lines of lanes that take different ways, in a loop.
KERNEL(ways) {
  THREAD;
  for (uint32_t i = 0; i < 2; ++i) {
    if (threadIdx.x % 16 == i) printf("first way: block %u thread %u turn %u\n", blockIdx.x, threadIdx.x, i);
    else if (threadIdx.x % 16 == 5) printf("second way: block %u thread %u turn %u\n", blockIdx.x, threadIdx.x, i);
    __syncthreads();
  }
  PUT(t);
}

// Memory of the heap: a list of every thread.
struct Node { uint32_t value; Node *next; };
KERNEL(heap) {
  THREAD;
  Node *list = nullptr;
  uint32_t length = in[t] % 7 + n;
  for (uint32_t i = 0; i < length; ++i) {
    Node *node = (Node *)malloc(sizeof(Node));
    if (node == nullptr) { PUT(~0u); break; }
    node->value = in[t + i]; node->next = list; list = node;
  }
  uint32_t sum = 0, count = 0;
  for (Node *node = list; node != nullptr; node = node->next) { sum = sum * 31 + node->value; ++count; }
  PUT(sum); PUT(count);
  while (list != nullptr) { Node *next = list->next; free(list); list = next; }
  PUT(list == nullptr);
  char *bytes = (char *)malloc(13 + t), *more = (char *)malloc(100);
  for (uint32_t i = 0; i < 13 + t; ++i) bytes[i] = (char)(i * t);
  for (uint32_t i = 0; i < 100; ++i) more[i] = 'x';
  uint32_t hash = 0;
  for (uint32_t i = 0; i < 13 + t; ++i) hash = hash * 17 + (uint8_t)bytes[i];
  PUT(hash); PUT((uintptr_t)bytes % 16); PUT(bytes + 13 + t <= more || more + 100 <= bytes);
  free(bytes); free(more); free(nullptr);
}

// One thread asks for more than the heap has: null, and the rest works.
KERNEL(heap_end) {
  THREAD;
  if (t != 0) return;
  uint32_t got = 0;
  void *first = nullptr;
  while (got < 64) {
    void *one = malloc(1 << 20);
    if (one == nullptr) break;
    if (first == nullptr) first = one;
    ++got;
  }
  PUT(got > 0 && got < 64);
  PUT(malloc(1ull << 40) == nullptr);
  free(first);
  PUT(malloc(1 << 20) != nullptr);
}

// A condition that does not hold in thread 37 of block 1: run alone.
KERNEL(assertion) {
  THREAD;
  assert(t != 101 && "thread 101 is not wanted");
  PUT(t);
}

// More than the buffer of printf holds: run alone, with 1 block of 64 threads.
KERNEL(flood) {
  THREAD;
  for (uint32_t i = 0; i < 1000; ++i) printf("line %u of thread %u\n", i, t);
  PUT(t);
}

#ifdef HARDWARE
#undef KERNEL
#undef THREAD
#undef PUT
#include "calls.cu"
#include <cstdlib>
#include <cstring>

#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) printf("%s: %s\n", #x, cudaGetErrorString(e_)); } while (0)
static uint32_t mix32(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16; return x; }
typedef void (*Kernel)(uint32_t *, const uint32_t *, uint32_t);

static void launch(const char *name, Kernel kernel, uint32_t blocks, uint32_t n) {
  static uint32_t words[4096];
  uint32_t *out, *in;
  CHECK(cudaMalloc(&out, sizeof(words)));
  CHECK(cudaMalloc(&in, sizeof(words)));
  for (uint32_t i = 0; i < 4096; ++i) words[i] = mix32(i + 7 * 0x9e3779b9U) >> 8;
  CHECK(cudaMemcpy(in, words, sizeof(words), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(out, 0, sizeof(words)));
  printf("== %s n = %u\n", name, n);
  fflush(stdout);
  kernel<<<blocks, 64>>>(out, in, n);
  CHECK(cudaDeviceSynchronize());
  fflush(stdout);
  memset(words, 0, sizeof(words));
  CHECK(cudaMemcpy(words, out, sizeof(words), cudaMemcpyDeviceToHost));
  uint32_t hash = 0x811c9dc5u;
  for (uint32_t i = 0; i < 4096; ++i) hash = (hash ^ words[i]) * 0x01000193u;
  printf("-- words %08x, of thread 0:", hash);
  for (uint32_t i = 0; i < 16; ++i) printf(" %x", words[i]);
  printf("\n");
  fflush(stdout);
  cudaFree(out);
  cudaFree(in);
}

int main(int count, char **words) {
  const char *which = count > 1 ? words[1] : "all";
  if (!strcmp(which, "assertion")) { launch("assertion", assertion, 2, 3); return 0; }
  if (!strcmp(which, "flood")) { launch("flood", flood, 1, 3); return 0; }
  if (!strcmp(which, "deep")) { launch("deep", deep, 2, atoi(words[2])); return 0; }
  size_t stack = 0, fifo = 0, heap_bytes = 0;
  CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
  CHECK(cudaDeviceGetLimit(&fifo, cudaLimitPrintfFifoSize));
  CHECK(cudaDeviceGetLimit(&heap_bytes, cudaLimitMallocHeapSize));
  printf("stack %zu, printf %zu, heap %zu bytes\n", stack, fifo, heap_bytes);
  launch("lines", lines, 2, 3);
  launch("conversions", conversions, 2, 3);
  launch("ways", ways, 2, 3);
  launch("heap", heap, 2, 3);
  launch("heap_end", heap_end, 2, 3);
  launch("recursion", recursion, 2, 6);
  launch("deep", deep, 2, 10);
  launch("shapes", shapes, 2, 6);
  launch("pointers", pointers, 2, 3);
  return 0;
}
#endif
