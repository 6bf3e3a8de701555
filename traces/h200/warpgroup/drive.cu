// Launches the kernels of a cubin that a list names (name,grid,block) with (a, b, o, 65536) and prints a checksum of what each
// leaves in o: FNV-1a over its words, 64 bits.
#include "../harness.cuh"
int main(int c,char**v){ cudaLibrary_t lib; CHECK(cudaLibraryLoadFromFile(&lib,v[1],0,0,0,0,0,0)); FILE*f=fopen(v[2],"r"); char line[200]; printf("kernel,grid,block,checksum\n");
 u_int32_t*a,*b,*o; CHECK(cudaMalloc(&a,256<<10)); CHECK(cudaMalloc(&b,256<<10)); CHECK(cudaMalloc(&o,1<<20)); init_buffer<<<64,256>>>(a,65536,HASH_F32,0,0); init_buffer<<<64,256>>>(b,65536,HASH_I32,0,0);
 while(fgets(line,200,f)){ char*n=strtok(line,",\n"); if(!n) continue; int g=atoi(strtok(0,",\n")),t=atoi(strtok(0,",\n")); cudaKernel_t k; CHECK(cudaLibraryGetKernel(&k,lib,n)); CHECK(cudaMemset(o,0,1<<20)); int x=65536; void*args[]={&a,&b,&o,&x};
  CHECK(cudaLaunchKernel((void*)k,dim3(g),dim3(t),args,0,0)); CHECK(cudaDeviceSynchronize()); std::vector<uint32_t> h(1<<18); CHECK(cudaMemcpy(h.data(),o,1<<20,cudaMemcpyDeviceToHost)); uint64_t s=0xcbf29ce484222325ull; for(uint32_t w:h) s=(s^w)*0x100000001b3ull; printf("%s,%d,%d,%016llx\n",n,g,t,(unsigned long long)s); } }
