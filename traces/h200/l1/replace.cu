// Which lines L1 keeps.
#include "operations.cuh"

static uint32_t seed = 1;
static uint32_t rnd() { seed = seed * 1664525 + 1013904223; return seed >> 8; }
int main() {
    C(cudaMalloc(&buf, (size_t)LINES * 128)); C(cudaMalloc(&result, 1 << 16));
    C(cudaMemset(buf, 0, (size_t)LINES * 128));
    warm<<<264, 512>>>(buf, result, (size_t)LINES * 32); C(cudaDeviceSynchronize());
    char name[256];
    const uint32_t FAR = 40000;
    { List l; add(l, LOAD, 0, 8); add(l, PROBE, 0, 8); add(l, PROBE, 100, 8); add(l, PROBE, 100, 8); add(l, LOAD_CG, 0, 4); add(l, LOAD_CG, 200, 4); add(l, PROBE, 200, 4); add(l, LOAD_NC, 300, 4); add(l, PROBE, 300, 4);
      auto t = run(l); printf("times (quarter cycles: times 4): load 8, probe 8, probe absent 8, again 8, cg of held 4, cg of absent 4, probe 4, nc 4, probe 4:"); for (auto x : t) printf(" %d", x); printf("\n"); }
    for (int kib : {8, 32, 100, 132, 164, 196, 228}) {
        shared_kib = kib;
        uint32_t lines = (256 - kib) * 8;
        for (int again = 0; again < 2; again++) for (double f : {0.8, 0.85, 0.9, 0.95, 1.0, 1.1, 1.25, 1.5}) {
            uint32_t n = (uint32_t)(lines * f); if (2 * n > std::min(MOST, kib == 8 ? 6900 : MOST)) continue;
            List l; add(l, LOAD, 0, n); add(l, PROBE, 0, n);
            snprintf(name, 256, "shared %d KiB, %u lines in order", kib, n); auto t = run(l);
            if (again && f != 1.1) continue;
            missed(name, t, n, n);
        }
    }
    shared_kib = 228;
    const uint32_t L = 224;
    // Which line goes for each new one: the same list, one line longer each time.
    for (int again = 0; again < 2; again++) { std::vector<uint8_t> before;
      printf("shared 228 KiB, line in, lines out%s:", again ? " (again)" : "");
      for (uint32_t n = 160; n < 1000; n++) {
        List l; add(l, LOAD, 0, n); add(l, PROBE, 0, n); auto t = run(l);
        printf(" %u<", n - 1);
        for (uint32_t i = 0; i + 1 < n; i++) { bool now = hit(t[n + i]); if (!before.empty() && hit(before[i]) != now) printf("%s%u", now ? "+" : "-", i); }
        if (!hit(t[2 * n - 1])) printf("!");
        before.assign(t.begin() + n, t.end());
      }
      printf("\n"); }
    // Lines used again before new ones come.
    for (uint32_t again : {0u, 1u, 2u, 4u}) for (uint32_t more : {16u, 32u, 64u, 128u, 192u, 256u, 320u, 448u}) {
        List l; add(l, LOAD, 0, L); for (uint32_t a = 0; a < again; a++) add(l, LOAD, 0, 32); add(l, LOAD, 1000, more); size_t at = l.size(); add(l, PROBE, 0, L); add(l, PROBE, 1000, more);
        snprintf(name, 256, "%u lines, the first 32 %u times again, %u new", L, again, more); auto t = run(l); missed(name, t, at, L); snprintf(name, 256, "  of the new"); missed(name, t, at + L, more);
    }
    // A hot line after every so many new ones.
    for (int kib : {228, 132, 32}) for (uint32_t every : {1u, 4u, 16u, 64u}) for (uint32_t hot : {1u, 8u, 64u}) {
        shared_kib = kib; List l; uint32_t n = 0, h = 0; while (l.size() + every < 13000) { add(l, LOAD, FAR + n, every); n += every; add(l, LOAD, h, 1); h = (h + 1) % hot; }
        auto t = run(l); printf("shared %d KiB, %u new lines then one of %u hot ones; new lines between its misses of hot line 0:", kib, every, hot);
        uint32_t fresh = 0, last = 0, misses = 0, uses = 0; for (size_t i = 0; i < l.size(); i++) { uint32_t line = l[i] & 0xffffff; if (line >= FAR) fresh++; else { uses++; misses += !hit(t[i]); if (line == 0 && !hit(t[i])) { printf(" %u", fresh - last); last = fresh; } } }
        printf("; %u of %u uses of hot lines missed\n", misses, uses);
    }
    // Lines in turn, lap by lap.
    for (int kib : {228, 132, 32}) { shared_kib = kib; uint32_t lines = (256 - kib) * 8;
      for (double f : {0.9, 0.95, 1.0, 1.02, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5, 2.0}) {
        uint32_t n = (uint32_t)(lines * f), laps = std::min(30u, 13000 / n); List l; for (uint32_t a = 0; a < laps; a++) add(l, LOAD, 0, n);
        auto t = run(l); printf("shared %d KiB, %u lines in turn, misses of each lap:", kib, n); for (uint32_t a = 0; a < laps; a++) { uint32_t m = 0; for (uint32_t i = 0; i < n; i++) m += !hit(t[a * n + i]); printf(" %u", m); } printf("\n"); } }
    // Random lines of a range, and half of them new ones.
    for (int kib : {228, 132, 32}) { shared_kib = kib; uint32_t lines = (256 - kib) * 8;
      for (int streaming = 0; streaming < 2; streaming++) for (double f : {0.5, 0.75, 0.9, 1.0, 1.25, 1.5, 2.0, 4.0}) {
        uint32_t n = (uint32_t)(lines * f), fresh = FAR; List l; while (l.size() < 15000) { l.push_back(LOAD << 24 | rnd() % n); if (streaming) l.push_back(LOAD << 24 | fresh++); }
        auto t = run(l); uint32_t m = 0, u = 0; for (size_t i = l.size() / 2; i < l.size(); i++) if ((l[i] & 0xffffff) < FAR) u++, m += !hit(t[i]);
        printf("shared %d KiB, random of %u lines%s: %u of %u missed\n", kib, n, streaming ? ", a new one after each" : "", m, u); } }
    // What else takes lines: stores, loads past L1, sectors, loads under way together.
    shared_kib = 228;
    struct Kind { const char *name; int op; uint32_t lines, step; } kinds[] = {{"loads", LOAD, 1, 1}, {"loads of nc", LOAD_NC, 1, 1}, {"loads of a sector", LOAD_SECTOR, 1, 1}, {"loads of half a line", LOAD_HALF, 1, 1}, {"loads of cg", LOAD_CG, 1, 1}, {"stores", STORE, 1, 1}, {"stores of a sector", STORE_SECTOR, 1, 1}, {"stores of a word", STORE_WORD, 1, 1}, {"eight loads together", LOAD_8, 8, 8}, {"eight stores together", STORE_8, 8, 8}, {"a word of 32 lines", LOAD_64, 32, 32}, {"stores of a word in 32 lines", STORE_STRIDE, 32, 32}};
    for (auto &k : kinds) for (uint32_t more : {32u, 64u, 128u, 256u}) for (int slow = 0; slow < (k.op == STORE || k.op == STORE_8 || k.op == STORE_STRIDE ? 2 : 1); slow++) {
        List l; add(l, LOAD, 0, 192); for (uint32_t i = 0; i < more / k.lines; i++) { l.push_back(k.op << 24 | (2000 + i * k.step)); if (slow) add(l, DELAY, 0, 1); } add(l, DELAY, 0, 2); size_t at = l.size(); add(l, PROBE, 0, 192); add(l, PROBE_SECTOR, 2000, more); add(l, PROBE, 2000, more);
        auto t = run(l); snprintf(name, 256, "192 lines, then %u lines by %s%s", more, k.name, slow ? ", slowly" : ""); missed(name, t, at, 192); missed("  of the new, first sector", t, at + 192, more); missed("  of the new, whole", t, at + 192 + more, more);
    }
    for (auto &k : kinds) { List l; for (uint32_t n = 0; n < 448 / k.lines; n++) l.push_back(k.op << 24 | (n * k.step)); add(l, DELAY, 0, 2); size_t at = l.size(); add(l, PROBE_SECTOR, 0, 448); auto t = run(l); snprintf(name, 256, "448 lines by %s, first sector", k.name); missed(name, t, at, 448); }
    // Stores that hit.
    for (int op : {STORE, STORE_WORD}) { List l; add(l, LOAD, 0, 160); add(l, op, 0, 32); add(l, DELAY, 0, 2); add(l, LOAD, 1000, 160); size_t at = l.size(); add(l, PROBE_SECTOR, 0, 160); add(l, PROBE, 0, 160); auto t = run(l); missed("160 lines, stores to the first 32, 160 new; first sector", t, at, 160); missed("  whole", t, at + 160, 160); }
}
