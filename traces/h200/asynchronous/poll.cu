// When a thread that waits at an mbarrier sees that it is complete: by how the loop is written, and how many lanes wait.
#include <cstdio>
#include <cstdint>
typedef uint32_t u32;
__device__ __forceinline__ u32 clk(){u32 c; asm volatile("mov.u32 %0, %%clock;":"=r"(c)::"memory"); return c;}
__device__ __forceinline__ bool tr(u32 b,u32 ph){ u32 d; asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p,[%1],%2; selp.u32 %0,1,0,p;}":"=r"(d):"r"(b),"r"(ph):"memory"); return d; }
__device__ __forceinline__ bool te(u32 b,u32 ph){ u32 d; asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p,[%1],%2; selp.u32 %0,1,0,p;}":"=r"(d):"r"(b),"r"(ph):"memory"); return d; }
// the loop of CUTLASS (ClusterBarrier::wait)
__device__ __forceinline__ void cw(u32 b,u32 ph){ asm volatile("{ .reg .pred P1; LAB_WAIT: mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1; @P1 bra DONE; bra LAB_WAIT; DONE: }"::"r"(b),"r"(ph):"memory"); }
// kind 0: loop, whole warp; 1: loop, one lane, others at the end; 2: 16 in a row, one lane; 3: CUTLASS's, one lane; 4: CUTLASS's, whole warp; 5: test loop one lane; 6: CUTLASS's, one lane of a warp whose others have ended
template<int KIND> __global__ void k_poll(u32* o, int delay){ __shared__ uint64_t bar; __shared__ u32 t0s; u32 b=(u32)__cvta_generic_to_shared(&bar); if(threadIdx.x==0) asm volatile("mbarrier.init.shared::cta.b64 [%0],1;"::"r"(b)); __syncthreads();
 u32 seen=0, arr=0; u32 s=clk();
 if(threadIdx.x<32){ bool one = KIND==1||KIND==2||KIND==3||KIND==5||KIND==6; if(KIND==6 && threadIdx.x) return; if(!one||threadIdx.x==0){
   if(KIND==0||KIND==1){ while(!tr(b,0)){} } else if(KIND==2){ for(int k=0;k<2000;k++) if(tr(b,0)) break; } else if(KIND==5){ while(!te(b,0)){} } else cw(b,0);
   seen=clk(); }
   if(KIND!=6) __syncwarp(); if(threadIdx.x==0) o[0]=seen; }
 else { if(threadIdx.x==32){ while(clk()-s<delay){} arr=clk(); asm volatile("mbarrier.arrive.shared::cta.b64 _,[%0];"::"r"(b):"memory"); o[1]=arr; } } }
int main(){ u32* o; cudaMalloc(&o,4096); u32 h[2];
#define P(K) for(int d=200; d<900; d+=1){ for(int r=0;r<2;r++){ k_poll<K><<<1,64>>>(o,d); cudaDeviceSynchronize(); } cudaMemcpy(h,o,8,cudaMemcpyDeviceToHost); printf("%d %d %u\n",K,d,h[0]-h[1]); }
 P(0) P(1) P(2) P(3) P(4) P(5) P(6) }
