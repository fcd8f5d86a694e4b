// One step of PageRank over an in-CSR in f64, the same layout and order of sums as corank's kernel.
// Reads u32 little endian: n + 1 out-starts in argv[1], n + 1 in-starts in argv[2], in-ends in argv[3].
// Answers each line of stdin with the milliseconds a step, over ten steps.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

static std::vector<uint32_t> numbers(const char *path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<uint32_t> values(file.tellg() / 4);
  file.seekg(0);
  file.read(reinterpret_cast<char *>(values.data()), values.size() * 4);
  return values;
}

int main(int, char **argv) {
  const auto out = numbers(argv[1]), starts = numbers(argv[2]), ends = numbers(argv[3]);
  const size_t n = starts.size() - 1;
  std::vector<double> inverse(n), scores(n), parts(n);
  for (size_t i = 0; i < n; i++) inverse[i] = out[i + 1] > out[i] ? 1.0 / (out[i + 1] - out[i]) : 0;
  volatile double kept = 0;
  while (getchar() != EOF) {
    for (auto &score : scores) score = 1.0 / n;
    const auto begun = std::chrono::steady_clock::now();
    for (int step = 0; step < 10; step++) {
      double dangling = 0, change = 0;
      for (size_t i = 0; i < n; i++) {
        parts[i] = scores[i] * inverse[i];
        if (inverse[i] == 0) dangling += scores[i];
      }
      const double base = (0.15 + 0.85 * dangling) / n;
      for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (uint32_t e = starts[i]; e < starts[i + 1]; e++) sum += parts[ends[e]];
        const double next = base + 0.85 * sum;
        change += std::fabs(next - scores[i]);
        scores[i] = next;
      }
      kept = change;
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begun;
    printf("%f\n", took.count() / 10);
    fflush(stdout);
  }
  return kept < 0;
}
