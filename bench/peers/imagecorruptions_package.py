"""Times the package imagecorruptions from PyPI, for corruptions.py, which starts it, and prints what corruptions_bench prints.

    imagecorruptions_package.py PICTURES.npy THREADS NAME ...       THREADS 0: as many as its parts take

One call of corrupt() a picture, (h,w,3) levels in and out, with ImageNet-C's constants, the only ones it has.
"""
import os
import sys
import time
import warnings

threads = int(sys.argv[2])
if threads > 0:
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = str(threads)
warnings.simplefilter("ignore")

import cv2
import imagecorruptions
import numpy as np
from imagecorruptions import corruptions
from skimage import filters

if threads > 0:
    cv2.setNumThreads(threads)


def gaussian(image, sigma, multichannel=False, **others):
    """The package knows the argument's old name alone."""
    return filters.gaussian(image, sigma, channel_axis=-1 if multichannel else None, **others)


corruptions.gaussian = gaussian
before = np.ascontiguousarray(np.moveaxis(np.load(sys.argv[1]), 1, -1))
n, height, width = before.shape[:3]
print("name,channels,height,width,severity,images,threads,seconds,microseconds")
for name in sys.argv[3:]:
    theirs = name.replace("-", "_")
    for severity in range(1, 6):
        imagecorruptions.corrupt(before[0], corruption_name=theirs, severity=severity)
        start, processor = time.perf_counter(), time.process_time()
        for picture in before:
            imagecorruptions.corrupt(picture, corruption_name=theirs, severity=severity)
        spent, processor = time.perf_counter() - start, time.process_time() - processor
        print(f"{name},3,{height},{width},{severity},{n},{threads},{spent:.5f},{processor / n * 1e6:.2f}")
