// Times of setmaxnreg and of sparse products; the kernels of steps.cu.
#include "../clusters/steps.cu"
#include <cstdio>
#include <cstring>
typedef unsigned int uint;
#define R8(a) "+f"(d[a]),"+f"(d[a+1]),"+f"(d[a+2]),"+f"(d[a+3])
// setmaxnreg: warpgroup 0 gives, others take; who 0: time of dec; delay: cycles before warpgroup 0 gives
extern "C" __global__ void __launch_bounds__(384,1) k_setmax(u32* o, int delay, int warps){
  __shared__ u32 start; u32 wg=threadIdx.x/128; __syncthreads(); u32 a=clk();
  if(wg==0){ while(clk()-a<delay){} u32 t0=clk(); asm volatile("setmaxnreg.dec.sync.aligned.u32 40;":::"memory"); u32 t1=clk(); if(threadIdx.x%32==0){ o[threadIdx.x/32*4]=t1-t0; o[threadIdx.x/32*4+1]=t1-a; } }
  else { u32 t0=clk(); asm volatile("setmaxnreg.inc.sync.aligned.u32 232;":::"memory"); u32 t1=clk(); if(threadIdx.x%32==0){ o[threadIdx.x/32*4]=t1-t0; o[threadIdx.x/32*4+1]=t1-a; } }
}
// after the giving: each of four times down and up again in one warpgroup
extern "C" __global__ void __launch_bounds__(128,1) k_setmax_alone(u32* o){
  u32 t[9]; __syncthreads(); t[0]=clk(); asm volatile("setmaxnreg.dec.sync.aligned.u32 24;":::"memory"); t[1]=clk(); asm volatile("setmaxnreg.inc.sync.aligned.u32 168;":::"memory"); t[2]=clk(); asm volatile("setmaxnreg.dec.sync.aligned.u32 80;":::"memory"); t[3]=clk(); asm volatile("setmaxnreg.inc.sync.aligned.u32 168;":::"memory"); t[4]=clk(); asm volatile("setmaxnreg.inc.sync.aligned.u32 168;":::"memory"); t[5]=clk(); asm volatile("setmaxnreg.dec.sync.aligned.u32 168;":::"memory"); t[6]=clk();
  if(threadIdx.x%32==0) for(int i=0;i<6;i++) o[threadIdx.x/32*8+i]=t[i+1]-t[i]; }
// chains and streams of products: W warps, N instructions
#define PRODUCT(NAME, TEXT, TY, NC, UNROLL) \
extern "C" __global__ void NAME##_chain(u32* o, u32 m){ TY d[4]={0,0,0,0}; u32 a[8]; for(int i=0;i<8;i++) a[i]=m; u32 t0=clk(); _Pragma("unroll") for(int i=0;i<64;i++) TEXT(d,a,m); u32 t1=clk(); if(threadIdx.x%32==0) o[threadIdx.x/32]=t1-t0; o[64+threadIdx.x]=(u32)d[0]+(u32)d[1]; } \
extern "C" __global__ void NAME##_stream(u32* o, u32 m){ TY d[4][4]={}; u32 a[8]; for(int i=0;i<8;i++) a[i]=m; __syncthreads(); u32 t0=clk(); _Pragma("unroll") for(int i=0;i<64;i++) TEXT(d[i%4],a,m); u32 t1=clk(); if(threadIdx.x%32==0) o[threadIdx.x/32]=t1-t0; o[64+threadIdx.x]=(u32)(d[0][0]+d[1][1]+d[2][2]+d[3][3]); }
#define MF(d,a,m,S) asm volatile("mma." S " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]):"r"(a[0]),"r"(a[1]),"r"(a[2]),"r"(a[3]),"r"(a[4]),"r"(a[5]))
#define SPF4(d,a,m,S) asm volatile("mma.sp::ordered_metadata.sync.aligned." S " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3},%12,0x0;":"+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]):"r"(a[0]),"r"(a[1]),"r"(a[2]),"r"(a[3]),"r"(a[4]),"r"(a[5]),"r"(a[6]),"r"(a[7]),"r"(m))
#define SPF2(d,a,m,S) asm volatile("mma.sp::ordered_metadata.sync.aligned." S " {%0,%1,%2,%3},{%4,%5},{%6,%7},{%0,%1,%2,%3},%8,0x0;":"+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]):"r"(a[0]),"r"(a[1]),"r"(a[4]),"r"(a[5]),"r"(m))
#define SPI4(d,a,m,S) asm volatile("mma.sp::ordered_metadata.sync.aligned." S " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3},%12,0x0;":"+r"(d[0]),"+r"(d[1]),"+r"(d[2]),"+r"(d[3]):"r"(a[0]),"r"(a[1]),"r"(a[2]),"r"(a[3]),"r"(a[4]),"r"(a[5]),"r"(a[6]),"r"(a[7]),"r"(m))
#define SPI2(d,a,m,S) asm volatile("mma.sp::ordered_metadata.sync.aligned." S " {%0,%1,%2,%3},{%4,%5},{%6,%7},{%0,%1,%2,%3},%8,0x0;":"+r"(d[0]),"+r"(d[1]),"+r"(d[2]),"+r"(d[3]):"r"(a[0]),"r"(a[1]),"r"(a[4]),"r"(a[5]),"r"(m))
#define BM(d,a,m,S) asm volatile("mma." S " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+r"(d[0]),"+r"(d[1]),"+r"(d[2]),"+r"(d[3]):"r"(a[0]),"r"(a[1]),"r"(a[2]),"r"(a[3]),"r"(a[4]),"r"(a[5]))
#define T1(d,a,m) MF(d,a,m,"sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
#define T2(d,a,m) SPF4(d,a,m,"m16n8k32.row.col.f32.f16.f16.f32")
#define T3(d,a,m) SPF2(d,a,m,"m16n8k16.row.col.f32.f16.f16.f32")
#define T4(d,a,m) SPF4(d,a,m,"m16n8k16.row.col.f32.tf32.tf32.f32")
#define T5(d,a,m) SPF2(d,a,m,"m16n8k8.row.col.f32.tf32.tf32.f32")
#define T6(d,a,m) SPI4(d,a,m,"m16n8k64.row.col.s32.s8.s8.s32")
#define T7(d,a,m) SPI2(d,a,m,"m16n8k32.row.col.s32.s8.s8.s32")
#define T8(d,a,m) BM(d,a,m,"sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc")
PRODUCT(k_f16_dense,T1,float,4,0)
PRODUCT(k_f16_k32,T2,float,4,0)
PRODUCT(k_f16_k16,T3,float,4,0)
PRODUCT(k_tf32_k16,T4,float,4,0)
PRODUCT(k_tf32_k8,T5,float,4,0)
PRODUCT(k_s8_k64,T6,u32,4,0)
PRODUCT(k_s8_k32,T7,u32,4,0)
PRODUCT(k_b1,T8,u32,4,0)
extern "C" __global__ void k_tf32_rn(u32* o, u32 m){ u32 v=m; u32 t0=clk();
#pragma unroll
 for(int i=0;i<64;i++) asm volatile("cvt.rn.tf32.f32 %0,%0;":"+r"(v)); u32 t1=clk(); if(threadIdx.x%32==0) o[threadIdx.x/32]=t1-t0; o[64+threadIdx.x]=v; }
// wgmma.sp streams: N columns, from shared memory, four in a group
#define WG(NAME, N, NREG, TEXT, TY, TT, DEPTH, TYPES, TRAIL, SP, META) extern "C" __global__ void __launch_bounds__(128) NAME(u32* o, u32 m){ __shared__ __align__(1024) u32 s[8192]; for(int i=threadIdx.x;i<8192;i+=128) s[i]=0; asm volatile("fence.proxy.async;":::"memory"); __syncthreads(); u64 da=(((u64)__cvta_generic_to_shared(s))>>4&0x3fff)|(u64)(128>>4)<<16|(u64)(256>>4)<<32; TY d[NREG]; for(int i=0;i<NREG;i++) d[i]=0; u32 t0=clk(); asm volatile("wgmma.fence.sync.aligned;":::"memory"); _Pragma("unroll") for(int i=0;i<32;i++) asm volatile("wgmma.mma_async." SP "sync.aligned.m64n" #N DEPTH TYPES " {" TEXT "}, %" #NREG ", %" #NREG META ", 1" TRAIL ";" : REGS_##NREG(d,TT) : "l"(da),"r"(m)); asm volatile("wgmma.commit_group.sync.aligned;":::"memory"); asm volatile("wgmma.wait_group.sync.aligned 0;":::"memory"); u32 t1=clk(); if(threadIdx.x%32==0) o[threadIdx.x/32]=t1-t0; TY a=0; for(int i=0;i<NREG;i++) a+=d[i]; o[64+threadIdx.x]=(u32)a; }
#define Q(d,TT,i) "+" TT(d[i]),"+" TT(d[i+1]),"+" TT(d[i+2]),"+" TT(d[i+3])
#define FF "f"
#define REGS_32(d,TT) "+" TT (d[0]),"+" TT (d[1]),"+" TT (d[2]),"+" TT (d[3]),"+" TT (d[4]),"+" TT (d[5]),"+" TT (d[6]),"+" TT (d[7]),"+" TT (d[8]),"+" TT (d[9]),"+" TT (d[10]),"+" TT (d[11]),"+" TT (d[12]),"+" TT (d[13]),"+" TT (d[14]),"+" TT (d[15]),"+" TT (d[16]),"+" TT (d[17]),"+" TT (d[18]),"+" TT (d[19]),"+" TT (d[20]),"+" TT (d[21]),"+" TT (d[22]),"+" TT (d[23]),"+" TT (d[24]),"+" TT (d[25]),"+" TT (d[26]),"+" TT (d[27]),"+" TT (d[28]),"+" TT (d[29]),"+" TT (d[30]),"+" TT (d[31])
#define L32 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
WG(k_wg_f16_dense,64,32,L32,float,"f","k16",".f32.f16.f16",",1,1,0,0","","")
WG(k_wg_f16,64,32,L32,float,"f","k32",".f32.f16.f16",",1,1,0,0","sp.",", %33, 0")
WG(k_wg_tf32,64,32,L32,float,"f","k16",".f32.tf32.tf32",",1,1","sp.",", %33, 0")
WG(k_wg_e4m3,64,32,L32,float,"f","k64",".f32.e4m3.e4m3",",1,1","sp.",", %33, 0")
WG(k_wg_s8,64,32,L32,u32,"r","k64",".s32.s8.s8","","sp.",", %33, 0")
int main(){ u32* o; cudaMalloc(&o,1<<20); u32 h[256];
  auto get=[&]{ cudaError_t e=cudaDeviceSynchronize(); if(e!=cudaSuccess) printf("ERROR %s\n",cudaGetErrorString(e)); cudaMemcpy(h,o,1024,cudaMemcpyDeviceToHost); };
#define S(K,B,T,DYN,STEPS) { if(DYN) cudaFuncSetAttribute(K,cudaFuncAttributeMaxDynamicSharedMemorySize,DYN); for(int r=0;r<3;r++){ K<<<B,T,DYN>>>(o); get(); } printf("step " #K " %d blocks %d threads: %u %u (per %d: %.2f)\n",B,T,h[0],h[1],STEPS,h[0]/(double)STEPS); }
  S(k_relaxed,2,32,0,64) S(k_relaxed,2,128,0,64) S(k_relaxed,2,256,0,64) S(k_relaxed,2,1024,0,64) S(k_release,2,32,0,64) S(k_release_remote,2,32,0,64) S(k_chain,2,1,0,32) S(k_chain_own,2,1,0,32) S(k_ping,2,32,0,32) S(k_stas,2,32,0,32)
  S(k_ring_of_four,4,1024,0,4096) S(k_ring_of_four,120,1024,0,4096) S(k_rows_from_one,2,1024,135168,4096) S(k_sectors_to_one,2,1024,135168,4096) S(k_sectors_in_a_ring,2,1024,135168,4096) S(k_multicast,2,32,0,1)
  for(int delay: {0,500,1000,2000,2001,2003,2007,2015,5000}){ for(int r=0;r<3;r++){ k_setmax<<<1,384>>>(o,delay,12); get(); } printf("setmax delay %d:",delay); for(int w=0;w<12;w++) printf(" %u/%u",h[4*w],h[4*w+1]); printf("\n"); }
  for(int r=0;r<3;r++){ k_setmax_alone<<<1,128>>>(o); get(); } for(int w=0;w<4;w++){ printf("setmax alone warp %d:",w); for(int i=0;i<6;i++) printf(" %u",h[w*8+i]); printf("\n"); }
#define P(N) for(int t: {32,64,128,256,512}){ for(int r=0;r<3;r++){ N##_chain<<<1,t>>>(o,0x44444444); get(); } u32 c=h[0]; for(int r=0;r<3;r++){ N##_stream<<<1,t>>>(o,0x44444444); get(); } printf("product " #N " %d threads: chain %.2f stream %.2f an instruction\n",t,c/64.0,h[0]/64.0); }
  P(k_f16_dense) P(k_f16_k32) P(k_f16_k16) P(k_tf32_k16) P(k_tf32_k8) P(k_s8_k64) P(k_s8_k32) P(k_b1)
  for(int t: {32,128,512}){ for(int r=0;r<3;r++){ k_tf32_rn<<<1,t>>>(o,0x3f801234); get(); } printf("tf32_rn %d threads: %.2f\n",t,h[0]/64.0); }
#define G(N) { for(int r=0;r<3;r++){ N<<<1,128>>>(o,0x44444444); get(); } printf("wg " #N ": %.2f an instruction\n",h[0]/32.0); }
  G(k_wg_f16_dense) G(k_wg_f16) G(k_wg_tf32) G(k_wg_e4m3) G(k_wg_s8)
}
