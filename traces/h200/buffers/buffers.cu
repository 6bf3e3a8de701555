// Where cudaMalloc puts buffers: sizes one after another, as differences to the first, and after a few have been freed.
#include <cstdint>
#include <cstdio>
#include <vector>
int main() {
  char* first = nullptr; auto a = [&](size_t n) { char* p; cudaMalloc(&p, n); if (!first) first = p; printf("%zu bytes at %lld, which is %llu in its page\n", n, (long long)(p - first), (unsigned long long)((uintptr_t)p & ((2 << 20) - 1))); return p; };
  for (size_t n : {4, 4, 512, 513, 1024, 16384, 100000, 262144, 4}) a(n);
  for (size_t n : {1u << 20, (1u << 20) - 512, (1u << 20) + 4, 3u << 19, 2u << 20, (2u << 20) + 4, 3u << 20, 4u << 20, 64u << 20, 4u, 1u << 20, 4u, 1024u}) a(n);
  std::vector<char*> v; for (size_t n : {1024u, 65536u, 1u << 20, 4u << 20}) v.push_back(a(n));
  printf("all four are freed\n"); for (char* p : v) cudaFree(p);
  for (size_t n : {512u, 2048u, 1024u, 65536u, 2u << 20, 8u << 20, 1u << 20}) a(n);
}
