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
