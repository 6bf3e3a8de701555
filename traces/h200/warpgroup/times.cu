// Loads wgmma.cubin: times every line of list.txt, writes maps and products.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>
typedef unsigned long long u64; typedef unsigned u32;
#define C(x) do{ cudaError_t e=(x); if(e!=cudaSuccess){ printf("error %s at %d\n",cudaGetErrorString(e),__LINE__); exit(1);} }while(0)
static cudaLibrary_t lib;
static cudaKernel_t get(const char*n){ cudaKernel_t k; C(cudaLibraryGetKernel(&k,lib,n)); C(cudaFuncSetAttribute((void*)k,cudaFuncAttributeMaxDynamicSharedMemorySize,200*1024)); return k; }
static void launch(cudaKernel_t k,int threads,u64 o,u64 d0,u64 d1,u32 p,u64 in){ void*a[]={&o,&d0,&d1,&p,&in}; C(cudaLaunchKernel((void*)k,dim3(1),dim3(threads),a,200*1024,0)); cudaError_t e=cudaDeviceSynchronize(); if(e!=cudaSuccess){printf("launch failed: %s\n",cudaGetErrorString(e)); exit(1);} }
// start, leading and stride in bytes; base offset; swizzle code
static u64 desc(u32 start,u32 lead,u32 stride,u32 base,u32 sw){ return (u64)(start>>4)|(u64)(lead>>4&0x3fff)<<16|(u64)(stride>>4&0x3fff)<<32|(u64)base<<49|(u64)sw<<62; }
static u64 rs=88172645463325252ull; static u32 rnd(){ rs^=rs<<13; rs^=rs>>7; rs^=rs<<17; return (u32)(rs>>32); }
struct Fmt{int e,m;};
static u32 rf(Fmt f,int kind){ u32 em=(1<<f.e)-1, mm=(1u<<f.m)-1, bias=em>>1; u32 s=rnd()&1, ex, m=rnd()&mm; bool e4=(f.e==4);
 switch(kind){ case 0: ex=bias-(rnd()%3); break; case 1: ex=rnd()%(em+(e4?1:0)); if(e4&&ex==em&&m==mm) m=0; break; case 2: ex=rnd()&em; break;
 case 3: ex=bias-6+rnd()%13; if((int)ex<1)ex=1; if(ex>=em) ex=em-1; m=0; break; case 4: if(rnd()%8) return 0; ex=bias-4+rnd()%9; if(ex>=em)ex=em-1; break;
 case 5: ex=0; break; default: ex=bias-7+rnd()%15; if((int)ex<0)ex=0; if(ex>=em)ex=em-1; }
 return (s<<(f.e+f.m))|(ex<<f.m)|m; }
int main(int c,char**v){ std::string out=getenv("OUT")?getenv("OUT"):"."; C(cudaLibraryLoadFromFile(&lib,v[1],0,0,0,0,0,0));
 char*o,*in; C(cudaMalloc(&o,1<<20)); C(cudaMalloc(&in,1<<20)); C(cudaMemset(o,0,1<<20)); C(cudaMemset(in,0,1<<20));
 std::string what=v[2];
 if(what=="time"){ FILE*f=fopen(v[3],"r"); FILE*r=fopen((out+"/times.txt").c_str(),"w"); char k[100],d[20]; int w;
  while(fscanf(f,"%99s %d %19s",k,&w,d)==3){ u64 da,db; 
   if(!strcmp(d,"k128")){ da=desc(0,16,1024,0,1); db=desc(65536,16,1024,0,1);} else if(!strcmp(d,"m128")){ da=desc(0,1024*8,1024,0,1); db=desc(65536,1024*8,1024,0,1);} else { da=desc(0,128,256,0,0); db=desc(65536,128,256,0,0);}
   int threads=w*128; if(k[0]=='b') threads=128+w*128;
   C(cudaMemset(in,0,1<<16)); launch(get(k),threads,(u64)o,da,db,3,(u64)in); std::vector<u64> h(threads/32*5); C(cudaMemcpy(h.data(),in,h.size()*8,cudaMemcpyDeviceToHost)); u64 z=h[0]; for(int i=0;i<threads/32;i++) if(h[5*i]<z) z=h[5*i];
   fprintf(r,"%s %d %s",k,w,d); for(int i=0;i<threads/32;i++) fprintf(r," %llu/%llu/%llu/%llu/%llu",h[5*i]-z,h[5*i+1]-z,h[5*i+2]-z,h[5*i+3]-z,h[5*i+4]-z); fprintf(r,"\n"); }
  fclose(r); printf("times done\n"); }
 if(what=="maps"){ FILE*r=fopen((out+"/maps.bin").c_str(),"wb"); std::vector<unsigned short> s(98304); std::vector<u32> res(128*128), lo;
  struct D{u32 start,lead,stride,base,sw;}; std::vector<D> ds;
  for(u32 sw=0;sw<4;sw++){ for(u32 st: {0u,32u,64u,96u,1024u,512u,16u,144u,256u+32}) ds.push_back({st,128,1024,0,sw}); 
   ds.push_back({0,16,1024,0,sw}); ds.push_back({0,0,1024,0,sw}); ds.push_back({0,2048,512,0,sw}); ds.push_back({0,4096,256,0,sw}); ds.push_back({0,256,128,0,sw}); ds.push_back({0,8192,2048,0,sw}); ds.push_back({0,1024,8192,0,sw}); ds.push_back({32,1024,8192,0,sw});
   ds.push_back({128,2048,1024,1,sw}); ds.push_back({0,2048,1024,1,sw}); ds.push_back({0,2048,1024,3,sw}); ds.push_back({512,2048,1024,4,sw}); ds.push_back({256,2048,1024,7,sw}); ds.push_back({1024+384,2048,1040,0,sw}); }
  auto put=[&](const char*name,D d){ char b[32]={0}; strncpy(b,name,31); fwrite(b,1,32,r); fwrite(&d,1,20,r); };
  // B
  for(int n:{8,64,256}) for(int tb=0;tb<2;tb++) for(auto d:ds){ if(n!=64&&(d.start&31)) continue; if(n==256&&(d.stride>4096||d.lead>4096)) continue; char k[40]; sprintf(k,"mapb_%d_%d",n,tb); auto kk=get(k); std::vector<u32> ad(16*n); 
   for(int pass=0;pass<2;pass++){ for(u32 i=0;i<98304;i++){ u32 x=pass? (i>>9)+1:(i&511)+1; // half of an integer
      float fl=(float)x; u32 fb; memcpy(&fb,&fl,4); s[i]=(fb>>16&0x8000)|((((fb>>23)&255)-112)<<10)|(fb>>13&0x3ff); }
    C(cudaMemcpy(in,s.data(),196608,cudaMemcpyHostToDevice)); launch(kk,128,(u64)o,0,desc(d.start,d.lead,d.stride,d.base,d.sw),1,(u64)in); int nd=n/2; C(cudaMemcpy(res.data(),o,128*nd*4,cudaMemcpyDeviceToHost));
    for(int lane=0;lane<32;lane++) for(int i=0;i<nd;i++){ int row=lane/4+(i&2?8:0), col=(i/4)*8+(lane%4)*2+(i&1); float fl; memcpy(&fl,&res[lane*nd+i],4); int val=(int)fl; if(pass) ad[row*n+col]+=(u32)(val-1)*512; else ad[row*n+col]=(u32)(val-1); } }
   put(k,d); u32 cnt=16*n; fwrite(&cnt,4,1,r); fwrite(ad.data(),4,cnt,r); }
  // A: B is one where row = column, 16 x 16, at 160 KiB without swizzle, K-major: LBO 128, SBO 256
  for(int ta=0;ta<2;ta++) for(auto d:ds){ char k[40]; sprintf(k,"mapa_%d",ta); auto kk=get(k); std::vector<u32> ad(64*16); u32 nd=8;
   for(int pass=0;pass<2;pass++){ for(u32 i=0;i<81920;i++){ u32 x=pass? (i>>9)+1:(i&511)+1; float fl=(float)x; u32 fb; memcpy(&fb,&fl,4); s[i]=((((fb>>23)&255)-112)<<10)|(fb>>13&0x3ff); }
    for(u32 i=81920;i<98304;i++) s[i]=0; for(int j=0;j<16;j++){ u32 at=163840+(j/8)*256+(j/8)*128+(j%8)*16+(j%8)*2; s[at/2]=0x3c00; }
    C(cudaMemcpy(in,s.data(),196608,cudaMemcpyHostToDevice)); C(cudaMemset(o,0,65536)); launch(kk,128,(u64)o,desc(d.start,d.lead,d.stride,d.base,d.sw),desc(163840,128,256,0,0),1,(u64)in); C(cudaMemcpy(res.data(),o,128*nd*4,cudaMemcpyDeviceToHost));
    for(int t=0;t<128;t++) for(u32 i=0;i<nd;i++){ int row=t/32*16+t%32/4+(i&2?8:0), col=(i/4)*8+(t%4)*2+(i&1); float fl; memcpy(&fl,&res[t*nd+i],4); int val=(int)fl; if(pass) ad[row*16+col]+=(u32)(val-1)*512; else ad[row*16+col]=(u32)(val-1); } }
   put(k,d); u32 cnt=1024; fwrite(&cnt,4,1,r); fwrite(ad.data(),4,cnt,r); }
  fclose(r); printf("maps done\n"); }
 if(what=="values"){ FILE*r=fopen((out+"/values.bin").c_str(),"wb"); struct T{const char*n; Fmt a,b; int es; Fmt c; int cs;};
  T ts[]={{"f16",{5,10},{5,10},2,{8,23},4},{"f16h",{5,10},{5,10},2,{5,10},2},{"bf16",{8,7},{8,7},2,{8,23},4},{"tf32",{8,23},{8,23},4,{8,23},4},{"e4e4",{4,3},{4,3},1,{8,23},4},{"e4e5",{4,3},{5,2},1,{8,23},4},{"e5e4",{5,2},{4,3},1,{8,23},4},{"e5e5",{5,2},{5,2},1,{8,23},4},{"e4e4h",{4,3},{4,3},1,{5,10},2},{"e5e5h",{5,2},{5,2},1,{5,10},2},{"s8s8",{0,0},{0,0},1,{0,0},4},{"u8u8",{0,0},{0,0},1,{0,0},4},{"s8u8",{0,0},{0,0},1,{0,0},4},{"u8s8",{0,0},{0,0},1,{0,0},4},{"s8s8t",{0,0},{0,0},1,{0,0},4}};
  for(auto&t:ts){ auto kk=get((std::string("val_")+t.n).c_str()); for(int kind=0;kind<7;kind++) for(int rep=0;rep<4;rep++){ std::vector<unsigned char> s(196608,0); 
    auto putm=[&](u32 at,int rows,Fmt f){ for(int i=0;i<rows*32/t.es;i++){ u32 x=f.e? rf(f,kind): rnd(); memcpy(&s[at+i*t.es],&x,t.es); } }; putm(0,64,t.a); putm(8192,8,t.b);
    int cw=t.cs==4?4:2; std::vector<u32> cc(128*cw); for(auto&x:cc){ if(!t.c.e) x=rep<2? rnd()>>12: (rnd()&1?0x7fffff00:0x800000ff); else if(t.cs==4){ x= rep==3?0: rf(t.c,kind==1&&rep==0?6:kind); if(kind==0) x=(x&0x807fffff)|((x>>23&255)-rnd()%12)<<23; } else x=rep==3?0:rf(t.c,kind)|rf(t.c,kind)<<16; }
    C(cudaMemcpy(in,s.data(),196608,cudaMemcpyHostToDevice)); C(cudaMemcpy(o,cc.data(),cc.size()*4,cudaMemcpyHostToDevice)); launch(kk,128,(u64)o,desc(0,128,256,0,0),desc(8192,128,256,0,0),1,(u64)in); std::vector<u32> dd(cc.size()); C(cudaMemcpy(dd.data(),o,dd.size()*4,cudaMemcpyDeviceToHost));
    char b[32]={0}; snprintf(b,31,"%s",t.n); fwrite(b,1,32,r); u32 h[3]={(u32)kind,(u32)rep,(u32)cc.size()}; fwrite(h,1,12,r); fwrite(s.data(),1,2048,r); fwrite(&s[8192],1,256,r); fwrite(cc.data(),4,cc.size(),r); fwrite(dd.data(),4,dd.size(),r); } }
  fclose(r); printf("values done\n"); }
 if(what=="partial"){ // fewer warps than a warpgroup
  launch(get("t_f16_64_s_1"),atoi(v[3]),(u64)o,desc(0,16,1024,0,1),desc(65536,16,1024,0,1),1,(u64)in); printf("partial %s: ended\n",v[3]); }
 if(what=="bad"){ launch(get("val_f16"),128,(u64)o,desc(atoi(v[3]),128,256,0,0),desc(8192,128,256,0,0),1,(u64)in); printf("bad %s: ended\n",v[3]); }
}
