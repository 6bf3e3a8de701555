// Kernels that use barriers in shared memory and bulk copies as people write them: cuda::barrier, cuda::pipeline,
// cuda::memcpy_async, rings by hand, copies in and out. Each names its launch: arguments are (a, b, o, 65536), a of 256 KiB by
// hash_f32, b of 256 KiB by hash_i32, o of 1 MiB zeros. kernels.txt has what an H200 left in o.
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg=cooperative_groups; namespace ptx=cuda::ptx;
typedef unsigned long long u64; typedef unsigned u32;
#define K extern "C" __global__ void
using bar=cuda::barrier<cuda::thread_scope_block>;
__device__ __forceinline__ u32 sa(const void*p){return (u32)__cvta_generic_to_shared(p);}
__device__ __forceinline__ void mwait(u64*m,u32 par){ asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}"::"r"(sa(m)),"r"(par):"memory"); }
__device__ __forceinline__ void minit(u64*m,u32 n){ asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"::"r"(sa(m)),"r"(n)); }
__device__ __forceinline__ void in(void*d,const void*s,u32 n,u64*m){ asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"::"r"(sa(d)),"l"(s),"r"(n),"r"(sa(m)):"memory"); }
// launch: cb_arrive_wait grid=8 block=256
K cb_arrive_wait(float*a,int*b,float*o,int n){ __shared__ bar br; __shared__ float s[256]; auto t=threadIdx.x; if(t==0) init(&br,blockDim.x); __syncthreads();
 float x=0; for(int r=0;r<4;r++){ s[t]=a[blockIdx.x*256+t]+r; br.arrive_and_wait(); x+=s[(t*7+r)&255]; br.arrive_and_wait(); } o[blockIdx.x*256+t]=x; }
// launch: cb_split grid=8 block=256
K cb_split(float*a,int*b,float*o,int n){ __shared__ bar br; __shared__ float s[256]; auto t=threadIdx.x; if(t==0) init(&br,blockDim.x); __syncthreads();
 s[t]=a[blockIdx.x*256+t]; auto tok=br.arrive(); float y=a[t]*3.f; br.wait(std::move(tok)); o[blockIdx.x*256+t]=s[255-t]+y; }
// launch: cb_prodcons grid=4 block=256
K cb_prodcons(float*a,int*b,float*o,int n){ __shared__ bar ready[2],filled[2]; __shared__ float buf[2][128]; int t=threadIdx.x;
 if(t==0){ for(int i=0;i<2;i++){init(&ready[i],blockDim.x); init(&filled[i],blockDim.x);} } __syncthreads();
 const int N=8; if(t<128){ for(int i=0;i<N;i++){ ready[i%2].arrive_and_wait(); buf[i%2][t]=a[(blockIdx.x*N+i)*128+t]*2.f; (void)filled[i%2].arrive(); } }
 else { (void)ready[0].arrive(); (void)ready[1].arrive(); float x=0; int u=t-128; for(int i=0;i<N;i++){ filled[i%2].arrive_and_wait(); x+=buf[i%2][127-u]; (void)ready[i%2].arrive(); } o[blockIdx.x*128+u]=x; } }
// launch: cb_drop grid=2 block=128
K cb_drop(float*a,int*b,float*o,int n){ __shared__ bar br; __shared__ int c; int t=threadIdx.x; if(t==0){init(&br,blockDim.x);c=0;} __syncthreads();
 int r=0; for(;r<=t/32;r++){ atomicAdd(&c,1); if(r==t/32){ br.arrive_and_drop(); break;} br.arrive_and_wait(); } __syncthreads(); o[blockIdx.x*128+t]=c+r; }
// launch: pipe2 grid=8 block=128
K pipe2(float*a,int*b,float*o,int n){ __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block,2> st; __shared__ float s[2][128]; auto blk=cg::this_thread_block(); auto p=cuda::make_pipeline(blk,&st); int t=threadIdx.x; const int N=6; float x=0;
 const float*src=a+blockIdx.x*N*128; p.producer_acquire(); cuda::memcpy_async(blk,s[0],src,sizeof(float)*128,p); p.producer_commit();
 for(int i=1;i<N;i++){ p.producer_acquire(); cuda::memcpy_async(blk,s[i%2],src+i*128,sizeof(float)*128,p); p.producer_commit(); p.consumer_wait(); x+=s[(i-1)%2][(t+1)&127]; p.consumer_release(); }
 p.consumer_wait(); x+=s[(N-1)%2][t]; p.consumer_release(); o[blockIdx.x*128+t]=x; }
// launch: pipe_spec grid=4 block=256
K pipe_spec(float*a,int*b,float*o,int n){ __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block,3> st; __shared__ alignas(16) float s[3][256]; auto blk=cg::this_thread_block(); int t=threadIdx.x; auto role= t<64? cuda::pipeline_role::producer:cuda::pipeline_role::consumer; auto p=cuda::make_pipeline(blk,&st,role); const int N=7; float x=0;
 if(t<64){ for(int i=0;i<N;i++){ p.producer_acquire(); cuda::memcpy_async((float4*)s[i%3]+t,(const float4*)(a+(blockIdx.x*N+i)*256)+t,cuda::aligned_size_t<16>(16),p); p.producer_commit(); } }
 else { for(int i=0;i<N;i++){ p.consumer_wait(); x+=s[i%3][t]; p.consumer_release(); } } o[blockIdx.x*256+t]=x; }
// launch: mca_bar grid=8 block=128
K mca_bar(float*a,int*b,float*o,int n){ __shared__ bar br; __shared__ alignas(16) float s[512]; auto blk=cg::this_thread_block(); int t=threadIdx.x; if(t==0) init(&br,blockDim.x); __syncthreads();
 cuda::memcpy_async(blk,s,a+blockIdx.x*512,cuda::aligned_size_t<16>(2048),br); br.arrive_and_wait(); o[blockIdx.x*128+t]=s[t]+s[511-t]; }
// launch: cg_async grid=8 block=128
K cg_async(float*a,int*b,float*o,int n){ __shared__ alignas(16) float s[512]; auto blk=cg::this_thread_block(); int t=threadIdx.x; cg::memcpy_async(blk,s,a+blockIdx.x*512,2048); cg::wait(blk); o[blockIdx.x*128+t]=s[t]*s[511-t]; }
// launch: hand_ring grid=4 block=160
K hand_ring(float*a,int*b,float*o,int n){ __shared__ u64 full[3],emp[3]; __shared__ float buf[3][128]; int t=threadIdx.x; if(t==0) for(int i=0;i<3;i++){ asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;"::"r"(sa(&full[i]))); asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;"::"r"(sa(&emp[i]))); } __syncthreads();
 const int N=10; auto wait=[&](u64*m,u32 par){ asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}"::"r"(sa(m)),"r"(par):"memory"); };
 if(t>=128){ int l=t-128; for(int i=0;i<N;i++){ int s=i%3; wait(&emp[s],((i/3)&1)^1); for(int j=l;j<128;j+=32) buf[s][j]=a[(blockIdx.x*N+i)*128+j]; asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"::"r"(sa(&full[s])):"memory"); } }
 else { float x=0; for(int i=0;i<N;i++){ int s=i%3; wait(&full[s],(i/3)&1); x+=buf[s][(t*5)&127]*(i+1); asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"::"r"(sa(&emp[s])):"memory"); } o[blockIdx.x*128+t]=x; } }
// launch: hand_ticks grid=4 block=128
K hand_ticks(float*a,int*b,float*o,int n){ __shared__ u64 m; __shared__ int v; int t=threadIdx.x; if(t==0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"::"r"(sa(&m))); __syncthreads();
 if(t<32){ if(t==0){ for(int i=0;i<400;i++) __nanosleep(50); v=(int)a[blockIdx.x]; asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];"::"r"(sa(&m)):"memory"); } o[blockIdx.x*128+t]=1; }
 else { asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], 0, 0x989680;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}"::"r"(sa(&m)):"memory"); o[blockIdx.x*128+t]=v+t; } }
// launch: tokens grid=2 block=64
K tokens(float*a,int*b,u32*o,int n){ __shared__ u64 m; int t=threadIdx.x; if(t==0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"::"r"(sa(&m)),"r"(n)); __syncthreads(); u64 s; u32 c,d; 
 asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;":"=l"(s):"r"(sa(&m)),"r"(t+1):"memory"); asm volatile("mbarrier.pending_count.b64 %0, %1;":"=r"(c):"l"(s)); __syncthreads();
 asm volatile("mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %0, [%1], 2;":"=l"(s):"r"(sa(&m)):"memory"); asm volatile("mbarrier.pending_count.b64 %0, %1;":"=r"(d):"l"(s)); o[(blockIdx.x*64+t)*2]=0*c; o[(blockIdx.x*64+t)*2+1]=t<32?d*0:d*0; }
// launch: spread grid=2 block=64
K spread(float*a,int*b,u32*o,int n){ __shared__ u64 m[64]; int t=threadIdx.x; asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"::"r"(sa(m+t)),"r"(2)); __syncthreads(); u64 s; u32 p,q;
 asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];":"=l"(s):"r"(sa(m+(t*5&63))):"memory"); asm volatile("{.reg .pred P; mbarrier.test_wait.shared::cta.b64 P, [%1], %2; selp.u32 %0,1,0,P;}":"=r"(p):"r"(sa(m+(t*5&63))),"l"(s):"memory"); __syncthreads();
 if(t&1) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"::"r"(sa(m+t)):"memory"); __syncthreads(); asm volatile("{.reg .pred P; mbarrier.test_wait.parity.shared::cta.b64 P, [%1], 0; selp.u32 %0,1,0,P;}":"=r"(q):"r"(sa(m+t)):"memory"); o[blockIdx.x*64+t]=p|q<<4; }
// launch: gen grid=2 block=64
K gen(float*a,int*b,u32*o,int n){ __shared__ u64 m[2]; int t=threadIdx.x; u64*g=m; if(t==0){ asm volatile("mbarrier.init.b64 [%0], 64;"::"l"(g)); } __syncthreads(); u64 s; asm volatile("mbarrier.arrive.b64 %0, [%1];":"=l"(s):"l"(g):"memory"); u32 p=0; while(!p) asm volatile("{.reg .pred P; mbarrier.test_wait.b64 P, [%1], %2; selp.u32 %0,1,0,P;}":"=r"(p):"l"(g),"l"(s):"memory"); o[blockIdx.x*64+t]=p+t; __syncthreads(); if(t==0) asm volatile("mbarrier.inval.b64 [%0];"::"l"(g)); }
// launch: clu grid=3x2 block=64
K clu(float*a,int*b,u32*o,int n){ auto c=cg::this_cluster(); __shared__ u32 v[4]; int t=threadIdx.x; if(t<4) v[t]=t*3+blockIdx.x; c.sync(); u32*r=c.map_shared_rank(v,0); u32 x=r[t&3]; 
 o[(blockIdx.x+3*blockIdx.y)*64+t]=x+100*c.block_rank()+1000*c.num_blocks()+c.block_index().x; u32 ci,nc; asm volatile("mov.u32 %0,%%clusterid.x; mov.u32 %1,%%nclusterid.x;":"=r"(ci),"=r"(nc)); o[4096+(blockIdx.x+3*blockIdx.y)*64+t]=ci+nc*16+c.query_shared_rank(r)*256; c.sync(); }
// launch: txonly grid=2 block=64
K txonly(float*a,int*b,u32*o,int n){ __shared__ u64 m; __shared__ u32 w[64]; int t=threadIdx.x; if(t==0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"::"r"(sa(&m))); __syncthreads();
 if(t==0) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;"::"r"(sa(&m)):"memory");
 if(t>=32){ w[t]=t*9; asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 4;"::"r"(sa(&m)):"memory"); }
 u32 p=0; while(!p) asm volatile("{.reg .pred P; mbarrier.try_wait.parity.shared::cta.b64 P, [%1], 0; selp.u32 %0,1,0,P;}":"=r"(p):"r"(sa(&m)):"memory"); o[blockIdx.x*64+t]=w[32+(t&31)]; }
// launch: noinc grid=2 block=64
K noinc(float*a,int*b,float*o,int n){ __shared__ u64 m; __shared__ float w[64]; int t=threadIdx.x; if(t==0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;"::"r"(sa(&m))); __syncthreads();
 asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"::"r"(sa(w+t)),"l"(a+blockIdx.x*64+t):"memory"); asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];"::"r"(sa(&m)):"memory");
 u32 p=0; while(!p) asm volatile("{.reg .pred P; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 P, [%1], 0; selp.u32 %0,1,0,P;}":"=r"(p):"r"(sa(&m)):"memory"); o[blockIdx.x*64+t]=w[63-t]; }
// launch: b_in grid=8 block=128
K b_in(float*a,int*b,float*o,int n){ __shared__ u64 m; __shared__ alignas(128) float s[512]; int t=threadIdx.x; if(t==0){ minit(&m,1); asm volatile("fence.mbarrier_init.release.cluster;":::"memory"); } __syncthreads();
 if(t==0){ asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 2048;"::"r"(sa(&m)):"memory"); in(s,a+blockIdx.x*512,2048,&m); } mwait(&m,0); float x=0; for(int i=0;i<4;i++) x+=s[(t*3+i*128)&511]; o[blockIdx.x*128+t]=x; }
// launch: b_out grid=8 block=128
K b_out(float*a,int*b,float*o,int n){ __shared__ alignas(128) float s[512]; int t=threadIdx.x; for(int i=t;i<512;i+=128) s[i]=a[blockIdx.x*512+511-i]*2; asm volatile("fence.proxy.async.shared::cta;":::"memory"); __syncthreads();
 if(t==0){ asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 2048;"::"l"(o+blockIdx.x*512),"r"(sa(s)):"memory"); asm volatile("cp.async.bulk.commit_group;"); asm volatile("cp.async.bulk.wait_group.read 0;":::"memory"); } }
// launch: b_ring grid=4 block=160
K b_ring(float*a,int*b,float*o,int n){ __shared__ u64 full[3],emp[3]; __shared__ alignas(128) float buf[3][256]; int t=threadIdx.x; if(t==0){ for(int i=0;i<3;i++){ minit(full+i,1); minit(emp+i,128);} asm volatile("fence.mbarrier_init.release.cluster;":::"memory"); } __syncthreads(); const int N=11;
 if(t>=128){ if(t==128) for(int i=0;i<N;i++){ int s=i%3; mwait(emp+s,((i/3)&1)^1); asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"::"r"(sa(full+s)),"r"(1024):"memory"); in(buf[s],a+(blockIdx.x*N+i)*256,1024,full+s); } }
 else { float x=0; for(int i=0;i<N;i++){ int s=i%3; mwait(full+s,(i/3)&1); x+=buf[s][(t*7)&255]*(i+1)+buf[s][255-t]; asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"::"r"(sa(emp+s)):"memory"); } o[blockIdx.x*128+t]=x; } }
// launch: b_lanes grid=2 block=64
K b_lanes(float*a,int*b,float*o,int n){ __shared__ u64 m; __shared__ alignas(128) float s[64*8]; int t=threadIdx.x; if(t==0) minit(&m,64); __syncthreads(); asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 32;"::"r"(sa(&m)):"memory"); in(s+t*8,a+(blockIdx.x*64+63-t)*8,32,&m); mwait(&m,0); float x=0; for(int i=0;i<8;i++) x+=s[((t+1)&63)*8+i]*i; o[blockIdx.x*64+t]=x; }
// launch: b_cuda grid=8 block=128
K b_cuda(float*a,int*b,float*o,int n){ __shared__ alignas(128) float s[1024]; __shared__ bar br; int t=threadIdx.x; if(t==0){ init(&br,blockDim.x);  } __syncthreads(); bar::arrival_token tok;
 if(t==0){ cuda::device::experimental::cp_async_bulk_global_to_shared(s,a+blockIdx.x*1024,4096,br); tok=cuda::device::barrier_arrive_tx(br,1,4096); } else tok=br.arrive(); br.wait(std::move(tok)); for(int i=t;i<1024;i+=128) s[i]+=1.f; cuda::device::experimental::fence_proxy_async_shared_cta(); __syncthreads();
 if(t==0){ cuda::device::experimental::cp_async_bulk_shared_to_global(o+blockIdx.x*1024,s,4096); cuda::device::experimental::cp_async_bulk_commit_group(); cuda::device::experimental::cp_async_bulk_wait_group_read<0>(); } }
// launch: r_add grid=8 block=128
K r_add(float*a,int*b,int*o,int n){ __shared__ alignas(128) int s[512]; int t=threadIdx.x; for(int i=t;i<512;i+=128) s[i]=b[blockIdx.x*512+i]; asm volatile("fence.proxy.async.shared::cta;":::"memory"); __syncthreads(); if(t==0){ asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 2048;"::"l"(o),"r"(sa(s)):"memory"); asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%0], [%1], 2048;"::"l"(o+1024),"r"(sa(s)):"memory"); asm volatile("cp.async.bulk.commit_group;"); asm volatile("cp.async.bulk.wait_group 0;":::"memory"); } }
// launch: r_types grid=1 block=64
K r_types(float*a,int*b,u32*o,int n){ __shared__ alignas(128) u32 s[64]; int t=threadIdx.x; s[t]=0x3c003c00+t*0x10001; asm volatile("fence.proxy.async.shared::cta;":::"memory"); __syncthreads(); if(t==0){
#define R(k,op) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." op " [%0], [%1], 256;"::"l"(o+64*k),"r"(sa(s)):"memory");
 R(0,"add.f32") R(1,"add.f64") R(2,"add.noftz.f16") R(3,"add.noftz.bf16") R(4,"min.u64") R(5,"max.s64") R(6,"and.b32") R(7,"or.b64") R(8,"xor.b32") R(9,"inc.u32") R(10,"dec.u32") R(11,"max.f16") R(12,"min.bf16") R(13,"add.u64") R(14,"or.b32") R(15,"max.s32") R(15,"add.u32") R(0,"add.f32")
 asm volatile("cp.async.bulk.commit_group;"); asm volatile("cp.async.bulk.wait_group 0;":::"memory"); } }
// launch: pf grid=4 block=32
K pf(float*a,int*b,float*o,int n){ int t=threadIdx.x; if(t==0) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"::"l"(a+blockIdx.x*256),"r"(1024):"memory"); for(int i=0;i<20;i++) __nanosleep(100); o[blockIdx.x*32+t]=a[blockIdx.x*256+t*8]; }
// launch: elect grid=2 block=128
K elect(float*a,int*b,u32*o,int n){ int t=threadIdx.x; u32 p=0,l=99; if((t&7)>=3) asm volatile("{.reg .pred q; elect.sync %0|q, 0xf8f8f8f8; selp.u32 %1,1,0,q;}":"=r"(l),"=r"(p)); u32 p2; asm volatile("{.reg .pred q; elect.sync _|q, 0xffffffff; selp.u32 %0,1,0,q;}":"=r"(p2)); o[blockIdx.x*128+t]=p|l<<4|p2<<16; }
// launch: elect_bulk grid=4 block=128
K elect_bulk(float*a,int*b,float*o,int n){ __shared__ uint64_t m[4]; __shared__ alignas(128) float s[4][128]; int t=threadIdx.x,w=t/32; if(ptx::elect_sync(~0u)){ ptx::mbarrier_init(m+w,1); ptx::fence_mbarrier_init(ptx::sem_release,ptx::scope_cluster); ptx::mbarrier_arrive_expect_tx(ptx::sem_release,ptx::scope_cta,ptx::space_shared,m+w,512); ptx::cp_async_bulk(ptx::space_cluster,ptx::space_global,s[w],a+(blockIdx.x*4+w)*128,512,m+w); } __syncwarp(); while(!ptx::mbarrier_try_wait_parity(m+w,0)); float x=0; for(int i=0;i<4;i++) x+=s[w][(t&31)+i*32]*(i+1); o[blockIdx.x*128+t]=x; }
// launch: hint grid=4 block=64
K hint(float*a,int*b,float*o,int n){ __shared__ u64 m; __shared__ alignas(128) float s[256]; int t=threadIdx.x; u64 pol; asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;":"=l"(pol)); if(t==0) minit(&m,1); __syncthreads(); if(t==0){ asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"::"r"(sa(&m)),"r"(n>>6):"memory"); asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;"::"r"(sa(s)),"l"(a+blockIdx.x*256),"r"(n>>6),"r"(sa(&m)),"l"(pol):"memory"); } mwait(&m,0); for(int i=t;i<256;i+=64) o[blockIdx.x*256+i]=s[i]; }
