// How an H200 does clusters of blocks and distributed shared memory: ./clusters NAME prints one table, ./clusters all DIR writes DIR/NAME.txt for every one.
#include "common.cuh"
#include "part1.cuh"
#include "part2.cuh"
#include <unistd.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
struct Test { const char* name; void (*f)(); };
static const Test T[] = { { "placement", t_placement }, { "latency", t_latency }, { "atomic", t_atomic }, { "store_latency", t_store_latency }, { "order", t_order }, { "barrier", t_barrier }, { "launch", t_launch }, { "bandwidth", t_bandwidth }, { "conflicts", t_conflicts }, { "victim", t_victim }, { "remote_arrive", t_remote_arrive }, { "multicast", t_multicast }, { "dsm_bulk", t_dsm_bulk } };
static double wall() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
int main(int n, char** v) {
  if (n == 3 && !strcmp(v[1], "all")) { // each table in a process of its own: an error or a hang ends only that one
    double all = wall();
    for (const Test& t : T) { double t0 = wall(), most = std::min(20.0, 56 - (t0 - all)); if (most < 1) { printf("%s left out, no time\n", t.name); continue; } std::string f = std::string(v[2]) + "/" + t.name + ".txt"; pid_t p = fork();
      if (p == 0) { int d = open(f.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644); if (d < 0) _exit(3); dup2(d, 1); execl("/proc/self/exe", v[0], t.name, (char*)0); _exit(4); }
      int st = 0; bool late = false; while (waitpid(p, &st, WNOHANG) == 0) { if (wall() - t0 > most) { kill(p, SIGKILL); late = true; waitpid(p, &st, 0); break; } usleep(5000); }
      if (late) { FILE* o = fopen(f.c_str(), "a"); if (o) { fprintf(o, "\nERROR killed after %.0f s\n", most); fclose(o); } }
      printf("%s %.2f s%s\n", t.name, wall() - t0, late ? " KILLED" : st ? " status not 0" : ""); fflush(stdout); }
    return 0; }
  if (n != 2) { fprintf(stderr, "usage: clusters NAME | all DIR; names:"); for (const Test& t : T) fprintf(stderr, " %s", t.name); fprintf(stderr, "\n"); return 2; }
  for (const Test& t : T) if (!strcmp(t.name, v[1])) { setvbuf(stdout, nullptr, _IOFBF, 1 << 16); cudaDeviceProp p; cudaError_t e = cudaGetDeviceProperties(&p, 0); if (e != cudaSuccess) { printf("ERROR device: %s\n", cudaGetErrorString(e)); return 1; }
    int drv = 0; cudaDriverGetVersion(&drv); printf("# %s on %s, %d SMs, driver %d\n", t.name, p.name, p.multiProcessorCount, drv); setup(); double t0 = wall(); t.f(); printf("# end, %.2f s, %d errors\n", wall() - t0, errors); fflush(stdout); return errors ? 1 : 0; }
  fprintf(stderr, "no table %s\n", v[1]); return 2;
}
