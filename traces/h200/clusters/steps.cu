// What the simulator is compared with: chains and loops of one pair of blocks (traces/h200/clusters/README.md).
#include <cstdint>
typedef uint32_t u32; typedef unsigned long long u64;
#define K extern "C" __global__ void __cluster_dims__(2,1,1)
__device__ __forceinline__ u32 clk(){u32 c; asm volatile("mov.u32 %0, %%clock;":"=r"(c)::"memory"); return c;}
__device__ __forceinline__ u32 rk(){u32 c; asm volatile("mov.u32 %0, %%cluster_ctarank;":"=r"(c)); return c;}
__device__ __forceinline__ u32 sa(void*p){return (u32)__cvta_generic_to_shared(p);}
__device__ __forceinline__ u32 mapa(u32 a,u32 r){u32 c; asm volatile("mapa.shared::cluster.u32 %0,%1,%2;":"=r"(c):"r"(a),"r"(r)); return c;}
#define ARVR asm volatile("barrier.cluster.arrive.relaxed.aligned;":::"memory")
#define ARV asm volatile("barrier.cluster.arrive.release.aligned;":::"memory")
#define WT asm volatile("barrier.cluster.wait.acquire.aligned;":::"memory")
K k_relaxed(u32* o){ ARV; WT; u32 a=clk();
#pragma unroll 1
 for(int i=0;i<64;i++){ARVR;WT;} u32 b=clk(); if(threadIdx.x==0) o[blockIdx.x]=b-a;}
K k_release(u32* o){ ARV; WT; u32 a=clk();
#pragma unroll 1
 for(int i=0;i<64;i++){ARV;WT;} u32 b=clk(); if(threadIdx.x==0) o[blockIdx.x]=b-a;}
K k_release_remote(u32* o){ __shared__ u32 s[1024]; u32 r=mapa(sa(&s[threadIdx.x]),rk()^1); ARV; WT; u32 a=clk();
#pragma unroll 1
 for(int i=0;i<64;i++){asm volatile("st.shared::cluster.u32 [%0], %1;"::"r"(r),"r"(i):"memory"); ARV;WT;} u32 b=clk(); if(threadIdx.x==0) o[blockIdx.x]=b-a;}
K k_release_global(u32* o){ ARV; WT; u32 a=clk();
#pragma unroll 1
 for(int i=0;i<64;i++){ ((volatile u32*)o)[1024+blockIdx.x*1024+threadIdx.x]=i; ARV;WT;} u32 b=clk(); if(threadIdx.x==0) o[blockIdx.x]=b-a;}
K k_chain(u32* o){ __shared__ u32 s[64]; if(threadIdx.x<64) s[threadIdx.x]=mapa(sa(&s[threadIdx.x]),rk()^1)-0; ARV; WT; u32 p=mapa(sa(&s[threadIdx.x]),rk()^1); u32 x=p; u32 a=clk();
#pragma unroll
 for(int i=0;i<32;i++){ asm volatile("ld.shared::cluster.u32 %0,[%0];":"+r"(x)::"memory");} u32 b=clk(); if(threadIdx.x==0) {o[blockIdx.x]=b-a;} o[2048+threadIdx.x]=x; ARV; WT;}
K k_chain_own(u32* o){ __shared__ u32 s[64]; if(threadIdx.x<64) s[threadIdx.x]=mapa(sa(&s[threadIdx.x]),rk()); ARV; WT; u32 x=mapa(sa(&s[threadIdx.x]),rk()); u32 a=clk();
#pragma unroll
 for(int i=0;i<32;i++){ asm volatile("ld.shared::cluster.u32 %0,[%0];":"+r"(x)::"memory");} u32 b=clk(); if(threadIdx.x==0) {o[blockIdx.x]=b-a;} o[2048+threadIdx.x]=x; ARV; WT;}
K k_atom(u32* o){ __shared__ u32 s[64]; if(threadIdx.x<64) s[threadIdx.x]=0; ARV; WT; u32 r=mapa(sa(&s[threadIdx.x]),rk()^1); u32 x=0; u32 a=clk();
#pragma unroll
 for(int i=0;i<32;i++){ asm volatile("atom.shared::cluster.add.u32 %0,[%1],%0;":"+r"(x):"r"(r):"memory");} u32 b=clk(); if(threadIdx.x==0) {o[blockIdx.x]=b-a;} o[2048+threadIdx.x]=x; ARV; WT;}
__device__ __forceinline__ void wait(u32 b,u32 ph){ u32 d; do{ asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p,[%1],%2; selp.u32 %0,1,0,p;}":"=r"(d):"r"(b),"r"(ph):"memory"); }while(!d); }
K k_ping(u32* o){ __shared__ u64 bar; u32 b=sa(&bar); if(threadIdx.x==0) asm volatile("mbarrier.init.shared::cta.b64 [%0],1;"::"r"(b)); asm volatile("fence.mbarrier_init.release.cluster;":::"memory"); ARV; WT; u32 r=mapa(b,rk()^1); u32 a=clk();
 if(threadIdx.x==0){
#pragma unroll 1
 for(int i=0;i<32;i++){ if(rk()==0){ asm volatile("mbarrier.arrive.shared::cluster.b64 _,[%0];"::"r"(r):"memory"); wait(b,i&1);} else { wait(b,i&1); asm volatile("mbarrier.arrive.shared::cluster.b64 _,[%0];"::"r"(r):"memory"); } } }
 u32 e=clk(); if(threadIdx.x==0) o[blockIdx.x]=e-a; ARV; WT;}
K k_stas(u32* o){ __shared__ u64 bar; __shared__ u32 data[4]; u32 b=sa(&bar), d=sa(data); if(threadIdx.x==0) asm volatile("mbarrier.init.shared::cta.b64 [%0],1;"::"r"(b)); asm volatile("fence.mbarrier_init.release.cluster;":::"memory"); ARV; WT; u32 r=mapa(b,rk()^1), q=mapa(d,rk()^1); u32 a=clk();
 if(threadIdx.x==0){
#pragma unroll 1
 for(int i=0;i<32;i++){ asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],4;"::"r"(b):"memory"); if(rk()==0){ asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0],%2,[%1];"::"r"(q),"r"(r),"r"(i):"memory"); wait(b,i&1);} else { wait(b,i&1); asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0],%2,[%1];"::"r"(q),"r"(r),"r"(i):"memory"); } } }
 u32 e=clk(); if(threadIdx.x==0) o[blockIdx.x]=e-a; ARV; WT;}
// What 32 warps load of the next block's shared memory, eight rows at once and then all are awaited (part1.cuh, k_bw).
extern "C" __global__ void __cluster_dims__(4,1,1) k_ring_of_four(u32* o){ __shared__ u32 s[8192]; u32 r=mapa(sa(&s[threadIdx.x/32*256+threadIdx.x%32]),(rk()+1)%4); ARV; WT; u32 acc=0; u32 a=clk();
#pragma unroll 1
 for(int i=0;i<16;i++){ u32 v[8];
#pragma unroll
  for(int u=0;u<8;u++) asm volatile("ld.shared::cluster.u32 %0,[%1];":"=r"(v[u]):"r"(r+u*128):"memory");
  __syncwarp();
#pragma unroll
  for(int u=0;u<8;u++) acc^=v[u];
  asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 0x7fedcba9; @p trap;}"::"r"(acc):"memory"); }
 __syncthreads(); u32 b=clk(); if(threadIdx.x==0) o[blockIdx.x]=b-a; ARV; WT;}
// What 32 warps store in the next block's shared memory, lanes so many words apart, each row a word after the one before.
template<int STRIDE, bool RING> __device__ void stores(u32* o, u32* s){ u32 r=mapa(sa(&s[threadIdx.x/32*1024+threadIdx.x%32*STRIDE]),rk()^1); ARV; WT; __syncthreads(); u32 a=clk();
 if(RING||rk()==0){
#pragma unroll 1
 for(int i=0;i<16;i++){
#pragma unroll
  for(int u=0;u<8;u++) asm volatile("st.shared::cluster.u32 [%0],%1;"::"r"(r+u*4),"r"(i):"memory"); }
 asm volatile("fence.acq_rel.cluster;":::"memory"); }
 __syncthreads(); u32 b=clk(); if(threadIdx.x==0) o[blockIdx.x]=b-a; ARV; WT;}
extern __shared__ u32 dynamic[];
K k_rows_from_one(u32* o){ stores<1,false>(o,dynamic); }
K k_sectors_to_one(u32* o){ stores<8,false>(o,dynamic); }
K k_sectors_in_a_ring(u32* o){ stores<8,true>(o,dynamic); }
// One copy of 128 bytes from memory to both blocks; the other one answers when its barrier is told (part2.cuh, k_mclat).
K k_multicast(u32* o){ __shared__ __align__(128) u32 data[32]; __shared__ u64 bar[2]; u32 b=sa(&bar[0]); if(threadIdx.x==0){ asm volatile("mbarrier.init.shared::cta.b64 [%0],1;"::"r"(b)); asm volatile("mbarrier.init.shared::cta.b64 [%0],2;"::"r"(b+8)); } asm volatile("fence.mbarrier_init.release.cluster;":::"memory"); asm volatile("fence.proxy.async;":::"memory"); ARV; WT; u32 own=0, all=0;
 for(int i=0;i<4;i++){ if(threadIdx.x==0) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],128;"::"r"(b):"memory"); __syncwarp(); ARV; WT;
  if(threadIdx.x==0){ u32 a=clk(); if(rk()==0) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0],[%1],128,[%2],%3;"::"r"(sa(data)),"l"(o+1024),"r"(b),"h"((unsigned short)3):"memory");
   wait(b,i&1); own=clk()-a; asm volatile("mbarrier.arrive.shared::cluster.b64 _,[%0];"::"r"(mapa(b+8,0)):"memory"); if(rk()==0){ wait(b+8,i&1); all=clk()-a; } }
  __syncwarp(); ARV; WT; }
 if(threadIdx.x==0&&rk()==0){ o[0]=own; o[1]=all; } }
K k_nothing(u32* o){}
