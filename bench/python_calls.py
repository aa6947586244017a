"""What a call from Python costs beside the C++ that it calls. Usage: python bench/python_calls.py

The record's `seconds` are the task's own; what the call takes beyond them is taking arrays, options and the result across.
The peak of memory is shown for a set of 1 GB of float32.
"""
import resource
import statistics
import time

import numpy

import leeway


def overhead(n, k, calls=3000):
    random = numpy.random.default_rng(0)
    clean = 3 * random.normal(size=(n, k)).astype("f4")
    shifted = clean + random.normal(size=(n, k)).astype("f4")
    beyond, inside = [], []
    for _ in range(calls):
        start = time.perf_counter()
        result = leeway.agreement(clean, shifted)
        whole = time.perf_counter() - start
        inside.append(result.seconds)
        beyond.append(whole - result.seconds)
    print(f"agreement of {n} x {k}: C++ {1e6 * statistics.median(inside):.0f} us, beyond it {1e6 * statistics.median(beyond):.0f} us "
          f"(best {1e6 * min(beyond):.0f} us)")


def peak_memory(gigabytes=1.0, k=100):
    n = int(gigabytes * 1e9 / 4 / k)
    clean = numpy.empty((n, k), "f4")
    for begin in range(0, n, 100_000):
        part = clean[begin:begin + 100_000]
        part[...] = numpy.random.default_rng(begin).normal(size=part.shape)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    leeway.agreement(clean, clean[:], quiet=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"agreement of {n} x {k} float32 ({clean.nbytes / 1e9:.2f} GB) in {time.perf_counter() - start:.1f} s: "
          f"peak memory grew by {(peak - before) / 1e3:.0f} MB")


if __name__ == "__main__":
    overhead(100, 10)
    overhead(10_000, 10, 300)
    peak_memory()
