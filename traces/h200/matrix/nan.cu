// Double precision with operands that are no numbers, or that make one: DFMA, DADD, DMUL and DMMA. It prints operands and results as bits.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
__global__ void k(const double*a,const double*b,const double*c,double*d){ int t=threadIdx.x; double x[4]={c[t*4],c[t*4+1],c[t*4+2],c[t*4+3]};
 asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};":"+d"(x[0]),"+d"(x[1]),"+d"(x[2]),"+d"(x[3]):"d"(a[t*2]),"d"(a[t*2+1]),"d"(b[t]));
 for(int i=0;i<4;i++)d[t*4+i]=x[i]; }
__global__ void f(const double*a,double*d){ int t=threadIdx.x; double x=a[t*3],y=a[t*3+1],z=a[t*3+2],r; asm volatile("fma.rn.f64 %0,%1,%2,%3;":"=d"(r):"d"(x),"d"(y),"d"(z)); d[t*3]=r; asm volatile("add.rn.f64 %0,%1,%2;":"=d"(r):"d"(x),"d"(y)); d[t*3+1]=r; asm volatile("mul.rn.f64 %0,%1,%2;":"=d"(r):"d"(x),"d"(y)); d[t*3+2]=r; }
__global__ void made_by(const double*a,double*d){ int t=threadIdx.x; double x=a[t*3],y=a[t*3+1],z=a[t*3+2],r; asm volatile("fma.rn.f64 %0,%1,%2,%3;":"=d"(r):"d"(x),"d"(y),"d"(z)); d[t*3]=r; asm volatile("add.rn.f64 %0,%1,%2;":"=d"(r):"d"(x),"d"(z)); d[t*3+1]=r; asm volatile("mul.rn.f64 %0,%1,%2;":"=d"(r):"d"(x),"d"(y)); d[t*3+2]=r; }
__global__ void made_by_mma(const double*a,double*d){ int t=threadIdx.x; double x[2]={a[2],a[2]}; asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};":"+d"(x[0]),"+d"(x[1]):"d"(a[0]),"d"(a[1])); d[t]=x[0]; }
static void made(){ double *A,*D; cudaMallocManaged(&A,4096); cudaMallocManaged(&D,4096); const double I=1.0/0.0; double v[6][3]={{I,0,1},{-I,0,1},{I,1,-I},{I,-1,I},{0,-I,2},{-I,1,I}};
 for(auto&r:v){ for(int t=0;t<32;t++)for(int i=0;i<3;i++)A[t*3+i]=r[i]; made_by<<<1,32>>>(A,D); cudaDeviceSynchronize(); auto u=(unsigned long long*)D; printf("%g %g %g: dfma %016llx dadd %016llx dmul %016llx",r[0],r[1],r[2],u[0],u[1],u[2]); made_by_mma<<<1,32>>>(A,D); cudaDeviceSynchronize(); printf(" dmma %016llx\n",u[0]); } }
int main(){ double *A,*B,*C,*D; cudaMallocManaged(&A,4096);cudaMallocManaged(&B,4096);cudaMallocManaged(&C,4096);cudaMallocManaged(&D,4096);
 auto nan=[](uint64_t p,bool s){ uint64_t u=0x7ff0000000000000ull|p|(s?1ull<<63:0); double x; memcpy(&x,&u,8); return x; };
 for(int t=0;t<8;t++){ bool a0=t&1,a1=t&2,a2=t&4; for(int rep=0;rep<4;rep++){ int i=t*4+rep; A[i*3]=a0?nan(0x111+rep*0x1000+(rep&1?1ull<<51:0),rep&2):1.0+i; A[i*3+1]=a1?nan(0x222+rep*0x1000+(rep&1?1ull<<51:0),rep&2):2.0; A[i*3+2]=a2?nan(0x333+rep*0x1000,0):3.0; } }
 f<<<1,32>>>(A,D); cudaDeviceSynchronize(); for(int i=0;i<32;i++) printf("dfma %016llx %016llx %016llx -> %016llx add %016llx mul %016llx\n",((unsigned long long*)A)[i*3],((unsigned long long*)A)[i*3+1],((unsigned long long*)A)[i*3+2],((unsigned long long*)D)[i*3],((unsigned long long*)D)[i*3+1],((unsigned long long*)D)[i*3+2]);
 // mma: NaNs with payloads that say where: A row r col k: 0xA rk, B: 0xB kn, C: 0xC rn
 for(int test=0;test<12;test++){ uint64_t s=test*7919+1; auto rnd=[&](){ s=s*6364136223846793005ull+1442695040888963407ull; return (uint32_t)(s>>40); };
  for(int l=0;l<32;l++){ int g=l>>2,t=l&3; for(int i=0;i<2;i++) A[l*2+i]= test%4!=1&&rnd()%10==0?nan(0xA00000+((g+8*i)<<8)+t+(1ull<<51),rnd()&1):1.0; B[l]= test%4!=2&&rnd()%10==0?nan(0xB00000+(t<<8)+g+(1ull<<51),rnd()&1):1.0; for(int i=0;i<4;i++) C[l*4+i]=test%4!=3&&rnd()%6==0?nan(0xC00000+((g+8*(i>>1))<<8)+2*t+(i&1)+(1ull<<51),rnd()&1):1.0; }
  k<<<1,32>>>(A,B,C,D); cudaDeviceSynchronize(); auto h=[](double x){uint64_t u;memcpy(&u,&x,8);return (unsigned long long)u;};
  for(int r=0;r<16;r++) for(int n=0;n<8;n++){ int l=(r%8)*4+n/2,i=(r/8)*2+n%2; printf("mma %d r%d n%d c %llx a",test,r,n,h(C[l*4+i])); for(int kk=0;kk<4;kk++) printf(" %llx",h(A[((r%8)*4+kk)*2+r/8])); printf(" b"); for(int kk=0;kk<4;kk++) printf(" %llx",h(B[n*4+kk])); printf(" d %llx\n",h(D[l*4+i])); } }
 made();
}
