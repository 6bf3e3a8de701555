// Kernels of the CUTLASS 4.2 templates, each under a short C name: Hopper's warp-specialized TMA + wgmma kernels
// (CUTLASS 3.x) and the cp.async + mma.sync, double precision and SIMT kernels of the older API (CUTLASS 2.x).
// Params travel as one struct; the printed line cuts it into bytes and pointers into the case's buffers.
//   nvcc -std=c++17 -O3 -arch=sm_90a --expt-relaxed-constexpr -w -DNDEBUG -Xcompiler -ftrivial-auto-var-init=zero ...
// -DPART=n compiles one part only (see the numbers at each kernel).
#include <functional>
#include <iostream>
#include <sstream>
#include <memory>
#include <new>
#include "cute/tensor.hpp"
#include "cutlass/cutlass.h"
#include "cutlass/device_kernel.h"
#include "cutlass/gemm/dispatch_policy.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/epilogue/fusion/operations.hpp"
#include "cutlass/epilogue/thread/activation.h"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include "cutlass/gemm/kernel/tile_scheduler.hpp"
#include "cutlass/util/packed_stride.hpp"
#include "cutlass/gemm/device/gemm.h"
#include "cutlass/gemm/device/gemm_batched.h"
#include "cutlass/conv/kernel/default_conv2d_fprop.h"
#include "cutlass/conv/device/implicit_gemm_convolution.h"
#include "cutlass/detail/blockwise_scale_layout.hpp"
#include "cutlass/gemm/device/gemm_universal.h"
#include "cutlass/gemm/device/gemm_sparse.h"
#include "cutlass/gemm/device/rank_k.h"
#include "cutlass/gemm/device/trmm.h"
#include "cutlass/gemm/kernel/default_gemm_planar_complex_universal.h"
#include "cutlass/epilogue/thread/linear_combination_planar_complex.h"
#if !defined(PART) || PART == 15
#include "../examples/88_hopper_fmha/kernel/fmha_kernel_builder.hpp"   // relative to CUTLASS's include folder
#include "../examples/88_hopper_fmha/collective/fmha_fusion.hpp"
#endif
#if !defined(PART) || PART == 30
#include "../examples/45_dual_gemm/device/dual_gemm.h"
#include "../examples/45_dual_gemm/thread/left_silu_and_mul.h"
#endif
#include "harness.cuh"
#undef K

#ifdef PART
#define IN_PART(n) (PART == (n))
#else
#define IN_PART(n) 1
#endif

// ---------------------------------------------------------------- buffers: harness.cuh's rules and one more
// bits: word i = (mix32(i + seed*0x9e3779b9) & and) | or
enum { BITS = 100 };
__global__ void init_buffer(uint32_t* p, size_t words, uint32_t seed, uint32_t keep, uint32_t set) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x) p[i] = (mix32((uint32_t)i + seed * 0x9e3779b9U) & keep) | set;
}
// pieces: the content as it is listed, bytes and pointers into other buffers (tables of pointers, strides and sizes)
enum { PIECES = 101 };
struct Buffer { std::string name; size_t bytes; int init; uint32_t seed, keep, set; bool out; std::function<std::vector<char>(std::vector<char*>&)> fill = nullptr; };
static size_t words_up(size_t bytes) { return (bytes + 3) / 4 * 4; }
static Buffer bits(const char* name, size_t bytes, uint32_t seed, uint32_t keep, uint32_t set) { return {name, words_up(bytes), BITS, seed, keep, set, false}; }
static Buffer f16(const char* name, size_t n, uint32_t seed) { return bits(name, n * 2, seed, 0x83ff83ffU, 0x38003800U); }      // +-[0.5,1)
static Buffer bf16(const char* name, size_t n, uint32_t seed) { return bits(name, n * 2, seed, 0x807f807fU, 0x3f003f00U); }
static Buffer f32(const char* name, size_t n, uint32_t seed) { return bits(name, n * 4, seed, 0x807fffffU, 0x3f000000U); }
static Buffer f64(const char* name, size_t n, uint32_t seed) { return bits(name, n * 8, seed, 0x800fffffU, 0x3fe00000U); }
static Buffer e4m3(const char* name, size_t n, uint32_t seed) { return bits(name, n, seed, 0x87878787U, 0x30303030U); }
static Buffer s8(const char* name, size_t n, uint32_t seed) { return bits(name, n, seed, 0xffffffffU, 0); }
static Buffer zeros(const char* name, size_t bytes) { return {name, words_up(bytes), ZERO, 0, 0, 0, false}; }
static Buffer result(const char* name, size_t bytes) { return {name, words_up(bytes), ZERO, 0, 0, 0, true}; }

static Buffer table(const char* name, size_t bytes, std::function<std::vector<char>(std::vector<char*>&)> fill) { return {name, words_up(bytes), PIECES, 0, 0, 0, false, fill}; }

// ---------------------------------------------------------------- launch of a kernel with one struct argument
struct Launch { bool ok = false; std::string why; dim3 grid, block; size_t smem = 0; std::shared_ptr<char> params; size_t bytes = 0; };
__attribute__((noinline)) static void fill_stack(int v) { char a[200000]; memset(a, v, sizeof a); asm volatile("" :: "r"(a) : "memory"); }
static std::shared_ptr<char> storage(size_t bytes) { char* p = (char*)aligned_alloc(4096, (bytes + 4095) / 4096 * 4096); memset(p, 0, (bytes + 4095) / 4096 * 4096); return std::shared_ptr<char>(p, free); }
// Params twice, over stacks of zeros and of ones: a byte that differs is padding, and becomes zero
template <class Params, class Make> static Params& build(Launch& l, Make make) {
  l.bytes = sizeof(Params); l.params = storage(sizeof(Params)); auto other = storage(sizeof(Params));
  fill_stack(0); new (l.params.get()) Params(make()); fill_stack(0xff); new (other.get()) Params(make());
  for (size_t i = 0; i < sizeof(Params); i++) if (l.params.get()[i] != other.get()[i]) l.params.get()[i] = 0;
  return *(Params*)l.params.get();
}
static bool g_dry = false;
#define STEP(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s: %s: %s\n", name, #x, cudaGetErrorString(e_)); cudaGetLastError(); goto done; } } while (0)
static void run_struct(const char* name, const void* fn, const char* kernel, std::vector<Buffer> buffers, std::function<Launch(std::vector<char*>&)> make) {
  if (g_filter && !strstr(name, g_filter)) return;
  std::vector<char*> at(buffers.size(), nullptr); unsigned long long* sums = nullptr; Launch l; std::string line; char t[512]; bool first;
  uintptr_t fake = 0x7f5000000000ULL; std::vector<std::vector<char>> contents(buffers.size());
  auto cut = [&](const unsigned char* p, size_t bytes) {   // bytes, and the words that are addresses within the buffers
    std::string hex, line; char t[512]; bool first = true;
    auto flush = [&] { if (hex.empty()) return; line += std::string(first ? "" : ",") + "{\"bytes\":\"" + hex + "\"}"; hex.clear(); first = false; };
    for (size_t i = 0; i < bytes;) {
      uint64_t v = 0; size_t found = SIZE_MAX; if (i % 8 == 0 && i + 8 <= bytes) { memcpy(&v, p + i, 8); for (size_t k = 0; k < at.size(); k++) if (v >= (uint64_t)at[k] && v < (uint64_t)at[k] + buffers[k].bytes) found = k; }
      if (found == SIZE_MAX) { snprintf(t, sizeof t, "%02x", p[i]); hex += t; i++; continue; }
      flush(); snprintf(t, sizeof t, "%s{\"pointer\":\"%s\",\"offset\":%llu}", first ? "" : ",", buffers[found].name.c_str(), (unsigned long long)(v - (uint64_t)at[found])); line += t; first = false; i += 8;
    }
    flush(); return line;
  };
  for (size_t k = 0; k < buffers.size(); k++) {
    Buffer& b = buffers[k];
    if (g_dry) { at[k] = (char*)fake; fake += (b.bytes + 0x1fffff) / 0x200000 * 0x200000; continue; }
    STEP(cudaMalloc((void**)&at[k], b.bytes));
    if (b.init == PIECES) continue;
    if (b.init == BITS) init_buffer<<<2048, 256>>>((uint32_t*)at[k], b.bytes / 4, b.seed, b.keep, b.set); else init_buffer<<<2048, 256>>>((uint32_t*)at[k], b.bytes / 4, b.init, b.seed, 0u);
    STEP(cudaGetLastError());
  }
  for (size_t k = 0; k < buffers.size(); k++) if (buffers[k].init == PIECES) { contents[k] = buffers[k].fill(at); contents[k].resize(buffers[k].bytes); if (!g_dry) STEP(cudaMemcpy(at[k], contents[k].data(), buffers[k].bytes, cudaMemcpyHostToDevice)); }
  { std::stringstream said; auto* old = std::cerr.rdbuf(said.rdbuf()); l = make(at); std::cerr.rdbuf(old);   // CUTLASS only tells standard error that a tensor map could not be made
    if (!g_dry && said.str().find("Failed to initialize") != std::string::npos) { fprintf(stderr, "%s: %s\n", name, said.str().c_str()); goto done; } }
  if (!l.ok) { fprintf(stderr, "%s: %s\n", name, l.why.c_str()); goto done; }
  if (!g_dry) {
    void* args[] = {l.params.get()};
    if (l.smem > 48 * 1024) STEP(cudaFuncSetAttribute(fn, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)l.smem));
    STEP(cudaDeviceSynchronize());
    STEP(cudaLaunchKernel(fn, l.grid, l.block, args, l.smem, 0)); STEP(cudaGetLastError()); STEP(cudaDeviceSynchronize());
  }
  snprintf(t, sizeof t, "{\"case\":\"%s\",\"kernel\":\"%s\",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"dynamic_shared_bytes\":%zu,\"buffers\":[", name, kernel, l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z, l.smem); line = t;
  for (size_t k = 0; k < buffers.size(); k++) {
    Buffer& b = buffers[k]; snprintf(t, sizeof t, "%s{\"buffer\":\"%s\",\"bytes\":%zu,\"init\":\"%s\",\"seed\":%u", k ? "," : "", b.name.c_str(), b.bytes, b.init == BITS ? "bits" : b.init == PIECES ? "pieces" : INIT_NAME[b.init], b.seed); line += t;
    if (b.init == PIECES) line += ",\"pieces\":[" + cut((const unsigned char*)contents[k].data(), b.bytes) + "]";
    if (b.init == BITS) { snprintf(t, sizeof t, ",\"and\":%u,\"or\":%u", b.keep, b.set); line += t; }
    line += "}";
  }
  line += "],\"args\":[{\"struct\":[";
  line += cut((const unsigned char*)l.params.get(), l.bytes);
  line += "]}],\"checksums\":{"; first = true;
  for (size_t k = 0; k < buffers.size() && !g_dry; k++) if (buffers[k].out) {
    unsigned long long h[2]; if (!sums) STEP(cudaMalloc(&sums, 16));
    STEP(cudaMemset(sums, 0, 16)); checksum_buffer<<<1024, 256>>>((uint32_t*)at[k], buffers[k].bytes / 4, sums); STEP(cudaGetLastError());
    STEP(cudaMemcpy(h, sums, 16, cudaMemcpyDeviceToHost)); snprintf(t, sizeof t, "%s\"%s\":[\"%016llx\",\"%016llx\"]", first ? "" : ",", buffers[k].name.c_str(), h[0], h[1]); line += t; first = false;
  }
  line += "}}\n"; fputs(line.c_str(), stdout); fflush(stdout);
done:
  if (g_dry) return;
  if (sums) cudaFree(sums);
  for (char* p : at) if (p) cudaFree(p);
  if (cudaError_t e = cudaDeviceSynchronize(); e != cudaSuccess) { fprintf(stderr, "%s: %s, stopping\n", name, cudaGetErrorString(e)); exit(1); }   // a sticky error
}
#define CASE(NAME, KERNEL, BUFFERS, ...) run_struct(NAME, (const void*)KERNEL, #KERNEL, BUFFERS, __VA_ARGS__)
using Buffers = std::vector<Buffer>; using At = std::vector<char*>;

// ---------------------------------------------------------------- wrappers: a kernel of the templates under a C name
extern __shared__ __align__(1024) char dynamic_smem[];
#define KERNEL3(KERN, NAME) extern "C" __global__ void __launch_bounds__(KERN::MaxThreadsPerBlock, KERN::MinBlocksPerMultiprocessor) NAME(CUTLASS_GRID_CONSTANT typename KERN::Params const params) { KERN op; op(params, dynamic_smem); }
#define KERNEL3_CLUSTER(KERN, NAME, X, Y, Z) static_assert(KERN_CLUSTER(KERN, X, Y, Z), ""); extern "C" __global__ void __cluster_dims__(X, Y, Z) __launch_bounds__(KERN::MaxThreadsPerBlock, KERN::MinBlocksPerMultiprocessor) NAME(CUTLASS_GRID_CONSTANT typename KERN::Params const params) { KERN op; op(params, dynamic_smem); }
#define KERN_CLUSTER(KERN, X, Y, Z) (cute::size<0>(KERN::ClusterShape{}) == X && cute::size<1>(KERN::ClusterShape{}) == Y && cute::size<2>(KERN::ClusterShape{}) == Z)
#define KERNEL2(KERN, NAME) extern "C" __global__ void __launch_bounds__(KERN::kThreadCount) NAME(typename KERN::Params params) { KERN op; op(params, *reinterpret_cast<typename KERN::SharedStorage*>(dynamic_smem)); }

using namespace cute;
namespace cg3 = cutlass::gemm::collective; namespace ce3 = cutlass::epilogue::collective; namespace fusion = cutlass::epilogue::fusion;
using Row = cutlass::layout::RowMajor; using Col = cutlass::layout::ColumnMajor; using hf = cutlass::half_t; using bfloat = cutlass::bfloat16_t; using e4m3_t = cutlass::float_e4m3_t; using tf32_t = cutlass::tfloat32_t;
template <class T> constexpr int per16 = 128 / cutlass::sizeof_bits<T>::value;
static constexpr int SMS = 132;
static cutlass::KernelHardwareInfo hardware() { cutlass::KernelHardwareInfo h{}; h.device_id = 0; h.sm_count = SMS; return h; }

// ElementC may be void (no source)
template <class A, class LA, class B, class LB, class C, class D, class LD, class Acc, class Tile, class Cluster, class Schedule, class EpiSchedule, class Fusion = fusion::LinearCombination<D, float, C, float>, class Scheduler = cutlass::gemm::PersistentScheduler,
          int AlignA = per16<A>, int AlignB = per16<B>, class Op = cutlass::arch::OpClassTensorOp, class EpiAcc = float>
struct Gemm3 {
  using Epilogue = typename ce3::CollectiveBuilder<cutlass::arch::Sm90, Op, Tile, Cluster, ce3::EpilogueTileAuto, Acc, EpiAcc, C, LD, per16<D>, D, LD, per16<D>, EpiSchedule, Fusion>::CollectiveOp;
  using Mainloop = typename cg3::CollectiveBuilder<cutlass::arch::Sm90, Op, A, LA, AlignA, B, LB, AlignB, Acc, Tile, Cluster, cg3::StageCountAutoCarveout<(int)sizeof(typename Epilogue::SharedStorage)>, Schedule>::CollectiveOp;
  using Kernel = cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>, Mainloop, Epilogue, Scheduler>;
};
template <class Kern> static Launch launch3(typename Kern::Arguments const& args, char* workspace = nullptr, size_t workspace_bytes = 0) {
  Launch l; size_t need = Kern::get_workspace_size(args);
  if (!Kern::can_implement(args)) { l.why = "the kernel cannot do this problem"; return l; }
  if (need > workspace_bytes) { l.why = "workspace of " + std::to_string(need) + " bytes needed"; return l; }
  auto& params = build<typename Kern::Params>(l, [&] { return Kern::to_underlying_arguments(args, workspace); });
  l.grid = Kern::get_grid_shape(params); l.block = Kern::get_block_shape(); l.smem = Kern::SharedStorageSize; l.ok = true; return l;
}
// arguments of a plain GEMM: D = alpha * A * B + beta * C
template <class Kern> static typename Kern::Arguments arguments3(int m, int n, int k, int batch, const void* a, const void* b, const void* c, void* d, float alpha = 1, float beta = 0) {
  typename Kern::Arguments args{}; args.mode = cutlass::gemm::GemmUniversalMode::kGemm; args.problem_shape = {m, n, k, batch};
  args.mainloop.ptr_A = (decltype(args.mainloop.ptr_A))a; args.mainloop.ptr_B = (decltype(args.mainloop.ptr_B))b;
  args.mainloop.dA = cutlass::make_cute_packed_stride(typename Kern::StrideA{}, make_shape(m, k, batch)); args.mainloop.dB = cutlass::make_cute_packed_stride(typename Kern::StrideB{}, make_shape(n, k, batch));
  args.epilogue.ptr_C = (decltype(args.epilogue.ptr_C))c; args.epilogue.ptr_D = (decltype(args.epilogue.ptr_D))d;
  args.epilogue.dC = cutlass::make_cute_packed_stride(typename Kern::StrideC{}, make_shape(m, n, batch)); args.epilogue.dD = cutlass::make_cute_packed_stride(typename Kern::StrideD{}, make_shape(m, n, batch));
  args.epilogue.thread.alpha = alpha; args.epilogue.thread.beta = beta; args.hw_info = hardware(); return args;
}
template <class Kern> static void gemm3(const char* name, const void* fn, const char* kernel, Buffer a, Buffer b, Buffer d, int m, int n, int k, int batch = 1, float alpha = 1, size_t workspace = 0) {
  Buffers buffers{a, b, d}; if (workspace) buffers.push_back(zeros("workspace", workspace));
  run_struct(name, fn, kernel, buffers, [=](At& p) { return launch3<Kern>(arguments3<Kern>(m, n, k, batch, p[0], p[1], nullptr, p[2], alpha), workspace ? p[3] : nullptr, workspace); });
}
#define GEMM3(NAME, KERN, FN, ...) gemm3<KERN>(NAME, (const void*)FN, #FN, __VA_ARGS__)
struct Size { int m, n, k; };
static char g_name[128];
static const char* named(const char* base, Size s) { if (s.m == s.n && s.n == s.k) snprintf(g_name, sizeof g_name, "%s_%d", base, s.m); else snprintf(g_name, sizeof g_name, "%s_%dx%dx%d", base, s.m, s.n, s.k); return g_name; }
using u64 = size_t;

// ================================================================ Hopper
#if IN_PART(1)   // f16, ping-pong
using PingpongF16 = Gemm3<hf, Row, hf, Col, void, hf, Row, float, Shape<_64, _128, _64>, Shape<_1, _1, _1>, cutlass::gemm::KernelTmaWarpSpecializedPingpong, cutlass::epilogue::TmaWarpSpecialized, fusion::LinearCombination<hf, float, void, float>>::Kernel;
KERNEL3(PingpongF16, k_pingpong_f16)
static void part1() { for (Size s : {Size{1024, 1024, 1024}, Size{2048, 1536, 128}, Size{1000, 328, 264}, Size{128, 256, 4096}}) GEMM3(named("gemm_pingpong_f16", s), PingpongF16, k_pingpong_f16, f16("a", u64(s.m) * s.k, 1), f16("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 2), s.m, s.n, s.k);
  GEMM3("gemm_pingpong_f16_batch5_192x256x128", PingpongF16, k_pingpong_f16, f16("a", u64(5) * 192 * 128, 1), f16("b", u64(5) * 256 * 128, 2), result("d", u64(5) * 192 * 256 * 2), 192, 256, 128, 5); }
#endif
#if IN_PART(2)   // f16, cooperative, cluster 2x1, B along n
using CooperativeF16 = Gemm3<hf, Row, hf, Row, void, hf, Row, float, Shape<_128, _256, _64>, Shape<_2, _1, _1>, cutlass::gemm::KernelTmaWarpSpecializedCooperative, cutlass::epilogue::TmaWarpSpecializedCooperative, fusion::LinearCombination<hf, float, void, float>>::Kernel;
KERNEL3_CLUSTER(CooperativeF16, k_cooperative_f16, 2, 1, 1)
static void part2() { for (Size s : {Size{1024, 1024, 512}, Size{2000, 1304, 136}}) GEMM3(named("gemm_cooperative_f16", s), CooperativeF16, k_cooperative_f16, f16("a", u64(s.m) * s.k, 1), f16("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 2), s.m, s.n, s.k); }
#endif
#if IN_PART(3)   // bf16, cooperative, cluster 1x2, alpha A B + beta C
using CooperativeBf16 = Gemm3<bfloat, Row, bfloat, Col, bfloat, bfloat, Row, float, Shape<_128, _128, _64>, Shape<_1, _2, _1>, cutlass::gemm::KernelTmaWarpSpecializedCooperative, cutlass::epilogue::TmaWarpSpecializedCooperative>::Kernel;
KERNEL3_CLUSTER(CooperativeBf16, k_cooperative_bf16, 1, 2, 1)
static void part3() {
  for (Size s : {Size{1024, 768, 512}, Size{520, 1000, 200}})
    CASE(named("gemm_cooperative_bf16", s), k_cooperative_bf16, (Buffers{bf16("a", u64(s.m) * s.k, 1), bf16("b", u64(s.n) * s.k, 2), bf16("c", u64(s.m) * s.n, 3), result("d", u64(s.m) * s.n * 2)}),
         [=](At& p) { return launch3<CooperativeBf16>(arguments3<CooperativeBf16>(s.m, s.n, s.k, 1, p[0], p[1], p[2], p[3], 0.75f, -1.5f)); });
}
#endif
#if IN_PART(4)   // e4m3: fast accumulation, cooperative; and accumulation promoted in registers, ping-pong
using Fp8Fast = Gemm3<e4m3_t, Row, e4m3_t, Col, void, hf, Row, float, Shape<_128, _128, _128>, Shape<_1, _1, _1>, cutlass::gemm::KernelTmaWarpSpecializedCooperativeFP8FastAccum, cutlass::epilogue::TmaWarpSpecializedCooperative, fusion::LinearCombination<hf, float, void, float>>::Kernel;
KERNEL3(Fp8Fast, k_fp8_fast)
static void part4() { for (Size s : {Size{1024, 1024, 1024}, Size{400, 656, 336}}) GEMM3(named("gemm_fp8_fast", s), Fp8Fast, k_fp8_fast, e4m3("a", u64(s.m) * s.k, 1), e4m3("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 2), s.m, s.n, s.k, 1, 0.125f); }
#endif
#if IN_PART(5)
using Fp8Promoted = Gemm3<e4m3_t, Row, e4m3_t, Col, void, bfloat, Col, float, Shape<_64, _128, _128>, Shape<_2, _1, _1>, cutlass::gemm::KernelTmaWarpSpecializedPingpong, cutlass::epilogue::TmaWarpSpecialized, fusion::LinearCombination<bfloat, float, void, float>>::Kernel;
KERNEL3_CLUSTER(Fp8Promoted, k_fp8_promoted, 2, 1, 1)
static void part5() { for (Size s : {Size{1024, 1024, 512}, Size{264, 400, 1040}}) GEMM3(named("gemm_fp8_promoted", s), Fp8Promoted, k_fp8_promoted, e4m3("a", u64(s.m) * s.k, 1), e4m3("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 2), s.m, s.n, s.k); }
#endif
#if IN_PART(6)   // tf32
using Tf32 = Gemm3<tf32_t, Row, tf32_t, Col, void, float, Row, float, Shape<_128, _128, _32>, Shape<_1, _1, _1>, cutlass::gemm::KernelTmaWarpSpecialized, cutlass::epilogue::TmaWarpSpecialized, fusion::LinearCombination<float, float, void, float>>::Kernel;
KERNEL3(Tf32, k_tf32)
static void part6() { for (Size s : {Size{1024, 1024, 256}, Size{300, 500, 100}}) GEMM3(named("gemm_tf32", s), Tf32, k_tf32, f32("a", u64(s.m) * s.k, 1), f32("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 4), s.m, s.n, s.k); }
#endif
#if IN_PART(7)   // s8 to s32
using S8 = Gemm3<int8_t, Row, int8_t, Col, void, int32_t, Row, int32_t, Shape<_128, _128, _128>, Shape<_1, _1, _1>, cutlass::gemm::KernelTmaWarpSpecializedCooperative, cutlass::epilogue::TmaWarpSpecializedCooperative, fusion::LinearCombination<int32_t, int32_t, void, int32_t>, cutlass::gemm::PersistentScheduler, 16, 16, cutlass::arch::OpClassTensorOp, int32_t>::Kernel;
KERNEL3(S8, k_s8)
static void part7() { for (Size s : {Size{1024, 1024, 512}, Size{200, 264, 144}}) GEMM3(named("gemm_s8", s), S8, k_s8, s8("a", u64(s.m) * s.k, 1), s8("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 4), s.m, s.n, s.k); }
#endif
#if IN_PART(8)   // f16, one consumer warpgroup, bias a row and GELU
using BiasGelu = Gemm3<hf, Row, hf, Col, void, hf, Row, float, Shape<_64, _128, _64>, Shape<_1, _1, _1>, cutlass::gemm::KernelTmaWarpSpecialized, cutlass::epilogue::TmaWarpSpecialized, fusion::LinCombPerRowBiasEltAct<cutlass::epilogue::thread::GELU, hf, float, hf, void, float>>::Kernel;
KERNEL3(BiasGelu, k_bias_gelu)
static void part8() {
  for (Size s : {Size{1024, 512, 256}, Size{328, 200, 520}})
    CASE(named("gemm_bias_gelu", s), k_bias_gelu, (Buffers{f16("a", u64(s.m) * s.k, 1), f16("b", u64(s.n) * s.k, 2), f16("bias", s.m, 3), result("d", u64(s.m) * s.n * 2)}),
         [=](At& p) { auto args = arguments3<BiasGelu>(s.m, s.n, s.k, 1, p[0], p[1], nullptr, p[3], 0.0625f); args.epilogue.thread.bias_ptr = (hf*)p[2]; return launch3<BiasGelu>(args); });
}
#endif
#if IN_PART(9)   // f16, stream-K
using StreamK = Gemm3<hf, Row, hf, Col, void, hf, Row, float, Shape<_128, _128, _64>, Shape<_1, _1, _1>, cutlass::gemm::KernelTmaWarpSpecializedCooperative, cutlass::epilogue::TmaWarpSpecializedCooperative, fusion::LinearCombination<hf, float, void, float>, cutlass::gemm::StreamKScheduler>::Kernel;
KERNEL3(StreamK, k_stream_k)
static void part9() {
  using Mode = cutlass::gemm::kernel::detail::PersistentTileSchedulerSm90StreamKParams::DecompositionMode;
  struct Choice { Size s; Mode mode; int splits; const char* name; };
  for (Choice c : {Choice{{1024, 1280, 512}, Mode::StreamK, 1, "gemm_stream_k"}, Choice{{384, 384, 2048}, Mode::StreamK, 1, "gemm_stream_k"}, Choice{{256, 264, 1536}, Mode::SplitK, 6, "gemm_stream_k_split"}}) {
    Size s = c.s; auto make = [=](const char* a, const char* b, char* d) {
      auto args = arguments3<StreamK>(s.m, s.n, s.k, 1, a, b, nullptr, d, 1); args.scheduler.splits = c.splits; args.scheduler.decomposition_mode = c.mode; args.scheduler.reduction_mode = cutlass::gemm::kernel::detail::PersistentTileSchedulerSm90StreamKParams::ReductionMode::Deterministic; return args; };
    u64 workspace = StreamK::get_workspace_size(make(nullptr, nullptr, nullptr)); if (workspace == 0) workspace = 16;
    CASE(named(c.name, s), k_stream_k, (Buffers{f16("a", u64(s.m) * s.k, 1), f16("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 2), zeros("workspace", workspace)}), [=](At& p) { return launch3<StreamK>(make(p[0], p[1], p[2]), p[3], workspace); });
  }
}
#endif
#if IN_PART(10)   // s8 weights times f16, converted in registers
using MixedS8 = Gemm3<int8_t, Row, hf, Col, void, hf, Col, float, Shape<_128, _128, _64>, Shape<_1, _1, _1>, cutlass::gemm::KernelTmaWarpSpecializedCooperative, cutlass::epilogue::TmaWarpSpecializedCooperative, fusion::LinearCombination<hf, float, void, float>>::Kernel;
KERNEL3(MixedS8, k_mixed_s8)
static void part10() { for (Size s : {Size{1024, 512, 512}, Size{520, 136, 208}}) GEMM3(named("gemm_mixed_s8", s), MixedS8, k_mixed_s8, s8("a", u64(s.m) * s.k, 1), f16("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 2), s.m, s.n, s.k, 1, 0.0078125f); }
#endif
#if IN_PART(11)   // s4 weights with an f16 scale a row and 128 along k, times f16
using MixedS4 = Gemm3<cute::tuple<cutlass::int4b_t, hf>, Row, hf, Col, void, hf, Col, float, Shape<_128, _64, _64>, Shape<_1, _1, _1>, cutlass::gemm::KernelTmaWarpSpecializedCooperative, cutlass::epilogue::TmaWarpSpecializedCooperative, fusion::LinearCombination<hf, float, void, float>, cutlass::gemm::PersistentScheduler, 32, 8>::Kernel;
KERNEL3(MixedS4, k_mixed_s4)
static void part11() {
  for (Size s : {Size{1024, 512, 512}, Size{328, 72, 768}})
    CASE(named("gemm_mixed_s4", s), k_mixed_s4, (Buffers{s8("a", u64(s.m) * s.k / 2, 1), f16("b", u64(s.n) * s.k, 2), f16("scale", u64(s.m) * (s.k / 128), 3), result("d", u64(s.m) * s.n * 2)}), [=](At& p) {
      auto args = arguments3<MixedS4>(s.m, s.n, s.k, 1, p[0], p[1], nullptr, p[3], 0.125f); args.mainloop.ptr_S = (decltype(args.mainloop.ptr_S))p[2]; args.mainloop.group_size = 128;
      args.mainloop.dS = cutlass::make_cute_packed_stride(typename MixedS4::CollectiveMainloop::StrideScale{}, make_shape(s.m, s.k / 128, 1)); return launch3<MixedS4>(args); });
}
#endif
#if IN_PART(12)   // f16, operands by cp.async (8 bytes aligned only)
using CpAsync = Gemm3<hf, Row, hf, Col, hf, hf, Row, float, Shape<_128, _128, _64>, Shape<_1, _1, _1>, cutlass::gemm::KernelCpAsyncWarpSpecializedCooperative, cutlass::epilogue::NoSmemWarpSpecialized, fusion::LinearCombination<hf, float, hf, float>, cutlass::gemm::PersistentScheduler, 4, 4>::Kernel;
KERNEL3(CpAsync, k_cp_async)
static void part12() {
  for (Size s : {Size{1024, 512, 256}, Size{300, 200, 268}})
    CASE(named("gemm_cp_async", s), k_cp_async, (Buffers{f16("a", u64(s.m) * s.k, 1), f16("b", u64(s.n) * s.k, 2), f16("c", u64(s.m) * s.n, 3), result("d", u64(s.m) * s.n * 2)}), [=](At& p) { return launch3<CpAsync>(arguments3<CpAsync>(s.m, s.n, s.k, 1, p[0], p[1], p[2], p[3], 1.0f, 0.5f)); });
}
#endif
#if IN_PART(13)   // e4m3 with a scale for each 128 x 128 block of A and of B
using BlockwiseConfig = decltype(cutlass::detail::sm90_trivial_blockwise_scale_config(Shape<_128, _128, _128>{})); using BlockwiseA = decltype(BlockwiseConfig::deduce_layoutSFA()); using BlockwiseB = decltype(BlockwiseConfig::deduce_layoutSFB());
using Blockwise = Gemm3<e4m3_t, cute::tuple<Row, BlockwiseA>, e4m3_t, cute::tuple<Col, BlockwiseB>, void, bfloat, Row, float, Shape<_128, _128, _128>, Shape<_1, _2, _1>, cutlass::gemm::KernelTmaWarpSpecializedCooperativeFP8Blockwise, cutlass::epilogue::TmaWarpSpecializedCooperative, fusion::LinearCombination<bfloat, float, void, float>>::Kernel;
KERNEL3_CLUSTER(Blockwise, k_fp8_blockwise, 1, 2, 1)
static void part13() {
  for (Size s : {Size{1024, 768, 512}, Size{264, 520, 1024}}) {
    auto la = BlockwiseConfig::tile_atom_to_shape_SFA(make_shape(s.m, s.n, s.k, 1)); auto lb = BlockwiseConfig::tile_atom_to_shape_SFB(make_shape(s.m, s.n, s.k, 1));
    CASE(named("gemm_fp8_blockwise", s), k_fp8_blockwise, (Buffers{e4m3("a", u64(s.m) * s.k, 1), e4m3("b", u64(s.n) * s.k, 2), f32("scale_a", size(filter_zeros(la)), 3), f32("scale_b", size(filter_zeros(lb)), 4), result("d", u64(s.m) * s.n * 2)}), [=](At& p) {
      auto args = arguments3<Blockwise>(s.m, s.n, s.k, 1, p[0], p[1], nullptr, p[4]); args.mainloop.ptr_SFA = (float*)p[2]; args.mainloop.layout_SFA = la; args.mainloop.ptr_SFB = (float*)p[3]; args.mainloop.layout_SFB = lb; return launch3<Blockwise>(args); });
  }
}
#endif
#if IN_PART(14)   // f16 with A half empty (wgmma.sp); A's positions: any bits of the form 1x0y in four
using Sparse = Gemm3<hf, Row, hf, Col, void, float, Row, float, Shape<_128, _128, _128>, Shape<_1, _2, _1>, cutlass::gemm::KernelTmaWarpSpecializedCooperative, cutlass::epilogue::TmaWarpSpecializedCooperative, fusion::LinearCombination<float, float, void, float>, cutlass::gemm::PersistentScheduler, 8, 8, cutlass::arch::OpClassSparseTensorOp>::Kernel;
KERNEL3_CLUSTER(Sparse, k_sparse_f16, 1, 2, 1)
static void part14() {
  for (Size s : {Size{1024, 768, 512}, Size{384, 512, 1024}})
    CASE(named("gemm_sparse_f16", s), k_sparse_f16, (Buffers{f16("a", u64(s.m) * s.k / 2, 1), f16("b", u64(s.n) * s.k, 2), bits("positions", u64(s.m) * s.k / 8, 3, 0x55555555U, 0x88888888U), result("d", u64(s.m) * s.n * 4)}), [=](At& p) {
      using Main = Sparse::CollectiveMainloop; typename Sparse::Arguments args{}; auto shape = make_tuple(s.m, s.n, s.k, 1); args.mode = cutlass::gemm::GemmUniversalMode::kGemm; args.problem_shape = {s.m, s.n, s.k, 1};
      args.mainloop = {(decltype(args.mainloop.ptr_A))p[0], Main::SparseConfig::fill_layoutA(shape), (decltype(args.mainloop.ptr_B))p[1], cutlass::make_cute_packed_stride(typename Sparse::StrideB{}, make_shape(s.n, s.k, 1)), (decltype(args.mainloop.ptr_E))p[2], Main::SparseConfig::fill_layoutE(shape)};
      args.epilogue.ptr_D = (float*)p[3]; args.epilogue.dD = cutlass::make_cute_packed_stride(typename Sparse::StrideD{}, make_shape(s.m, s.n, 1)); args.epilogue.dC = cutlass::make_cute_packed_stride(typename Sparse::StrideC{}, make_shape(s.m, s.n, 1));
      args.epilogue.thread.alpha = 1; args.epilogue.thread.beta = 0; args.hw_info = hardware(); return launch3<Sparse>(args); });
}
#endif
#if IN_PART(15)   // attention, forward (example 88): ping-pong, causal; and without specialized warps
template <class Tile, class Policy, class Mask> using Attention = typename cutlass::fmha::kernel::FmhaBuilder<hf, float, float, Tile, cute::tuple<int, _1, cute::tuple<int, int>>, cute::tuple<int, _1, cute::tuple<int, int>>, cute::tuple<int, _1, cute::tuple<int, int>>, Mask, Policy>::Kernel;
using AttentionCausal = Attention<Shape<_128, _64, _64>, cutlass::gemm::KernelTmaWarpSpecializedPingpong, cutlass::fmha::collective::CausalFusion>;
KERNEL3(AttentionCausal, k_attention_causal)
using AttentionTma = Attention<Shape<_64, _128, _64>, cutlass::gemm::KernelTma, cutlass::fmha::collective::DefaultFusion>;
KERNEL3(AttentionTma, k_attention_tma)
template <class Kern> static Launch attention(int B, int H, int Q, int Kv, int D, At& p) {
  typename Kern::Arguments args{}; args.problem_size = {B, H, Q, Kv, D}; auto rows = [=](int n) { return make_stride(D, _1{}, make_stride(H * n * D, n * D)); };
  args.mainloop = {(hf*)p[0], rows(Q), (hf*)p[1], rows(Kv), (hf*)p[2], rows(Kv)}; args.epilogue = {(hf*)p[3], rows(Q), (float*)p[4], make_stride(_1{}, make_stride(H * Q, Q))}; args.hw_info = hardware();
  return launch3<Kern>(args);
}
#define ATTENTION(NAME, KERN, FN, B, H, Q, KV, D) CASE(NAME, FN, (Buffers{f16("q", u64(B) * H * Q * D, 1), f16("k", u64(B) * H * KV * D, 2), f16("v", u64(B) * H * KV * D, 3), result("o", u64(B) * H * Q * D * 2), result("lse", u64(B) * H * Q * 4)}), [=](At& p) { return attention<KERN>(B, H, Q, KV, D, p); })
static void part15() { ATTENTION("attention_causal_2x4x512x64", AttentionCausal, k_attention_causal, 2, 4, 512, 512, 64); ATTENTION("attention_causal_1x24x1024x64", AttentionCausal, k_attention_causal, 1, 24, 1024, 1024, 64); ATTENTION("attention_tma_2x5x192x384x64", AttentionTma, k_attention_tma, 2, 5, 192, 384, 64); }
#endif
#if IN_PART(16)   // f16, softmax of the two largest of a row in the epilogue (example 61)
struct TopK {
  using Epilogue = typename ce3::CollectiveBuilder<cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Shape<_64, _64, _128>, Shape<_1, _1, _1>, decltype(cute::take<0, 2>(Shape<_64, _64, _128>{})), float, float, void, Row, 1, hf, Row, 8, cutlass::epilogue::TmaWarpSpecialized, fusion::LinCombTopKSoftmaxCol<2, hf, float>>::CollectiveOp;
  using Mainloop = typename cg3::CollectiveBuilder<cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, hf, Row, 8, hf, Col, 8, float, Shape<_64, _64, _128>, Shape<_1, _1, _1>, cg3::StageCountAutoCarveout<(int)sizeof(typename Epilogue::SharedStorage)>, cutlass::gemm::KernelTmaWarpSpecialized>::CollectiveOp;
  using Kernel = cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>, Mainloop, Epilogue>;
};
using TopKKernel = TopK::Kernel;
KERNEL3(TopKKernel, k_top_k_softmax)
static void part16() { for (Size s : {Size{4096, 64, 256}, Size{1000, 40, 520}}) GEMM3(named("gemm_top_k_softmax", s), TopKKernel, k_top_k_softmax, f16("a", u64(s.m) * s.k, 1), f16("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 2), s.m, s.n, s.k, 1, 0.25f); }
#endif
#if IN_PART(17)   // f16, a group of products of different sizes: pointers, strides and sizes in tables, tensor maps rewritten by the kernel (example 57)
struct Group {
  using Epilogue = typename ce3::CollectiveBuilder<cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Shape<_128, _128, _64>, Shape<_1, _1, _1>, ce3::EpilogueTileAuto, float, float, hf, Row*, 8, hf, Row*, 8, cutlass::epilogue::PtrArrayTmaWarpSpecializedCooperative, fusion::LinearCombination<hf, float, hf, float>>::CollectiveOp;
  using Mainloop = typename cg3::CollectiveBuilder<cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, hf, Row*, 8, hf, Col*, 8, float, Shape<_128, _128, _64>, Shape<_1, _1, _1>, cg3::StageCountAutoCarveout<(int)sizeof(typename Epilogue::SharedStorage)>, cutlass::gemm::KernelPtrArrayTmaWarpSpecializedCooperative>::CollectiveOp;
  using Kernel = cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::GroupProblemShape<Shape<int, int, int>>, Mainloop, Epilogue>;
};
using Grouped = Group::Kernel;
KERNEL3(Grouped, k_grouped)
template <class T> static std::vector<char> bytes_of(const std::vector<T>& v) { std::vector<char> b(v.size() * sizeof(T)); memcpy(b.data(), v.data(), b.size()); return b; }
static void part17() {
  struct Choice { const char* name; std::vector<Size> sizes; };
  for (Choice c : {Choice{"gemm_grouped_f16_4", {{256, 384, 128}, {72, 128, 64}, {520, 200, 320}, {128, 128, 512}}}, Choice{"gemm_grouped_f16_40", std::vector<Size>(40, Size{384, 256, 192})}}) {
    std::vector<Size> sizes = c.sizes; int n = sizes.size(); u64 na = 0, nb = 0, nd = 0; std::vector<u64> oa, ob, od;
    for (Size s : sizes) { oa.push_back(na * 2); ob.push_back(nb * 2); od.push_back(nd * 2); na += u64(s.m) * s.k; nb += u64(s.n) * s.k; nd += u64(s.m) * s.n; }
    auto pointers = [=](int k, std::vector<u64> offsets) { return [=](At& p) { std::vector<char*> v; for (u64 o : offsets) v.push_back(p[k] + o); return bytes_of(v); }; };
    using SA = typename Grouped::InternalStrideA; using SB = typename Grouped::InternalStrideB; using SD = typename Grouped::InternalStrideD;
    std::vector<SA> sa; std::vector<SB> sb; std::vector<SD> sd; std::vector<Shape<int, int, int>> shapes;
    for (Size s : sizes) { sa.push_back(cutlass::make_cute_packed_stride(SA{}, make_shape(s.m, s.k, 1))); sb.push_back(cutlass::make_cute_packed_stride(SB{}, make_shape(s.n, s.k, 1))); sd.push_back(cutlass::make_cute_packed_stride(SD{}, make_shape(s.m, s.n, 1))); shapes.push_back({s.m, s.n, s.k}); }
    auto make = [=](At& p) {
      typename Grouped::Arguments args{}; args.mode = cutlass::gemm::GemmUniversalMode::kGrouped; args.problem_shape = {n, (Shape<int, int, int>*)p[4], nullptr};
      args.mainloop.ptr_A = (decltype(args.mainloop.ptr_A))p[5]; args.mainloop.dA = (SA*)p[6]; args.mainloop.ptr_B = (decltype(args.mainloop.ptr_B))p[7]; args.mainloop.dB = (SB*)p[8];
      args.epilogue.ptr_C = (decltype(args.epilogue.ptr_C))p[9]; args.epilogue.dC = (SD*)p[11]; args.epilogue.ptr_D = (decltype(args.epilogue.ptr_D))p[10]; args.epilogue.dD = (SD*)p[11];
      args.epilogue.thread.alpha = 1; args.epilogue.thread.beta = 0.5f; args.hw_info = hardware(); return args; };
    At none(13, nullptr); u64 workspace = Grouped::get_workspace_size(make(none)); if (!workspace) workspace = 16;
    CASE(c.name, k_grouped, (Buffers{f16("a", na, 1), f16("b", nb, 2), f16("c", nd, 3), result("d", nd * 2), table("sizes", shapes.size() * 12, [=](At&) { return bytes_of(shapes); }),
           table("a_at", n * 8, pointers(0, oa)), table("a_strides", sa.size() * sizeof(SA), [=](At&) { return bytes_of(sa); }), table("b_at", n * 8, pointers(1, ob)), table("b_strides", sb.size() * sizeof(SB), [=](At&) { return bytes_of(sb); }),
           table("c_at", n * 8, pointers(2, od)), table("d_at", n * 8, pointers(3, od)), table("d_strides", sd.size() * sizeof(SD), [=](At&) { return bytes_of(sd); }), zeros("workspace", workspace)}),
         [=](At& p) { return launch3<Grouped>(make(p), p[12], workspace); });
  }
}
#endif

// ================================================================ Ampere's API
using Swizzle2 = cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>; template <int M, int N, int K> using G = cutlass::gemm::GemmShape<M, N, K>;
template <class T, int N, class Acc, class Compute = Acc> using Linear = cutlass::epilogue::thread::LinearCombination<T, N, Acc, Compute>;
template <class Kern> static void finish2(Launch& l, dim3 grid) { l.grid = grid; l.block = dim3(Kern::kThreadCount); l.smem = sizeof(typename Kern::SharedStorage); l.ok = true; }
// as device::Gemm does it
template <class Dev> static Launch launch2(Size s, const void* a, const void* b, const void* c, void* d, float alpha, float beta, int slices = 1, void* workspace = nullptr) {
  using Kern = typename Dev::GemmKernel; Launch l; using EA = typename Dev::ElementA; using EB = typename Dev::ElementB; using EC = typename Dev::ElementC;
  typename Dev::ThreadblockSwizzle swizzle; cutlass::gemm::GemmCoord size(s.m, s.n, s.k), tiled = swizzle.get_tiled_shape(size, {Dev::ThreadblockShape::kM, Dev::ThreadblockShape::kN, Dev::ThreadblockShape::kK}, slices);
  auto la = Dev::LayoutA::packed({s.m, s.k}); auto lb = Dev::LayoutB::packed({s.k, s.n}); auto lc = Dev::LayoutC::packed({s.m, s.n});
  using Compute = typename Dev::EpilogueOutputOp::ElementCompute;
  typename Kern::Mma::IteratorA::TensorRef ra{(EA*)a, la}; typename Kern::Mma::IteratorB::TensorRef rb{(EB*)b, lb}; typename Kern::Epilogue::OutputTileIterator::TensorRef rc{(EC*)c, lc}, rd{(EC*)d, lc};
  if (Kern::can_implement(size, ra, rb, rc, rd) != cutlass::Status::kSuccess) { l.why = "the kernel cannot do this problem"; return l; }
  build<typename Kern::Params>(l, [&] { return typename Kern::Params(size, tiled, ra, rb, rc, rd, {Compute(alpha), Compute(beta)}, (int*)workspace); });
  finish2<Kern>(l, swizzle.get_grid_shape(tiled)); return l;
}
// d is read as the source too where beta is not 0 (c then is another buffer)
template <class Dev> static void gemm2(const char* name, const void* fn, const char* kernel, Buffer a, Buffer b, Buffer d, Size s, float alpha = 1) { run_struct(name, fn, kernel, {a, b, d}, [=](At& p) { return launch2<Dev>(s, p[0], p[1], p[2], p[2], alpha, 0); }); }
#define GEMM2(NAME, DEV, FN, ...) gemm2<DEV>(NAME, (const void*)FN, #FN, __VA_ARGS__)
using Tensor2 = cutlass::arch::OpClassTensorOp; using Sm80 = cutlass::arch::Sm80;

#if IN_PART(20)   // f16, 4 stages, with a source
using AmpereF16 = cutlass::gemm::device::Gemm<hf, Row, hf, Col, hf, Row, float, Tensor2, Sm80, G<128, 128, 32>, G<64, 64, 32>, G<16, 8, 16>, Linear<hf, 8, float>, Swizzle2, 4>; using AmpereF16Kernel = AmpereF16::GemmKernel;
KERNEL2(AmpereF16Kernel, k_ampere_f16)
static void part20() {
  for (Size s : {Size{1024, 1024, 512}, Size{1000, 328, 264}})
    CASE(named("ampere_f16", s), k_ampere_f16, (Buffers{f16("a", u64(s.m) * s.k, 1), f16("b", u64(s.n) * s.k, 2), f16("c", u64(s.m) * s.n, 3), result("d", u64(s.m) * s.n * 2)}), [=](At& p) { return launch2<AmpereF16>(s, p[0], p[1], p[2], p[3], 0.5f, 2.0f); });
}
#endif
#if IN_PART(21)   // tf32
using AmpereTf32 = cutlass::gemm::device::Gemm<float, Row, float, Col, float, Row, float, Tensor2, Sm80, G<128, 128, 16>, G<64, 64, 16>, G<16, 8, 8>, Linear<float, 4, float>, Swizzle2, 4>; using AmpereTf32Kernel = AmpereTf32::GemmKernel;
KERNEL2(AmpereTf32Kernel, k_ampere_tf32)
static void part21() { for (Size s : {Size{512, 512, 512}, Size{260, 392, 100}}) GEMM2(named("ampere_tf32", s), AmpereTf32, k_ampere_tf32, f32("a", u64(s.m) * s.k, 1), f32("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 4), s); }
#endif
#if IN_PART(22)   // s8 to s32
using AmpereS8 = cutlass::gemm::device::Gemm<int8_t, Row, int8_t, Col, int32_t, Row, int32_t, Tensor2, Sm80, G<128, 128, 64>, G<64, 64, 64>, G<16, 8, 32>, Linear<int32_t, 4, int32_t>, Swizzle2, 3>; using AmpereS8Kernel = AmpereS8::GemmKernel;
KERNEL2(AmpereS8Kernel, k_ampere_s8)
static void part22() { for (Size s : {Size{1024, 512, 512}, Size{200, 136, 208}}) GEMM2(named("ampere_s8", s), AmpereS8, k_ampere_s8, s8("a", u64(s.m) * s.k, 1), s8("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 4), s); }
#endif
#if IN_PART(23)   // f64
using AmpereF64 = cutlass::gemm::device::Gemm<double, Row, double, Col, double, Row, double, Tensor2, Sm80, G<64, 64, 16>, G<32, 32, 16>, G<8, 8, 4>, Linear<double, 1, double>, Swizzle2, 4>; using AmpereF64Kernel = AmpereF64::GemmKernel;
KERNEL2(AmpereF64Kernel, k_ampere_f64)
static void part23() { for (Size s : {Size{512, 512, 128}, Size{130, 91, 75}}) GEMM2(named("ampere_f64", s), AmpereF64, k_ampere_f64, f64("a", u64(s.m) * s.k, 1), f64("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 8), s); }
#endif
#if IN_PART(24)   // f32 without tensor cores, 2 stages
using Simt = cutlass::gemm::device::Gemm<float, Col, float, Row, float, Row, float, cutlass::arch::OpClassSimt, cutlass::arch::Sm50, G<128, 128, 8>, G<32, 64, 8>, G<1, 1, 1>, Linear<float, 1, float>, Swizzle2, 2>; using SimtKernel = Simt::GemmKernel;
KERNEL2(SimtKernel, k_simt_f32)
static void part24() { for (Size s : {Size{512, 512, 128}, Size{201, 137, 99}}) GEMM2(named("simt_f32", s), Simt, k_simt_f32, f32("a", u64(s.m) * s.k, 1), f32("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 4), s); }
#endif
#if IN_PART(25)   // f16, split-K with a semaphore a tile
using SplitK = cutlass::gemm::device::Gemm<hf, Row, hf, Row, hf, Row, float, Tensor2, Sm80, G<64, 64, 32>, G<32, 32, 32>, G<16, 8, 16>, Linear<hf, 8, float>, Swizzle2, 5, 8, 8, true>; using SplitKKernel = SplitK::GemmKernel;
KERNEL2(SplitKKernel, k_split_k)
static void part25() {
  struct Choice { Size s; int slices; };
  for (Choice c : {Choice{{256, 256, 2048}, 8}, Choice{{200, 136, 1000}, 3}}) { Size s = c.s;
    CASE(named("ampere_split_k", s), k_split_k, (Buffers{f16("a", u64(s.m) * s.k, 1), f16("b", u64(s.n) * s.k, 2), f16("c", u64(s.m) * s.n, 3), result("d", u64(s.m) * s.n * 2), zeros("semaphores", 4096)}), [=](At& p) { return launch2<SplitK>(s, p[0], p[1], p[2], p[3], 1, 1, c.slices, p[4]); }); }
}
#endif
#if IN_PART(26)   // f16 convolution as an implicit GEMM, iterators "optimized"
using ConvKernel = cutlass::conv::kernel::DefaultConv2dFprop<hf, cutlass::layout::TensorNHWC, hf, cutlass::layout::TensorNHWC, hf, cutlass::layout::TensorNHWC, float, Tensor2, Sm80, G<128, 64, 32>, G<64, 32, 32>, G<16, 8, 16>, Linear<hf, 8, float>, Swizzle2, 3, cutlass::arch::OpMultiplyAdd, cutlass::conv::IteratorAlgorithm::kOptimized>::Kernel;
KERNEL2(ConvKernel, k_conv2d)
static void part26() {
  struct Image { int n, h, w, c, k, r, s, pad, stride; };
  for (Image i : {Image{2, 28, 28, 64, 128, 3, 3, 1, 1}, Image{1, 17, 23, 40, 72, 5, 3, 2, 2}}) {
    int p = (i.h + 2 * i.pad - i.r) / i.stride + 1, q = (i.w + 2 * i.pad - i.s) / i.stride + 1; snprintf(g_name, sizeof g_name, "conv2d_f16_%dx%dx%dx%d_%d", i.n, i.h, i.w, i.c, i.k);
    CASE(g_name, k_conv2d, (Buffers{f16("image", u64(i.n) * i.h * i.w * i.c, 1), f16("filter", u64(i.k) * i.r * i.s * i.c, 2), result("d", u64(i.n) * p * q * i.k * 2)}), [=](At& at) {
      using NHWC = cutlass::layout::TensorNHWC; Launch l;
      cutlass::conv::Conv2dProblemSize size({i.n, i.h, i.w, i.c}, {i.k, i.r, i.s, i.c}, {i.pad, i.pad, i.pad, i.pad}, {i.stride, i.stride}, {1, 1}, {i.n, p, q, i.k}, cutlass::conv::Mode::kCrossCorrelation, 1);
      auto ld = NHWC::packed({i.n, p, q, i.k}); ConvKernel::Arguments args{size, {(hf*)at[0], NHWC::packed({i.n, i.h, i.w, i.c})}, {(hf*)at[1], NHWC::packed({i.k, i.r, i.s, i.c})}, {(hf*)at[2], ld}, {(hf*)at[2], ld}, {0.25f, 0.0f}};
      auto& params = build<ConvKernel::Params>(l, [&] { return ConvKernel::Params(args, nullptr); }); finish2<ConvKernel>(l, ConvKernel::ThreadblockSwizzle().get_grid_shape(params.grid_tiled_shape)); return l; });
  }
}
#endif
#if IN_PART(27)   // f32 by three tf32 products
using ThreeTf32 = cutlass::gemm::device::Gemm<float, Row, float, Col, float, Row, float, Tensor2, Sm80, G<128, 64, 16>, G<64, 32, 16>, G<16, 8, 8>, Linear<float, 4, float>, Swizzle2, 3, 4, 4, false, cutlass::arch::OpMultiplyAddFastF32>; using ThreeTf32Kernel = ThreeTf32::GemmKernel;
KERNEL2(ThreeTf32Kernel, k_three_tf32)
static void part27() { for (Size s : {Size{512, 512, 128}, Size{132, 72, 300}}) GEMM2(named("three_tf32", s), ThreeTf32, k_three_tf32, f32("a", u64(s.m) * s.k, 1), f32("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 4), s); }
#endif
#if IN_PART(28)   // f16, a batch of products
using Batched = cutlass::gemm::device::GemmBatched<hf, Col, hf, Row, hf, Row, hf, Tensor2, Sm80, G<64, 128, 32>, G<32, 64, 32>, G<16, 8, 16>, Linear<hf, 8, hf>, cutlass::gemm::threadblock::GemmBatchedIdentityThreadblockSwizzle, 3>; using BatchedKernel = Batched::GemmKernel;
KERNEL2(BatchedKernel, k_batched_f16)
static void part28() {
  struct Choice { Size s; int batch; };
  for (Choice c : {Choice{{128, 128, 64}, 48}, Choice{{72, 200, 104}, 7}}) { Size s = c.s; int batch = c.batch;
    CASE(named("ampere_batched_f16", s), k_batched_f16, (Buffers{f16("a", u64(s.m) * s.k * batch, 1), f16("b", u64(s.n) * s.k * batch, 2), result("d", u64(s.m) * s.n * batch * 2)}), [=](At& p) {
      Launch l; typename Batched::ThreadblockSwizzle swizzle; cutlass::gemm::GemmCoord size(s.m, s.n, s.k), tiled = swizzle.get_tiled_shape(size, {64, 128, 32}, batch);
      build<BatchedKernel::Params>(l, [&] { return BatchedKernel::Params(size, tiled, {(hf*)p[0], Col(s.m)}, int64_t(s.m) * s.k, {(hf*)p[1], Row(s.n)}, int64_t(s.n) * s.k, {(hf*)p[2], Row(s.n)}, int64_t(s.m) * s.n, {(hf*)p[2], Row(s.n)}, int64_t(s.m) * s.n, {hf(1.0f), hf(0.0f)}, batch); });
      finish2<BatchedKernel>(l, swizzle.get_grid_shape(tiled)); return l; }); }
}
#endif
#if IN_PART(29)   // complex f16, real and imaginary parts apart, A conjugated
using Planar = cutlass::gemm::kernel::DefaultGemmPlanarComplexUniversal<hf, Row, cutlass::ComplexTransform::kConjugate, 8, hf, Col, cutlass::ComplexTransform::kNone, 8, hf, Row, float, Tensor2, Sm80, G<64, 64, 32>, G<32, 32, 32>, G<16, 8, 16>, cutlass::epilogue::thread::LinearCombinationPlanarComplex<hf, 8, float, float>, Swizzle2, 3, cutlass::arch::OpMultiplyAdd>::GemmKernel;
KERNEL2(Planar, k_planar_complex)
static void part29() {
  for (Size s : {Size{256, 256, 256}, Size{136, 104, 72}})
    CASE(named("planar_complex_f16", s), k_planar_complex, (Buffers{f16("a_real", u64(s.m) * s.k, 1), f16("a_imag", u64(s.m) * s.k, 2), f16("b_real", u64(s.n) * s.k, 3), f16("b_imag", u64(s.n) * s.k, 4), result("d_real", u64(s.m) * s.n * 2), result("d_imag", u64(s.m) * s.n * 2)}), [=](At& p) {
      Launch l; Planar::Arguments args(cutlass::gemm::GemmUniversalMode::kGemm, {s.m, s.n, s.k}, 1, {cutlass::complex<float>(0.5f, 0.25f), cutlass::complex<float>(0, 0)}, p[0], p[1], p[2], p[3], p[4], p[5], p[4], p[5], s.k, s.k, s.k, s.k, s.n, s.n, s.n, s.n);
      auto& params = build<Planar::Params>(l, [&] { return Planar::Params(args, SMS, 2); }); finish2<Planar>(l, params.get_grid_dims()); return l; });
}
#endif
#if IN_PART(30)   // two f16 products of one A, and silu(first) * second (example 45)
using DualFirst = cutlass::epilogue::thread::LinearCombination<hf, 8, float, float, cutlass::epilogue::thread::ScaleType::Nothing>; using DualLast = cutlass::epilogue::thread::LeftSiLUAndMul<hf, 8, hf, float>;
struct DualDevice : cutlass::gemm::device::DualGemm<hf, Row, hf, Col, Col, hf, Row, float, Tensor2, Sm80, G<128, 64, 32>, G<64, 32, 32>, G<16, 8, 16>, DualFirst, DualFirst, DualLast, cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<1>, 3, true, true, false> {}; using DualKernel = DualDevice::DualGemmKernel;
KERNEL2(DualKernel, k_dual_gemm)
static void part30() {
  for (Size s : {Size{512, 512, 256}, Size{200, 136, 328}})
    CASE(named("dual_gemm_f16", s), k_dual_gemm, (Buffers{f16("a", u64(s.m) * s.k, 1), f16("b0", u64(s.n) * s.k, 2), f16("b1", u64(s.n) * s.k, 3), result("d0", u64(s.m) * s.n * 2), result("d1", u64(s.m) * s.n * 2), result("d2", u64(s.m) * s.n * 2)}), [=](At& p) {
      Launch l; cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<1> swizzle; cutlass::gemm::GemmCoord size(s.m, s.n, s.k), tiled = swizzle.get_tiled_shape(size, {128, 64, 32}, 1); Row ld(s.n);
      build<DualKernel::Params>(l, [&] { return DualKernel::Params(cutlass::gemm::DualGemmMode::kGemm, size, tiled, {(hf*)p[0], Row(s.k)}, {(hf*)p[1], Col(s.k)}, {(hf*)nullptr, ld}, {(hf*)p[3], ld}, {(hf*)p[2], Col(s.k)}, {(hf*)nullptr, ld}, {(hf*)p[4], ld}, {(hf*)p[5], ld}, {1.0f, 0.0f}, {1.0f, 0.0f}, {}, nullptr, 1, 1, 1, 1, 1); });
      finish2<DualKernel>(l, swizzle.get_grid_shape(tiled)); return l; });
}
#endif
#if IN_PART(31)   // f64, lower triangle of alpha A A' + beta C
using SyrkKernel = cutlass::gemm::device::RankK<double, Col, double, Row, cutlass::FillMode::kLower, double, Tensor2, Sm80, G<32, 32, 16>, G<16, 16, 16>, G<8, 8, 4>, Linear<double, 1, double>, Swizzle2, 4>::RankKkernel;
KERNEL2(SyrkKernel, k_syrk_f64)
static void part31() {
  struct Choice { int n, k; };
  for (Choice c : {Choice{384, 128}, Choice{101, 203}}) { int n = c.n, k = c.k; snprintf(g_name, sizeof g_name, "syrk_f64_%dx%d", n, k);
    CASE(g_name, k_syrk_f64, (Buffers{f64("a", u64(n) * k, 1), f64("c", u64(n) * n, 2), result("d", u64(n) * n * 8)}), [=](At& p) {   // only the lower triangle of d is written
      Launch l; Swizzle2 swizzle; cutlass::gemm::GemmCoord size(n, n, k), tiled = swizzle.get_tiled_shape(size, {32, 32, 16}, 1);
      SyrkKernel::Arguments args(cutlass::gemm::GemmUniversalMode::kGemm, size, 1, {1.5, -0.5}, p[0], p[1], p[2], int64_t(n) * k, int64_t(n) * n, int64_t(n) * n, n, n, n);
      build<SyrkKernel::Params>(l, [&] { return SyrkKernel::Params(args, tiled, k, nullptr); }); finish2<SyrkKernel>(l, swizzle.get_grid_shape(tiled)); return l; }); }
}
#endif
#if IN_PART(32)   // tf32, a lower triangle times a matrix
using TrmmKernel = cutlass::gemm::device::Trmm<float, Row, cutlass::SideMode::kLeft, cutlass::FillMode::kLower, cutlass::DiagType::kNonUnit, float, Col, float, Row, float, Tensor2, Sm80, G<64, 64, 32>, G<32, 32, 32>, G<16, 8, 8>, cutlass::epilogue::thread::LinearCombination<float, 4, float, float, cutlass::epilogue::thread::ScaleType::OnlyAlphaScaling>, Swizzle2, 3, 1, 4, false, cutlass::arch::OpMultiplyAdd>::TrmmKernel;
KERNEL2(TrmmKernel, k_trmm_tf32)
static void part32() {
  struct Choice { int m, n; };
  for (Choice c : {Choice{512, 256}, Choice{200, 136}}) { int m = c.m, n = c.n; snprintf(g_name, sizeof g_name, "trmm_tf32_%dx%d", m, n);
    CASE(g_name, k_trmm_tf32, (Buffers{f32("a", u64(m) * m, 1), f32("b", u64(m) * n, 2), result("d", u64(m) * n * 4)}), [=](At& p) {
      Launch l; Swizzle2 swizzle; cutlass::gemm::GemmCoord size(m, n, m), tiled = swizzle.get_tiled_shape(size, {64, 64, 32}, 1);
      TrmmKernel::Arguments args(cutlass::gemm::GemmUniversalMode::kGemm, size, 1, {1.0f}, p[0], p[1], p[2], int64_t(m) * m, int64_t(m) * n, int64_t(m) * n, m, m, n);
      build<TrmmKernel::Params>(l, [&] { return TrmmKernel::Params(args, tiled, m, nullptr); }); finish2<TrmmKernel>(l, swizzle.get_grid_shape(tiled)); return l; }); }
}
#endif
#if IN_PART(33)   // f16 with A half empty (mma.sp)
using AmpereSparse = cutlass::gemm::device::SparseGemm<hf, Row, hf, Col, float, Row, float, Tensor2, Sm80, G<128, 128, 64>, G<64, 64, 64>, G<16, 8, 32>, Linear<float, 4, float>, Swizzle2, 3>; using AmpereSparseKernel = AmpereSparse::GemmKernel;
KERNEL2(AmpereSparseKernel, k_ampere_sparse)
static void part33() {
  for (Size s : {Size{1024, 512, 512}, Size{160, 200, 384}})
    CASE(named("ampere_sparse_f16", s), k_ampere_sparse, (Buffers{f16("a", u64(s.m) * s.k / 2, 1), f16("b", u64(s.n) * s.k, 2), bits("positions", u64(s.m) * s.k / 8, 3, 0x55555555U, 0x88888888U), result("d", u64(s.m) * s.n * 4)}), [=](At& p) {
      using Kern = AmpereSparseKernel; Launch l; Swizzle2 swizzle; cutlass::gemm::GemmCoord size(s.m, s.n, s.k), tiled = swizzle.get_tiled_shape(size, {128, 128, 64}, 1);
      int ke = s.k / Kern::kSparse / Kern::kElementsPerElementE; Kern::TensorRefA ra{(hf*)p[0], Row(s.k / 2)}; Kern::TensorRefB rb{(hf*)p[1], Col(s.k)}; Kern::Epilogue::OutputTileIterator::TensorRef rd{(float*)p[3], Row(s.n)}; Kern::TensorRefE re{(Kern::ElementE*)p[2], Kern::LayoutE::packed({s.m, ke})};
      if (Kern::can_implement(size, ra, rb, rd, rd, re) != cutlass::Status::kSuccess) { l.why = "the kernel cannot do this problem"; return l; }
      build<Kern::Params>(l, [&] { return Kern::Params(size, tiled, ra, rb, rd, rd, re, {1.0f, 0.0f}, nullptr); }); finish2<Kern>(l, swizzle.get_grid_shape(tiled)); return l; });
}
#endif
#if IN_PART(34)   // f16, units of work that share tiles along k (example 47)
using AmpereStreamK = cutlass::gemm::device::GemmUniversal<hf, Row, hf, Row, hf, Row, float, Tensor2, Sm80, G<128, 128, 32>, G<64, 64, 32>, G<16, 8, 16>, Linear<hf, 8, float>, cutlass::gemm::threadblock::ThreadblockSwizzleStreamK, 4, 8, 8>::GemmKernel;
extern "C" __global__ void __launch_bounds__(AmpereStreamK::kThreadCount) k_ampere_stream_k(typename AmpereStreamK::Params params) { AmpereStreamK::invoke(params, *reinterpret_cast<typename AmpereStreamK::SharedStorage*>(dynamic_smem)); }
struct AmpereStreamKParams : AmpereStreamK::Params { using AmpereStreamK::Params::get_partials_workspace_size; };
static void part34() {
  for (Size s : {Size{1280, 1792, 256}, Size{392, 264, 1032}}) {
    auto make = [=](const char* a, const char* b, char* d) { return AmpereStreamK::Arguments(cutlass::gemm::GemmUniversalMode::kGemm, {s.m, s.n, s.k}, 1, {1.0f, 0.0f}, a, b, d, d, int64_t(s.m) * s.k, int64_t(s.n) * s.k, int64_t(s.m) * s.n, int64_t(s.m) * s.n, int(s.k), int(s.n), int(s.n), int(s.n), -1); };
    AmpereStreamK::Params trial(make(nullptr, nullptr, nullptr), SMS, 1); u64 workspace = trial.get_workspace_size(); if (workspace == 0) workspace = 16;
    CASE(named("ampere_stream_k", s), k_ampere_stream_k, (Buffers{f16("a", u64(s.m) * s.k, 1), f16("b", u64(s.n) * s.k, 2), result("d", u64(s.m) * s.n * 2), zeros("workspace", workspace)}), [=](At& p) {
      Launch l; auto args = make(p[0], p[1], p[2]);
      auto& params = build<AmpereStreamK::Params>(l, [&] { AmpereStreamK::Params made(args, SMS, 1); u64 partials = ((AmpereStreamKParams&)made).get_partials_workspace_size(); made.partials_workspace = partials ? p[3] : nullptr; made.barrier_workspace = made.get_workspace_size() > partials ? p[3] + partials : nullptr; return made; }); finish2<AmpereStreamK>(l, params.get_grid_dims()); return l; }); }
}
#endif

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) { if (!strcmp(argv[i], "--skip-clock")) g_skip_clock = true; else if (!strcmp(argv[i], "--dry")) g_dry = true; else g_filter = argv[i]; }   // --dry: no device needed, made-up addresses, no launches, no checksums
  if (!g_dry) { float* w; CHECK(cudaMalloc(&w, 4)); spin_up<<<528, 256>>>(w, 200000); CHECK(cudaDeviceSynchronize()); }
#define DO(n) part##n();
#if IN_PART(1)
  DO(1)
#endif
#if IN_PART(2)
  DO(2)
#endif
#if IN_PART(3)
  DO(3)
#endif
#if IN_PART(4)
  DO(4)
#endif
#if IN_PART(5)
  DO(5)
#endif
#if IN_PART(6)
  DO(6)
#endif
#if IN_PART(7)
  DO(7)
#endif
#if IN_PART(8)
  DO(8)
#endif
#if IN_PART(9)
  DO(9)
#endif
#if IN_PART(10)
  DO(10)
#endif
#if IN_PART(11)
  DO(11)
#endif
#if IN_PART(12)
  DO(12)
#endif
#if IN_PART(13)
  DO(13)
#endif
#if IN_PART(14)
  DO(14)
#endif
#if IN_PART(15)
  DO(15)
#endif
#if IN_PART(16)
  DO(16)
#endif
#if IN_PART(17)
  DO(17)
#endif
#if IN_PART(20)
  DO(20)
#endif
#if IN_PART(21)
  DO(21)
#endif
#if IN_PART(22)
  DO(22)
#endif
#if IN_PART(23)
  DO(23)
#endif
#if IN_PART(24)
  DO(24)
#endif
#if IN_PART(25)
  DO(25)
#endif
#if IN_PART(26)
  DO(26)
#endif
#if IN_PART(27)
  DO(27)
#endif
#if IN_PART(28)
  DO(28)
#endif
#if IN_PART(29)
  DO(29)
#endif
#if IN_PART(30)
  DO(30)
#endif
#if IN_PART(31)
  DO(31)
#endif
#if IN_PART(32)
  DO(32)
#endif
#if IN_PART(33)
  DO(33)
#endif
#if IN_PART(34)
  DO(34)
#endif
  return 0;
}
