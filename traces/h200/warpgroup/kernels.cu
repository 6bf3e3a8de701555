// Kernels that use products of warpgroups (wgmma) as people write them: tiles of a product of matrices by one and two warpgroups,
// with copies by another warp, attention with P in registers, eight bits with sums of their own. Each names its launch; arguments
// are (a, b, o, 65536), a of 256 KiB by hash_f32, b of 256 KiB by hash_i32, o of 1 MiB zeros. kernels.txt has what an H200 left in o.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
typedef unsigned long long u64; typedef unsigned u32;
#define K extern "C" __global__ void
__device__ __forceinline__ u32 sa(const void*p){ return (u32)__cvta_generic_to_shared(p); }
// Matrices in shared memory: 1 swizzle of 128 bytes, 2 of 64, 3 of 32, 0 none.
__device__ __forceinline__ u64 desc(const void*p,u32 lead,u32 stride,u32 swizzle){ return (u64)((sa(p)&0x3ffff)>>4)|(u64)(lead>>4)<<16|(u64)(stride>>4)<<32|(u64)swizzle<<62; }
__device__ __forceinline__ void fence(){ asm volatile("wgmma.fence.sync.aligned;":::"memory"); }
__device__ __forceinline__ void commit(){ asm volatile("wgmma.commit_group.sync.aligned;":::"memory"); }
template<int N> __device__ __forceinline__ void wait(){ asm volatile("wgmma.wait_group.sync.aligned %0;"::"n"(N):"memory"); }
__device__ __forceinline__ void proxy(){ asm volatile("fence.proxy.async;":::"memory"); }
__device__ __forceinline__ void mwait(u64*m,u32 par){ asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}"::"r"(sa(m)),"r"(par):"memory"); }
#define R8(d,i) "+f"(d[i]),"+f"(d[i+1]),"+f"(d[i+2]),"+f"(d[i+3]),"+f"(d[i+4]),"+f"(d[i+5]),"+f"(d[i+6]),"+f"(d[i+7])
#define D32 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}"
#define SS(name,form,tail) __device__ __forceinline__ void name(float(&d)[32],u64 a,u64 b,int s){ asm volatile("{.reg .pred p; setp.ne.b32 p,%34,0; wgmma.mma_async.sync.aligned." form " " D32 ",%32,%33,p,1,1" tail ";}":R8(d,0),R8(d,8),R8(d,16),R8(d,24):"l"(a),"l"(b),"r"(s)); }
#define RS(name,form,tail) __device__ __forceinline__ void name(float(&d)[32],const u32(&a)[4],u64 b,int s){ asm volatile("{.reg .pred p; setp.ne.b32 p,%37,0; wgmma.mma_async.sync.aligned." form " " D32 ",{%32,%33,%34,%35},%36,p,1,1" tail ";}":R8(d,0),R8(d,8),R8(d,16),R8(d,24):"r"(a[0]),"r"(a[1]),"r"(a[2]),"r"(a[3]),"l"(b),"r"(s)); }
SS(mma16,"m64n64k16.f32.f16.f16",",0,0") SS(mma16t,"m64n64k16.f32.bf16.bf16",",1,1") SS(mma8,"m64n64k32.f32.e4m3.e4m3","") SS(mma32,"m64n64k8.f32.tf32.tf32","")
RS(rma16,"m64n64k16.f32.f16.f16",",1") RS(rma32,"m64n64k8.f32.tf32.tf32","")
// Row r, column c of a tile with rows of 64 halves and a swizzle of 128 bytes, in halves.
__device__ __forceinline__ int at128(int r,int c){ return r*64+(((c>>3)^(r&7))<<3)+(c&7); }
__device__ __forceinline__ void put(float*o,const float(&d)[32],int row){ int l=threadIdx.x&31; for(int i=0;i<32;i++) o[(row+(threadIdx.x>>5&3)*16+l/4+(i&2?8:0))*64+i/4*8+(l&3)*2+(i&1)]=d[i]; }

// launch: tile grid=4 block=128
K tile(float*a,int*b,float*o,int n){ __shared__ alignas(1024) __half A[2][64*64],B[2][64*64]; int t=threadIdx.x; float d[32]={};
 for(int k=0;k<4;k++){ int s=k&1; for(int i=t;i<4096;i+=128){ int r=i/64,c=i%64; A[s][at128(r,c)]=__float2half(a[(blockIdx.x*7+r)*64+(c+k*64)%1000]*.02f); B[s][at128(r,c)]=__float2half((b[r*256+k*64+c]&1023)*.001f-.5f); }
  proxy(); __syncthreads(); fence(); for(int j=0;j<4;j++) mma16(d,desc(A[s]+16*j,16,1024,1),desc(B[s]+16*j,16,1024,1),k|j); commit(); if(k) wait<1>(); __syncthreads(); }
 wait<0>(); put(o+blockIdx.x*4096,d,0); }
// launch: two grid=2 block=256
K two(float*a,int*b,float*o,int n){ __shared__ alignas(1024) __half A[128*64],B[64*64]; int t=threadIdx.x,w=t/128; float d[32],e[32];
 for(int i=t;i<8192;i+=256){ A[at128(i/64,i%64)]=__float2half(a[i+blockIdx.x*512]*.1f); if(i<4096) B[at128(i/64,i%64)]=__float2half((b[i]&255)-100.f); } proxy(); __syncthreads(); fence();
 for(int j=0;j<4;j++){ mma16(d,desc(A+w*4096+16*j,16,1024,1),desc(B+16*j,16,1024,1),j); } commit(); for(int j=0;j<4;j++) mma16(e,desc(A+w*4096+16*j,16,1024,1),desc(B+16*(3-j),16,1024,1),j); commit(); wait<1>(); put(o+blockIdx.x*16384,d,w*64); wait<0>(); put(o+blockIdx.x*16384+8192,e,w*64); }
// launch: attend grid=2 block=128
K attend(float*a,int*b,float*o,int n){ __shared__ alignas(1024) __half Q[64*64],Kt[64*64],V[64*64]; int t=threadIdx.x; float s[32],d[32]={},m0=-1e30f,m1=-1e30f,l0=0,l1=0;
 for(int i=t;i<4096;i+=128) Q[at128(i/64,i%64)]=__float2half(a[i+blockIdx.x*4096]*.01f);
 for(int k=0;k<3;k++){ __syncthreads(); for(int i=t;i<4096;i+=128){ Kt[at128(i/64,i%64)]=__float2half(a[i+8192+k*4096]*.02f); V[at128(i/64,i%64)]=__float2half((b[i+k*4096]&511)*.01f); } proxy(); __syncthreads();
  fence(); for(int j=0;j<4;j++) mma16(s,desc(Q+16*j,16,1024,1),desc(Kt+16*j,16,1024,1),j); commit(); wait<0>();
  float x0=m0,x1=m1; for(int i=0;i<32;i++){ if(i&2) x1=fmaxf(x1,s[i]); else x0=fmaxf(x0,s[i]); } for(int i=1;i<4;i*=2){ x0=fmaxf(x0,__shfl_xor_sync(~0u,x0,i)); x1=fmaxf(x1,__shfl_xor_sync(~0u,x1,i)); }
  float c0=exp2f(m0-x0),c1=exp2f(m1-x1); m0=x0; m1=x1; l0*=c0; l1*=c1; u32 p[4][4]; for(int i=0;i<32;i++){ s[i]=exp2f(s[i]-(i&2?m1:m0)); if(i&2) l1+=s[i]; else l0+=s[i]; d[i]*=i&2?c1:c0; }
  for(int j=0;j<4;j++) for(int i=0;i<4;i++){ __half2 h=__floats2half2_rn(s[j*8+i*2],s[j*8+i*2+1]); p[j][i]=*(u32*)&h; }
  fence(); for(int j=0;j<4;j++) rma16(d,p[j],desc(V+j*16*64,8192,1024,1),1); commit(); wait<0>(); }
 for(int i=1;i<4;i*=2){ l0+=__shfl_xor_sync(~0u,l0,i); l1+=__shfl_xor_sync(~0u,l1,i); } for(int i=0;i<32;i++) d[i]/=i&2?l1:l0; put(o+blockIdx.x*4096,d,0); }
// launch: supplied grid=3 block=288
K supplied(float*a,int*b,float*o,int n){ __shared__ alignas(1024) float A[3][2][512],B[3][512]; __shared__ u64 full[3],empty[3]; int t=threadIdx.x,w=t/128; const int N=8;
 if(t==0){ for(int i=0;i<3;i++){ asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"::"r"(sa(full+i))); asm volatile("mbarrier.init.shared::cta.b64 [%0], 256;"::"r"(sa(empty+i))); } asm volatile("fence.mbarrier_init.release.cluster;":::"memory"); } __syncthreads();
 if(w==2){ if(t==256) for(int i=0;i<N;i++){ int s=i%3; mwait(empty+s,((i/3)&1)^1); asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 6144;"::"r"(sa(full+s)):"memory"); const float*f=a+(blockIdx.x*N+i)*1536;
   for(int j=0;j<3;j++) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 2048, [%2];"::"r"(sa(j<2?A[s][j]:B[s])),"l"(f+j*512),"r"(sa(full+s)):"memory"); } }
 else { float d[32]; for(int i=0;i<N;i++){ int s=i%3; mwait(full+s,(i/3)&1); fence(); mma32(d,desc(A[s][w],128,256,0),desc(B[s],128,256,0),i); commit(); wait<0>(); asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"::"r"(sa(empty+s)):"memory"); } put(o+blockIdx.x*8192,d,w*64); } }
// launch: eight grid=2 block=128
K eight(float*a,int*b,float*o,int n){ __shared__ alignas(1024) unsigned char A[64*128],B[64*128]; int t=threadIdx.x; float d[32],s[32]={};
 for(int i=t;i<8192;i+=128){ int r=i/128,c=i%128,at=r*128+((c/16^r&7)*16)+c%16; A[at]=__nv_cvt_float_to_fp8(a[i+blockIdx.x*8192]*.1f,__NV_SATFINITE,__NV_E4M3); B[at]=__nv_cvt_float_to_fp8((b[i]&127)*.1f-6.f,__NV_SATFINITE,__NV_E4M3); } proxy(); __syncthreads();
 for(int k=0;k<2;k++){ fence(); for(int j=0;j<2;j++) mma8(d,desc(A+k*64+j*32,16,1024,1),desc(B+k*64+j*32,16,1024,1),j); commit(); wait<0>(); for(int i=0;i<32;i++) s[i]+=d[i]*.25f; } put(o+blockIdx.x*4096,s,0); }
// launch: across grid=2 block=128
K across(float*a,int*b,float*o,int n){ __shared__ alignas(1024) __nv_bfloat16 A[64*64],B[64*64]; int t=threadIdx.x; float d[32];
 for(int i=t;i<4096;i+=128){ A[at128(i/64,i%64)]=__float2bfloat16(a[i+blockIdx.x*64]); B[at128(i/64,i%64)]=__float2bfloat16((b[i]&63)*.5f-9.f); } proxy(); __syncthreads(); fence();
 for(int j=0;j<4;j++) mma16t(d,desc(A+j*16*64,8192,1024,1),desc(B+j*16*64,8192,1024,1),j); commit(); wait<0>(); put(o+blockIdx.x*4096,d,0); }
// launch: rolled grid=2 block=128
K rolled(float*a,int*b,float*o,int n){ __shared__ alignas(1024) float B[64*32]; int t=threadIdx.x; float d[32]; for(int i=0;i<32;i++) d[i]=b[i]*1e-6f; u32 p[4];
 for(int i=t;i<2048;i+=128){ int r=i/32,c=i%32; B[r*32+(((c>>2)^(r&7))<<2)+(c&3)]=a[i+blockIdx.x*2048]; } for(int i=0;i<4;i++) p[i]=__float_as_uint(a[t*4+i]); proxy(); __syncthreads(); fence();
#pragma unroll 1
 for(int j=0;j<(n>>14);j++){ rma32(d,p,desc(B+8*j,16,1024,1),1); commit(); wait<0>(); } put(o+blockIdx.x*4096,d,0); }
