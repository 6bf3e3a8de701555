import sys
forms=[]
def mma(name,shape,d,a,b,nd,na,nb,nc,sel,extra='',sp='sp'):
    for s in sel: forms.append((f'{name}_{s}' if sp=='sp' else f'{name}_o{s}',shape,d,a,b,nd,na,nb,nc,s,extra,sp))
for sp in ('sp','sp::ordered_metadata'):
  S=lambda *x: x if sp=='sp' else x[:1]
  for t in ('f16','bf16'):
    mma(f'{t}_k16','m16n8k16','f32',t,t,4,2,2,4,S(0,1,2,3),sp=sp)
    mma(f'{t}_k32','m16n8k32','f32',t,t,4,4,4,4,S(0,1),sp=sp)
  mma('h_k16','m16n8k16','f16','f16','f16',2,2,2,2,S(0,),sp=sp)
  mma('h_k32','m16n8k32','f16','f16','f16',2,4,4,2,S(0,),sp=sp)
  mma('tf32_k8','m16n8k8','f32','tf32','tf32',4,2,2,4,S(0,1,2,3),sp=sp)
  mma('tf32_k16','m16n8k16','f32','tf32','tf32',4,4,4,4,S(0,1),sp=sp)
  mma('s8_k32','m16n8k32','s32','s8','s8',4,2,2,4,S(0,1),sp=sp)
  mma('u8_k32','m16n8k32','s32','u8','s8',4,2,2,4,S(0,),sp=sp)
  mma('s8_k64','m16n8k64','s32','s8','s8',4,4,4,4,S(0,),sp=sp)
  mma('s8_k64sat','m16n8k64','s32','s8','u8',4,4,4,4,S(0,),extra='.satfinite',sp=sp)
  mma('s4_k64','m16n8k64','s32','s4','s4',4,2,2,4,S(0,1),sp=sp)
  mma('e4m3_k64','m16n8k64','f32','e4m3','e4m3',4,4,4,4,S(0,),sp=sp)
C=['#include <cstdio>','#include <cstdint>','#include <cstdlib>','#include <cstring>','#include <vector>','#include <string>','typedef uint32_t u32; typedef unsigned long long u64;','__device__ __forceinline__ u32 clk(){u32 c; asm volatile("mov.u32 %0, %%clock;":"=r"(c)::"memory"); return c;}']
for (n,shape,d,a,b,nd,na,nb,nc,s,extra,sp) in forms:
  o=','.join(f'%{i}' for i in range(nd)); p=nd
  A=','.join(f'%{p+i}' for i in range(na)); p+=na
  B=','.join(f'%{p+i}' for i in range(nb)); p+=nb
  Cc=','.join(f'%{p+i}' for i in range(nc)); p+=nc
  t='f' if d=='f32' else 'r'; ty='float' if t=='f' else 'u32'; cv=(lambda x:f'__uint_as_float({x})') if t=='f' else (lambda x:x); uc=(lambda x:f'__float_as_uint({x})') if t=='f' else (lambda x:x)
  ins=', '.join([f'"r"(x[{i}])' for i in range(na)]+[f'"r"(x[{4+i}])' for i in range(nb)]+[f'"{t}"({cv(f"x[{8+i}]")})' for i in range(nc)]+['"r"(x[12])'])
  outs=', '.join(f'"={t}"(d[{i}])' for i in range(nd))
  C.append(f'extern "C" __global__ void s_{n}(const u32* in, u32* out){{ u32 x[13]; for(int i=0;i<13;i++) x[i]=in[(blockIdx.x*13+i)*32+threadIdx.x]; {ty} d[4]={{0,0,0,0}}; asm volatile("mma.{sp}.sync.aligned.{shape}.row.col{extra}.{d}.{a}.{b}.{d} {{{o}}},{{{A}}},{{{B}}},{{{Cc}}},%{p},0x{s};" : {outs} : {ins}); for(int i=0;i<4;i++) out[(blockIdx.x*4+i)*32+threadIdx.x]={uc("d[i]")}; }}')
for op in ('and','xor'):
  for shape,na,nb,nd in (('m16n8k256',4,2,4),('m16n8k128',2,1,4),('m8n8k128',1,1,2)):
    o=','.join(f'%{i}' for i in range(nd)); p=nd
    A=','.join(f'%{p+i}' for i in range(na)); p+=na
    B=','.join(f'%{p+i}' for i in range(nb)); p+=nb
    Cc=','.join(f'%{p+i}' for i in range(nd))
    ins=', '.join([f'"r"(x[{i}])' for i in range(na)]+[f'"r"(x[{4+i}])' for i in range(nb)]+[f'"r"(x[{8+i}])' for i in range(nd)])
    outs=', '.join(f'"=r"(d[{i}])' for i in range(nd))
    n=f'b1_{op}_{shape}'; forms.append((n,)); 
    C.append(f'extern "C" __global__ void s_{n}(const u32* in, u32* out){{ u32 x[13]; for(int i=0;i<13;i++) x[i]=in[(blockIdx.x*13+i)*32+threadIdx.x]; u32 d[4]={{0,0,0,0}}; asm volatile("mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{op}.popc {{{o}}},{{{A}}},{{{B}}},{{{Cc}}};" : {outs} : {ins}); for(int i=0;i<4;i++) out[(blockIdx.x*4+i)*32+threadIdx.x]=d[i]; }}')
# m8n8k4
for a in ('row','col'):
  for b in ('row','col'):
    n=f'm884_{a}_{b}'; forms.append((n,))
    C.append(f'extern "C" __global__ void s_{n}(const u32* in, u32* out){{ u32 x[13]; for(int i=0;i<13;i++) x[i]=in[(blockIdx.x*13+i)*32+threadIdx.x]; float d[8]; for(int i=0;i<8;i++) d[i]=__uint_as_float(x[4+i]&0xbfffffff); asm volatile("mma.sync.aligned.m8n8k4.{a}.{b}.f32.f16.f16.f32 {{%0,%1,%2,%3,%4,%5,%6,%7}},{{%8,%9}},{{%10,%11}},{{%0,%1,%2,%3,%4,%5,%6,%7}};" : "+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]),"+f"(d[4]),"+f"(d[5]),"+f"(d[6]),"+f"(d[7]) : "r"(x[0]),"r"(x[1]),"r"(x[2]),"r"(x[3])); for(int i=0;i<4;i++) out[(blockIdx.x*4+i)*32+threadIdx.x]=__float_as_uint(d[i])^(__float_as_uint(d[i+4])*3); }}')
# conversions
for r in ('rn','rz','rna','rn.relu','rz.relu'):
  n='cvt_'+r.replace('.','_'); forms.append((n,))
  C.append(f'extern "C" __global__ void s_{n}(const u32* in, u32* out){{ for(int i=0;i<4;i++){{ u32 v; asm volatile("cvt.{r}.tf32.f32 %0, %1;":"=r"(v):"f"(__uint_as_float(in[(blockIdx.x*13+i)*32+threadIdx.x]))); out[(blockIdx.x*4+i)*32+threadIdx.x]=v; }} }}')
# wgmma.sp: A 64x(k/2) packed and B in shared memory, no swizzle; meta a register a lane
for (n,depth,d,t,nreg,bits,trail) in (('f16','k32','f32','f16',16,16,',1,1,0,0'),('bf16','k32','f32','bf16',16,16,',1,1,0,0'),('tf32','k16','f32','tf32',16,32,',1,1'),('s8','k64','s32','s8',16,8,''),('e4m3','k64','f32','e4m3',16,8,',1,1'),('h','k32','f16','f16',8,16,',1,1,0,0')):
  for sel in ((0,1) if n in ('f16','tf32') else (0,)):
    nm=f'wg_{n}_{sel}'; forms.append((nm,))
    tt='f' if d=='f32' else 'r'; ty='float' if d=='f32' else 'u32'
    regs=','.join(f'%{i}' for i in range(nreg)); outs=', '.join(f'"+{tt}"(d[{i}])' for i in range(nreg))
    uc='__float_as_uint(d[i])' if d=='f32' else 'd[i]'
    C.append(f'extern "C" __global__ void __launch_bounds__(128) s_{nm}(const u32* in, u32* out){{ __shared__ __align__(1024) u32 sa[512], sb[512]; const u32* q=in+blockIdx.x*13*128; for(int i=threadIdx.x;i<512;i+=128){{ sa[i]=q[i]; sb[i]=q[512+i]; }} u32 m=q[1024+threadIdx.x]; {ty} d[{nreg}]; for(int i=0;i<{nreg};i++) d[i]=0; asm volatile("fence.proxy.async;":::"memory"); __syncthreads(); u64 da=(((u64)__cvta_generic_to_shared(sa))>>4&0x3fff)|(u64)(128>>4)<<16|(u64)(256>>4)<<32, db=(((u64)__cvta_generic_to_shared(sb))>>4&0x3fff)|(u64)(128>>4)<<16|(u64)(512>>4)<<32; asm volatile("wgmma.fence.sync.aligned;":::"memory"); asm volatile("wgmma.mma_async.sp.sync.aligned.m64n32{depth}.{d}.{t}.{t} {{{regs}}}, %{nreg}, %{nreg+1}, %{nreg+2}, {sel}, 1{trail};" : {outs} : "l"(da),"l"(db),"r"(m)); asm volatile("wgmma.commit_group.sync.aligned;":::"memory"); asm volatile("wgmma.wait_group.sync.aligned 0;":::"memory"); for(int i=0;i<{nreg};i++) out[(blockIdx.x*16+i)*128+threadIdx.x]={uc}; }}')
names=[f[0] for f in forms]
C.append('typedef void (*fn)(const u32*,u32*); struct E{const char*n; fn f;}; static E table[]={'+','.join(f'{{"{n}",s_{n}}}' for n in names)+'};')
C.append(r'''
static u32 mix(u32 x){ x^=x>>16; x*=0x7feb352dU; x^=x>>15; x*=0x846ca68bU; x^=x>>16; return x; }
int main(int argc,char**argv){ const int T=16; FILE*o=fopen(argv[1],"wb"); u32 *in,*out; cudaMalloc(&in,1<<22); cudaMalloc(&out,1<<22);
 for(auto&e:table){ std::string n=e.n; bool wg=n.substr(0,3)=="wg_"; int lanes=wg?128:32; std::vector<u32> h(T*13*lanes),r(T*(wg?16:4)*lanes);
  bool f16=n[0]=='f'||n[0]=='h'||n.substr(0,4)=="wg_f"||n.substr(0,4)=="wg_h"||n[0]=='m', bf=n[0]=='b'&&n[1]=='f'||n.substr(0,4)=="wg_b", tf=n[0]=='t'||n.substr(0,4)=="wg_t", e4=n[0]=='e'||n.substr(0,4)=="wg_e";
  for(size_t i=0;i<h.size();i++){ u32 v=mix(i*2654435761u+ (u32)(&e-table)*77777u+1); u32 w=mix(v^0x5bd1e995u);
   int k=(i/32)%13; bool isdata = wg? (i%(13*128))<1024 : k<8; bool ismeta = wg? !isdata : k==12;
   if(isdata){ if(f16) v=(v&0x8fff8fffu)|0x30003000u; else if(bf) v=(v&0x81ff81ffu)|0x3e003e00u; else if(tf) v=(v&0x81ffffffu)|0x3e000000u; else if(e4) v&=0xbfbfbfbfu; }
   else if(ismeta){ // two distinct rising places of four in each nibble; tf32: 0x4 or 0xe
     u32 m=0; for(int q=0;q<8;q++){ static const u32 p[6]={0x4,0x8,0xc,0x9,0xd,0xe}; u32 z=(w>>(4*q))&15; m|=(tf? (z&1?0xe:0x4) : p[z%6])<<(4*q); } v=m; }
   else { if(n[0]=='h') v=(v&0x8fff8fffu)|0x30003000u; else if(n[0]=='s'||n[0]=='u') v=(int)v>>8; else v=(v&0x81ffffffu)|0x3e000000u; }
   if(n.substr(0,3)=="cvt"){ if(i<64){ static const u32 s[16]={0,0x80000000,0x7f800000,0xff800000,0x7f800001,0x7fc00000,0xffffffff,0x7fffffff,0x7f7fffff,0xff7fffff,0x1,0x807fffff,0x7f7fefff,0x3f801000,0x3f803000,0x00001000}; v=s[i%16]; } else v=w; }
   h[i]=v; }
  cudaMemcpy(in,h.data(),h.size()*4,cudaMemcpyHostToDevice); cudaMemset(out,0,r.size()*4); e.f<<<T,lanes>>>(in,out); cudaError_t er=cudaDeviceSynchronize(); if(er!=cudaSuccess){ printf("%s: %s\n",e.n,cudaGetErrorString(er)); return 1; }
  cudaMemcpy(r.data(),out,r.size()*4,cudaMemcpyDeviceToHost); char name[64]={0}; strncpy(name,e.n,63); u32 c[2]={(u32)h.size(),(u32)r.size()}; fwrite(name,1,64,o); fwrite(c,4,2,o); fwrite(h.data(),4,h.size(),o); fwrite(r.data(),4,r.size(),o); printf("%s ok\n",e.n); }
 fclose(o); }
''')
open('forms.cu','w').write('\n'.join(C)+'\n')
