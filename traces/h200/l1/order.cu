// In which order lines leave L1: operation by operation; another carve-out between two launches puts the hand back.
#include "operations.cuh"

int main() {
    C(cudaMalloc(&buf, (size_t)LINES * 128)); C(cudaMalloc(&result, 1 << 16));
    C(cudaMemset(buf, 0, (size_t)LINES * 128));
    warm<<<264, 512>>>(buf, result, (size_t)LINES * 32); C(cudaDeviceSynchronize());
    printf("buf %p\n", buf);
    char name[256];
    // X1: which lines put line 0 (and 5, 1234) out at once
    std::vector<uint32_t> conflict[8];
    for (int kib : {228, 132, 8}) for (uint32_t victim : {0u, 5u, 1234u}) { shared_kib = kib; printf("X1 shared %d victim %u put out by:", kib, victim);
      for (uint32_t x0 = 0; x0 < 16384; x0 += 64) { List l; for (uint32_t x = x0; x < x0 + 64; x++) { if (x == victim) continue; add(l, LOAD, victim, 1); add(l, LOAD, x, 1); add(l, PROBE, victim, 1); } auto t = run(l);
        for (size_t i = 2; i < l.size(); i += 3) if (!hit(t[i])) { printf(" %u", l[i - 1] & 0xffffff); } }
      printf("\n"); }
    // X1b: with capacity pressure: 100 lines known to be in
    // X2: repeatability
    for (int kib : {228, 196, 132, 8}) { shared_kib = kib; uint32_t lines = (256 - kib) * 8 - 64, n = lines + 40; List l; add(l, LOAD, 0, n); add(l, PROBE, 0, n);
      for (int r = 0; r < 6; r++) { auto t = run(l); snprintf(name, 256, "X2 shared %d, %u lines, run %d sm %d", kib, n, r, sm); missed(name, t, n, n); }
      for (int r = 0; r < 4; r++) { shared_kib = kib == 8 ? 100 : 8; List d; add(d, LOAD, 0, 10); run(d); shared_kib = kib; auto t = run(l); snprintf(name, 256, "X2 shared %d, %u lines, run %d after another carve-out, sm %d", kib, n, r, sm); missed(name, t, n, n); } }
    // X3: order of eviction: one list, growing, state reset by another carve-out
    for (int kib : {228, 196}) { uint32_t lines = (256 - kib) * 8 - 64; std::vector<uint8_t> before; printf("X3 shared %d", kib);
      for (uint32_t n = lines - 8; n < lines + 200; n++) { shared_kib = 8; List d; add(d, LOAD, 0, 10); run(d); shared_kib = kib; List l; add(l, LOAD, 0, n); add(l, PROBE, 0, n); auto t = run(l); printf(" %u<", n - 1);
        for (uint32_t i = 0; i + 1 < n; i++) { bool now = hit(t[n + i]); if (!before.empty() && hit(before[i]) != now) printf("%s%u", now ? "+" : "-", i); }
        if (!hit(t[2 * n - 1])) printf("!");
        before.assign(t.begin() + n, t.end()); }
      printf("\n"); }
    // X4: victims one by one within a launch: probing after each new line (probes may count as uses)
    for (int kib : {228}) { shared_kib = kib; for (int r = 0; r < 2; r++) { uint32_t n = 160; List l; add(l, LOAD, 0, n); std::vector<size_t> at; for (uint32_t i = 0; i < 60; i++) { add(l, LOAD, n + i, 1); at.push_back(l.size()); add(l, PROBE, 0, n + i + 1); } auto t = run(l); printf("X4 run %d:", r); std::vector<bool> in(400, true);
      for (uint32_t i = 0; i < 60; i++) { printf(" %u<", n + i); for (uint32_t k = 0; k < n + i + 1; k++) { bool now = hit(t[at[i] + k]); if (now != in[k]) printf("%s%u", now ? "+" : "-", k); in[k] = now; } } printf("\n"); } }
    // X5: one bank only: lines that are multiples of four
    for (int kib : {228, 196, 132}) { shared_kib = kib; uint32_t lines = (256 - kib) * 2 - 16; for (uint32_t step : {4u, 8u, 16u, 32u, 64u, 128u, 256u, 512u}) for (double f : {0.25, 0.5, 0.9, 1.0, 1.25, 2.0}) { uint32_t n = (uint32_t)(lines * f); if ((size_t)n * step > LINES) continue; List l; add(l, LOAD, 0, n, step); add(l, PROBE, 0, n, step); auto t = run(l); uint32_t m = 0; for (uint32_t i = 0; i < n; i++) m += !hit(t[n + i]); printf("X5 shared %d, step %u, %u lines: %u gone\n", kib, step, n, m); } }
    // X6: laps, bits of which lines hit in late laps
    for (auto p : {std::pair<int, uint32_t>{132, 1091}, {132, 1289}, {32, 1827}, {228, 201}, {228, 224}, {228, 257}}) { shared_kib = p.first; uint32_t n = p.second, laps = std::min(30u, 15000 / n); List l; for (uint32_t a = 0; a < laps; a++) add(l, LOAD, 0, n); auto t = run(l);
      for (uint32_t a : {1u, 2u, laps - 3, laps - 2, laps - 1}) { snprintf(name, 256, "X6 shared %d, %u in turn, lap %u", p.first, n, a); missed(name, t, a * n, n); } }
}
