// Kernels that call: recursion, virtual functions, pointers to functions. Launched with 2 blocks of 64 threads; 'in'
// has 4096 words, 'out' 4096. runtime.cu has the main that runs them on a GPU.
#include <cstdint>

#define KERNEL(name) extern "C" __global__ void name(uint32_t *out, const uint32_t *in, uint32_t n)
#define THREAD uint32_t t = blockIdx.x * blockDim.x + threadIdx.x, k = 0; uint32_t *o = out + t * 32
#define PUT(value) o[k++] = (uint32_t)(value)

__device__ __noinline__ uint32_t fibonacci(uint32_t i) { return i < 2 ? i : fibonacci(i - 1) + fibonacci(i - 2); }
__device__ __noinline__ uint32_t ackermann(uint32_t a, uint32_t b) {
  return a == 0 ? b + 1 : b == 0 ? ackermann(a - 1, 1) : ackermann(a - 1, ackermann(a, b - 1));
}
KERNEL(recursion) {
  THREAD;
  PUT(fibonacci(in[t] % 9));
  PUT(ackermann(in[t] % 2, in[t + 1] % 5));
  PUT(fibonacci(n));
}

__device__ __noinline__ uint32_t fall(uint32_t i, uint32_t n) {
  volatile uint32_t here[8];
  here[i % 8] = i;
  return i >= n ? here[i % 8] : fall(i + 1, n) + here[i % 8];
}
KERNEL(deep) {
  THREAD;
  PUT(fall(0, n));
}

// Virtual functions: of objects in local memory and on the heap.
struct Shape {
  __device__ virtual uint32_t area() const = 0;
  __device__ virtual uint32_t sides() const { return 0; }
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  uint32_t a;
  __device__ Square(uint32_t a) : a(a) {}
  __device__ uint32_t area() const override { return a * a; }
  __device__ uint32_t sides() const override { return 4; }
};
struct Rectangle : Square {
  uint32_t b;
  __device__ Rectangle(uint32_t a, uint32_t b) : Square(a), b(b) {}
  __device__ uint32_t area() const override { return a * b; }
};
struct Disc : Shape {
  uint32_t r;
  __device__ Disc(uint32_t r) : r(r) {}
  __device__ uint32_t area() const override { return 3 * r * r; }
};
KERNEL(shapes) {
  THREAD;
  Shape *shape = in[t] % 3 == 0 ? (Shape *)new Square(t) : in[t] % 3 == 1 ? (Shape *)new Rectangle(t, n) : (Shape *)new Disc(t);
  PUT(shape->area()); PUT(shape->sides());
  delete shape;
  Rectangle rectangle(in[t] % 50, 3); Disc disc(in[t] % 50);
  const Shape *two[2] = {&rectangle, &disc};
  uint32_t sum = 0;
  for (uint32_t i = 0; i < n; ++i) sum = sum * 7 + two[(in[t] >> i) & 1]->area();
  PUT(sum);
}

// Pointers to functions: a table in global memory, one in constant memory, one that is chosen by the thread.
typedef uint32_t (*Operation)(uint32_t, uint32_t);
__device__ __noinline__ uint32_t add(uint32_t a, uint32_t b) { return a + b; }
__device__ __noinline__ uint32_t subtract(uint32_t a, uint32_t b) { return a - b; }
__device__ __noinline__ uint32_t multiply(uint32_t a, uint32_t b) { return a * b; }
__device__ __noinline__ uint32_t power(uint32_t a, uint32_t b) { return b == 0 ? 1 : a * power(a, b - 1); }
__device__ Operation operations[4] = {add, subtract, multiply, power};
__constant__ Operation others[2] = {multiply, add};
KERNEL(pointers) {
  THREAD;
  PUT(operations[t % 4](in[t] % 10, n));
  PUT(others[in[t] % 2](t, n));
  Operation chosen = in[t] % 5 < 2 ? subtract : power;
  PUT(chosen(t, 3));
}
