// Times corruptions, for bench/peers/corruptions.py.
//
//   corruptions_bench [IMAGES [THREADS [REPEATS [SIDE [NAME ...]]]]]       10000 images, 2 threads, 1 repeat, side 0, all members
//   -> CSV: name,channels,height,width,severity,images,threads,seconds,microseconds: of the whole run, and of the processor for
//      one image, the least of the repeats; lines for every member and severity, then the sums of a shape
//   SIDE 0: pictures of 28x28x1 and 32x32x3 with the constants of their size; else SIDExSIDEx3 with those of ImageNet-C.
#include <fmt/format.h>

#include <ctime>

#include "bench/bench.h"
#include "leeway/core/parallel.h"
#include "leeway/shift/shift.h"

namespace {

using namespace leeway;
using namespace leeway::shift;

// Ramps and some roughness, as bench/peers/corruptions.py makes them.
Images pictures(std::size_t n, std::size_t channels, std::size_t height, std::size_t width) {
  const std::size_t size = channels * height * width;
  std::vector<std::uint8_t> levels(n * size);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t i = 0; i < size; ++i)
      levels[row * size + i] = static_cast<std::uint8_t>((row * 7 + i % width * 3 + i / width * 2) % 200 +
                                                         (7 * i * i + 31 * i + 13 * row) % 56);
  return {"pictures", make_array({n, channels, height, width}, std::move(levels)), {}};
}

void print(std::string_view name, const Images& images, std::string_view severity, double seconds,
           double processor) {
  fmt::print("{},{},{},{},{},{},{},{:.5f},{:.2f}\n", name, images.channels(), images.height(), images.width(),
             severity, images.n(), threads(), seconds, processor / static_cast<double>(images.n()) * 1e6);
}

void run(const bench::Arguments& arguments) {
  const std::size_t n = std::max<std::size_t>(1, arguments.number(0, 10000));
  set_threads(static_cast<int>(arguments.number(1, 2)));
  const std::size_t repeats = std::max<std::size_t>(1, arguments.number(2, 1));
  const std::size_t side = arguments.number(3, 0);
  std::vector<Images> sets;
  if (side > 0)
    sets = {pictures(n, 3, side, side)};
  else
    sets = {pictures(n, 1, 28, 28), pictures(n, 3, 32, 32)};
  std::vector<const shift::Member*> members;
  for (std::size_t i = 4; i < arguments.count(); ++i) members.push_back(&member(arguments[i]));
  if (members.empty())
    for (const shift::Member& one : corruptions()) members.push_back(&one);
  fmt::print("name,channels,height,width,severity,images,threads,seconds,microseconds\n");
  for (const Images& images : sets) {
    double total = 0, total_processor = 0;
    const Images few = pictures(16, images.channels(), images.height(), images.width());
    for (const shift::Member* const one : members) {
      Options options;
      options.severity = 1;
      (void)one->apply(few, options, nullptr);  // threads and their tables are there now
      for (int severity = 1; severity <= 5; ++severity) {
        options.severity = severity;
        if (side > 0) options.set = ConstantSet::imagenet;
        std::vector<double> spent(repeats), processor(repeats);
        for (std::size_t i = 0; i < repeats; ++i) {
          const std::clock_t start = std::clock();
          spent[i] = bench::seconds([&] { (void)one->apply(images, options, nullptr); });
          processor[i] = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        }
        total += bench::least(spent);
        total_processor += bench::least(processor);
        print(one->name, images, std::to_string(severity), bench::least(spent), bench::least(processor));
      }
    }
    print("all", images, "all", total, total_processor);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argc, argv});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
