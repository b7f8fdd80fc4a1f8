# SPDX-License-Identifier: MIT AND CC-BY-4.0
"""The code of three texts, cell by cell, as their readers type it.

LESSON is quoted from "Lesson: GPU Programming" of the Carpentries Incubator and the Netherlands eScience
Center (CC-BY 4.0), NOTES from the notes of a workshop that taught it in December 2024 (CC-BY 4.0),
BLOG from "GPU-accelerated image processing using cupy and cucim" by Robert Haase (CC-BY 4.0). A
cell with a line that this package cannot run has the reason in LEFT_OUT.
"""

LESSON = [
    r"""import numpy as np

# Construct an image with repeated delta functions
deltas = np.zeros((2048, 2048))
deltas[8::16,8::16] = 1
""",
    r"""import pylab as pyl
# Necessary command to render a matplotlib image in a Jupyter notebook.
%matplotlib inline

# Display the image
# You can zoom in using the menu in the window that will appear
pyl.imshow(deltas[0:32, 0:32])
pyl.show()
""",
    r"""x, y = np.meshgrid(np.linspace(-2, 2, 15), np.linspace(-2, 2, 15))
dst = np.sqrt(x*x + y*y)
sigma = 1
muu = 0.000
gauss = np.exp(-((dst-muu)**2/(2.0 * sigma**2)))
pyl.imshow(gauss)
pyl.show()
""",
    r"""from scipy.signal import convolve2d as convolve2d_cpu

convolved_image_using_CPU = convolve2d_cpu(deltas, gauss)
pyl.imshow(convolved_image_using_CPU[0:32, 0:32])
pyl.show()
%timeit -n 1 -r 1 convolve2d_cpu(deltas, gauss)
""",
    r"""import cupy as cp

deltas_gpu = cp.asarray(deltas)
gauss_gpu = cp.asarray(gauss)
""",
    r"""from cupyx.scipy.signal import convolve2d as convolve2d_gpu

convolved_image_using_GPU = convolve2d_gpu(deltas_gpu, gauss_gpu)
%timeit -n 7 -r 1 convolved_image_using_GPU = convolve2d_gpu(deltas_gpu, gauss_gpu)
""",
    r"""from cupyx.profiler import benchmark

execution_gpu = benchmark(convolve2d_gpu, (deltas_gpu, gauss_gpu), n_repeat=10)
""",
    r"""gpu_avg_time = np.average(execution_gpu.gpu_times)
print(f"{gpu_avg_time:.6f} s")
""",
    r"""convolve2d_gpu(deltas, gauss)
""",
    r"""np.allclose(convolved_image_using_GPU, convolved_image_using_CPU)
""",
    r"""def transfer_compute_transferback():
    deltas_gpu = cp.asarray(deltas)
    gauss_gpu = cp.asarray(gauss)
    convolved_image_using_GPU = convolve2d_gpu(deltas_gpu, gauss_gpu)
    convolved_image_using_GPU_copied_to_host = cp.asnumpy(convolved_image_using_GPU)

execution_gpu = benchmark(transfer_compute_transferback, (), n_repeat=10)
gpu_avg_time = np.average(execution_gpu.gpu_times)
print(f"{gpu_avg_time:.6f} s")
""",
    r"""convolve2d_cpu(deltas_gpu, gauss_gpu)
""",
    r"""deltas_1d = deltas.ravel()
gauss_1d = gauss.diagonal()
%timeit -n 1 -r 1 np.convolve(deltas_1d, gauss_1d)
""",
    r"""deltas_1d_gpu = cp.asarray(deltas_1d)
gauss_1d_gpu = cp.asarray(gauss_1d)

execution_gpu = benchmark(np.convolve, (deltas_1d_gpu, gauss_1d_gpu), n_repeat=10)
gpu_avg_time = np.average(execution_gpu.gpu_times)
print(f"{gpu_avg_time:.6f} s")
""",
    r"""from astropy.io import fits

with fits.open("GMRT_image_of_Galactic_Center.fits") as hdul:
    data = hdul[0].data.byteswap().newbyteorder()
""",
    r"""from matplotlib.colors import LogNorm

maxim = data.max()

fig = pyl.figure(figsize=(50, 12.5))
ax = fig.add_subplot(1, 1, 1)
im_plot = ax.imshow(np.fliplr(data), cmap=pyl.cm.gray_r, norm=LogNorm(vmin = maxim/10, vmax=maxim/100))
pyl.colorbar(im_plot, ax=ax)
""",
    r"""mean_ = data.mean()
median_ = np.median(data)
stddev_ = np.std(data)
max_ = np.amax(data)
print(f"mean = {mean_:.3e}, median = {median_:.3e}, sttdev = {stddev_:.3e},\
maximum = {max_:.3e}")
""",
    r"""# Flattening our 2D data first makes subsequent steps easier.
data_flat = data.ravel()
# Here is a kappa, sigma clipper for the CPU
def kappa_sigma_clipper(data_flat):
    while True:
         med = np.median(data_flat)
         std = np.std(data_flat)
         clipped_lower = data_flat.compress(data_flat > med - 3 * std)
         clipped_both = clipped_lower.compress(clipped_lower < med + 3 * std)
         if len(clipped_both) == len(data_flat):
             break
         data_flat = clipped_both
    return data_flat

data_clipped = kappa_sigma_clipper(data_flat)
timing_ks_clipping_cpu = %timeit -o kappa_sigma_clipper(data_flat)
fastest_ks_clipping_cpu = timing_ks_clipping_cpu.best
print(f"Fastest CPU ks clipping time = {1000 * fastest_ks_clipping_cpu:.3e} ms.")
""",
    r"""mean_ = data_clipped.mean()
median_ = np.median(data_clipped)
stddev_ = np.std(data_clipped)
max_ = np.amax(data_clipped)
print(f"mean = {mean_:.3e}, median = {median_:.3e}, sttdev = {stddev_:.3e},\
maximum = {max_:.3e}")
""",
    r"""data_flat_gpu = cp.asarray(data_flat)
data_gpu_clipped = kappa_sigma_clipper(data_flat_gpu)
timing_ks_clipping_gpu = benchmark(kappa_sigma_clipper, (data_flat_gpu.ravel(), ), n_repeat=10)
fastest_ks_clipping_gpu = np.min(timing_ks_clipping_gpu.gpu_times)
print(f"{1000 * fastest_ks_clipping_gpu:.3e} ms")
""",
    r"""speedup_factor = fastest_ks_clipping_cpu/fastest_ks_clipping_gpu
print(f"The speedup factor for ks clipping is: {speedup_factor:.3e}")
""",
    r"""stddev_gpu_ = np.std(data_gpu_clipped)
print(f"standard deviation of background_noise = {stddev_:.4f} Jy/beam")
""",
    r"""threshold = 5 * stddev_
segmented_image = np.where(data > threshold, 1,  0)
timing_segmentation_CPU = %timeit -o np.where(data > threshold, 1,  0)
fastest_segmentation_CPU = timing_segmentation_CPU.best
print(f"Fastest CPU segmentation time = {1000 * fastest_segmentation_CPU:.3e} ms.")
""",
    r"""data_gpu = cp.asarray(data)
threshold = 5 * stddev_gpu_
segmented_image_gpu = np.where(data_gpu > threshold, 1,  0)
timing_segmentation_GPU = benchmark(np.where, (data_gpu > threshold, 1,  0), n_repeat=10)
fastest_segmentation_GPU = np.min(timing_segmentation_GPU.gpu_times)
print(f"{1000 * fastest_segmentation_GPU:.3e} ms")
print()
speedup_factor = fastest_segmentation_CPU/fastest_segmentation_GPU
print(f"The speedup factor for segmentation is: {speedup_factor:.3e}")
""",
    r"""from scipy.ndimage import label
labelled_image = np.empty(data.shape)
number_of_sources_in_image = label(segmented_image, output = labelled_image)
sigma_unicode = "\u03C3"
print(f"The number of sources in the image at the 5{sigma_unicode} level is \
{number_of_sources_in_image}.")

timing_CCL_CPU = %timeit -o label(segmented_image, output = labelled_image)
fastest_CCL_CPU = timing_CCL_CPU.best
print(f"Fastest CPU CCL time = {1000 * fastest_CCL_CPU:.3e} ms.")
""",
    r"""print(f"These are all the pixel values we can find in the labelled image: \
{np.unique(labelled_image)}")
""",
    r"""from cupyx.scipy.ndimage import label as label_gpu
labelled_image_gpu = cp.empty(data_gpu.shape)
number_of_sources_in_image = label_gpu(segmented_image_gpu, \
                                       output = labelled_image_gpu)

print(f"The number of sources in the image at the 5{sigma_unicode} level is \
{number_of_sources_in_image}.")

timing_CCL_GPU = benchmark(label_gpu, \
                           (segmented_image_gpu, None, labelled_image_gpu), n_repeat=10)
fastest_CCL_GPU = np.amin(timing_CCL_GPU.gpu_times)
print(f"Fastest CCL on the GPU is {1000 * fastest_CCL_GPU:.3e} ms")
print()
speedup_factor = fastest_CCL_CPU/fastest_CCL_GPU
print(f"The speedup factor for CCL is: {speedup_factor:.3e}")
""",
    r"""from scipy.ndimage import center_of_mass, sum_labels
all_positions = center_of_mass(data, labelled_image, \
                               range(1, number_of_sources_in_image+1))
all_integrated_fluxes = sum_labels(data, labelled_image, \
                               range(1, number_of_sources_in_image+1))

print (f'These are the ten highest integrated fluxes of the sources in my image: \
{np.sort(all_integrated_fluxes)[-10:]}')
""",
    r"""%%timeit -o
all_positions = center_of_mass(data, labelled_image, \
                               range(1, number_of_sources_in_image+1))
all_integrated_fluxes = sum_labels(data, labelled_image, \
                               range(1, number_of_sources_in_image+1))
""",
    r"""timing_source_measurements_CPU = _
fastest_source_measurements_CPU = timing_source_measurements_CPU.best
print(f"Fastest CPU set of source measurements = \
{1000 * fastest_source_measurements_CPU:.3e} ms.")
""",
    r"""# Now on the GPU
from cupyx.scipy.ndimage import center_of_mass as com_gpu
from cupyx.scipy.ndimage import sum_labels as sl_gpu

timing_position_measurements_GPU = benchmark(com_gpu, (data_gpu, labelled_image_gpu, \
                                      cp.arange(1, number_of_sources_in_image+1)),
                                      n_repeat =10)
fastest_position_measurements_GPU = np.amin(timing_position_measurements_GPU.gpu_times)
timing_flux_measurements_GPU = benchmark(sl_gpu, (data_gpu, labelled_image_gpu, \
                                      cp.arange(1, number_of_sources_in_image+1)),
                                      n_repeat =10)
fastest_flux_measurements_GPU = np.amin(timing_flux_measurements_GPU.gpu_times)
fastest_source_measurements_GPU = fastest_position_measurements_GPU + \
                                  fastest_flux_measurements_GPU
print(f"Fastest source measurements on the GPU take \
 {1000 * fastest_source_measurements_GPU:.3e} ms")
print()
speedup_factor = fastest_source_measurements_CPU/fastest_source_measurements_GPU
print(f"The speedup factor for source measurements is: {speedup_factor:.3e}")
""",
]

OLDER = [
    r"""from matplotlib.colors import LogNorm

maxim = data.max()

pyl.matshow(data, cmap=pyl.cm.gray_r, norm=LogNorm(vmin = maxim/100, vmax=maxim))
pyl.colorbar()
""",
    r"""subimage = data[500:1000, 500:1000]
maxim_sub = subimage.max()
pyl.matshow(subimage, cmap=pyl.cm.gray_r, \
            norm=LogNorm(vmin = maxim_sub/100, vmax=maxim_sub))
pyl.colorbar()
""",
]

NOTES = [
    r"""diracs_1d_gpu = cp.asarray(diracs_1d_cpu)
gauss_1d_gpu = cp.asarray(gauss_1d_cpu)

benchmark_gpu = benchmark(np.convolve, (diracs_1d_gpu, gauss_1d_gpu), n_repeat=10)
gpu_execution_avg = np.average(benchmark_gpu.gpu_times)
print(f"{gpu_execution_avg:.6f} s")
""",
    r"""def first_two_steps_for_both_CPU_and_GPU(data):
    data_flat = data.ravel()
    data_clipped = ks_clipper_cpu(data_flat)
    stddev_ = np.std(data_clipped)
    threshold = 5 * stddev_
    segmented_image = np.where(data > threshold, 1,  0)
    return segmented_image

def ccl_and_source_measurements_on_CPU(data_CPU, segmented_image_CPU):
    labeled_image_CPU = np.empty(data_CPU.shape)
    number_of_sources_in_image = label_cpu(segmented_image_CPU,
                                           output= labeled_image_CPU)
    all_positions = com_cpu(data_CPU, labeled_image_CPU,
                            np.arange(1, number_of_sources_in_image+1))
    all_fluxes = sl_cpu(data_CPU, labeled_image_CPU,
                        np.arange(1, number_of_sources_in_image+1))
    return np.array(all_positions), np.array(all_fluxes)

def all_on_cpu(data):
    clipped = first_two_steps_for_both_CPU_and_GPU(data)
    return ccl_and_source_measurements_on_CPU(data, clipped)

CPU_output = all_on_cpu(data)

timing_complete_processing_CPU =  benchmark(
        all_on_cpu, (data,), n_repeat=10)

fastest_complete_processing_CPU = np.amin(timing_complete_processing_CPU.cpu_times)

print(f"The four steps of image processing for astronomy take "
      f"{1000 * fastest_complete_processing_CPU:.3e} ms\n on our CPU.")

from cupyx.scipy.ndimage import label as label_gpu
from cupyx.scipy.ndimage import center_of_mass as com_gpu
from cupyx.scipy.ndimage import sum_labels as sl_gpu

def ccl_and_source_measurements_on_GPU(data_GPU, segmented_image_GPU):
    labeled_image_GPU = cp.empty(data_GPU.shape)
    number_of_sources_in_image = label_gpu(segmented_image_GPU,
                                           output= labeled_image_GPU)
    all_positions = com_gpu(data_GPU, labeled_image_GPU,
                            cp.arange(1, number_of_sources_in_image+1))
    all_fluxes = sl_gpu(data_GPU, labeled_image_GPU,
                        cp.arange(1, number_of_sources_in_image+1))
    # This seems redundant, but we want to return ndarrays (Numpy)
    # and what we have are lists.
    # These first have to be converted to
    # Cupy arrays before they can be converted to Numpy arrays.
    return cp.asnumpy(cp.asarray(all_positions)), \
           cp.asnumpy(cp.asarray(all_fluxes))


def all_on_gpu(data):
    data_gpu = cp.asarray(data)
    clipped = first_two_steps_for_both_CPU_and_GPU(data_gpu)
    return ccl_and_source_measurements_on_GPU(data_gpu, clipped)


GPU_output = all_on_gpu(data)
timing_complete_processing_GPU =  benchmark(
    all_on_gpu, (data,), n_repeat=10)
fastest_complete_processing_GPU = np.amin(
    timing_complete_processing_GPU.gpu_times)

print(f"The four steps of image processing for astronomy take "
      f"{1000 * fastest_complete_processing_GPU:.3e} ms\n on our GPU.")

overall_speedup_factor = fastest_complete_processing_CPU / fastest_complete_processing_GPU
print(f"This means that the overall speedup factor GPU vs CPU equals: {overall_speedup_factor:.3e}\n")

all_positions_agree = np.allclose(CPU_output[0], GPU_output[0])
print(f"The CPU and GPU positions agree: {all_positions_agree}\n")

all_fluxes_agree = np.allclose(CPU_output[1], GPU_output[1])
print(f"The CPU and GPU fluxes agree: {all_positions_agree}\n")
""",
    r"""def find_all_primes_gpu(upper):
    all_prime_numbers = []
    for num in range(0, upper):
        result = np.zeros(1, np.int32)
        check_prime_gpu_kernel[1,1](num, result)
        if result[0] != 0:
            all_prime_numbers.append(num)
    return all_prime_numbers

%timeit -n 10 -r 1 find_all_primes_gpu(10_000)
""",
    r"""import numba as nb

@nb.vectorize(['int32(int32)'], target='cuda')
def check_prime_gpu(num):
    if num == 1:
       return 0
    for i in range(2, (num // 2) + 1):
       if (num % i) == 0:
           return 0
    return num

numbers = np.arange(0, 10_000, dtype=np.int32)
list(filter(lambda x: x !=0, check_prime_gpu(numbers)))
%timeit -n 10 -r 1 check_prime_gpu(numbers)
""",
    r"""@cuda.jit
def check_prime_gpu_kernel(result):
    num = cuda.grid(1)
    result[num] = num
    if num == 1:
        result[num] = 0
    for i in range(2, (num // 2) + 1):
       if (num % i) == 0:
           result[num] = 0
           return 0

result = np.zeros(10000, dtype=np.int32)
check_prime_gpu_kernel[100,100][result]
""",
    r"""!nvidia-smi
""",
    r"""!pip install cupy-cuda12x
!pip install numba astropy scipy matplotlib
""",
    r"""import numpy as np

diracs = np.zeros([2048, 2048])
diracs[8:16,8:16] = 1
""",
    r"""import pylab as pyl
%matplotlib inline
pyl.imshow(diracs[0:32,0:32])
""",
    r"""x, y = np.meshgrid(np.linspace(-2, 2, 15), np.linspace(-2, 2, 15))
dist = np.sqrt(x*x + y*y)
sigma = 1
origin = 0.0
gauss = np.exp(-(dist - origin)**2 / (2.0 * sigma**2))
pyl.imshow(gauss)
pyl.show()
""",
    r"""from scipy.signal import convolve2d as convolve2d_cpu

convolved_image_cpu = convolve2d_cpu(diracs, gauss)

# add 7 to the indices to skip the margin
pyl.imshow(convolved_image_cpu[7:39, 7:39])
pyl.show()
""",
    r"""%timeit -n 1 -r 1 convolve2d_cpu(diracs, gauss)
""",
    r"""import cupy as cp

diracs_gpu = cp.asarray(diracs)
gauss_gpu = cp.asarray(gauss)
""",
    r"""from cupyx.scipy.signal import convolve2d as convolve2d_gpu

convolved_image_gpu = convolve2d_gpu(diracs_gpu, gauss_gpu)
""",
    r"""pyl.imshow(convolved_image_gpu[0:64, 0:64].get())
""",
    r"""np.allclose(convolved_image_cpu, convolved_image_gpu)
""",
    r"""%timeit -n 1 -r 5 convolve2d_gpu(diracs_gpu, gauss_gpu)
""",
    r"""from cupyx.profiler import benchmark

benchmark_gpu = benchmark(convolve2d_gpu, (diracs_gpu, gauss_gpu), n_repeat=10)
gpu_execution_times = np.average(benchmark_gpu.gpu_times)
print(f"{gpu_execution_times:.6f} s")
""",
    r"""diracs_1d_cpu = diracs.ravel()
gauss_1d_cpu = gauss.diagonal()
np.convolve(diracs_1d_cpu, gauss_1d_cpu)
""",
    r"""def gpu_convolution_with_data_transfer():
    diracs_gpu = cp.asarray(diracs)
    gauss_gpu = cp.asarray(gauss)
    convolved_image_gpu = convolve2d_gpu(diracs_gpu, gauss_gpu)
    convolved_image_in_host = cp.asnumpy(convolved_image_gpu)

benchmark_gpu = benchmark(gpu_convolution_with_data_transfer, (), n_repeat=10)
gpu_execution_avg = np.average(benchmark_gpu.gpu_times)
print(f"{gpu_execution_avg:.6f} s")
""",
    r"""!wget https://carpentries-incubator.github.io/lesson-gpu-programming/data/GMRT_image_of_Gala
    ctic_Center.fits
""",
    r"""from astropy.io import fits

with fits.open("GMRT_image_of_Galactic_Center.fits") as hdul:
    data = hdul[0].data.byteswap().newbyteorder()
""",
    r"""from matplotlib.colors import LogNorm

maxim = data.max()

fig = pyl.figure(figsize=(50, 12.5))
ax = fig.add_subplot(1, 1, 1)
im_plot = ax.imshow(np.fliplr(data), cmap=pyl.cm.gray_r, norm=LogNorm(vmin = maxim/10, vmax=maxim/100))
pyl.colorbar(im_plot, ax=ax)
""",
    r"""mean_ = data.mean()
median_ = np.median(data)
stddev_ = np.std(data)
max_ = np.amax(data)
print(f"mean = {mean_:.3e}, median = {median_:.3e}, sttdev = {stddev_:.3e}, maximum = {max_:.3e}")
""",
    r"""# Flattening our 2D data makes subsequent steps easier
data_flat = data.ravel()

# Here is a kappa-sigma clipper for the CPU
def ks_clipper_cpu(data_flat):
    while True:
         med = np.median(data_flat)
         std = np.std(data_flat)
         clipped_below = data_flat.compress(data_flat > med - 3 * std)
         clipped_data = clipped_below.compress(clipped_below < med + 3 * std)
         if len(clipped_data) == len(data_flat):
             break
         data_flat = clipped_data
    return data_flat

data_clipped_cpu = ks_clipper_cpu(data_flat)
timing_ks_clipping_cpu = %timeit -o ks_clipper_cpu(data_flat)
fastest_ks_clipping_cpu = timing_ks_clipping_cpu.best
print(f"Fastest ks clipping time on CPU = {1000 * fastest_ks_clipping_cpu:.3e} ms.")
""",
    r"""clipped_mean_ = data_clipped_cpu.mean()
clipped_median_ = np.median(data_clipped_cpu)
clipped_stddev_ = np.std(data_clipped_cpu)
clipped_max_ = np.amax(data_clipped_cpu)
print(f"mean of clipped = {clipped_mean_:.3e}, "
      f"median of clipped = {clipped_median_:.3e} \n"
      f"standard deviation of clipped = {clipped_stddev_:.3e},"
      f"maximum of clipped = {clipped_max_:.3e}")
""",
    r"""threshold = 5 * clipped_stddev_
segmented_image = np.where(data > threshold, 1,  0)
""",
    r"""from scipy.ndimage import label as label_cpu
labeled_image = np.empty(data.shape)
number_of_sources_cpu = label_cpu(segmented_image, output=labeled_image)
sigma_unicode = "\u03C3"
print(f"The number of sources in the image at the 5{sigma_unicode} level is {number_of_sources_cpu}")
""",
    r"""from scipy.ndimage import center_of_mass as com_cpu
from scipy.ndimage import sum_labels as sl_cpu
all_positions = com_cpu(data, labeled_image,
                        range(1, number_of_sources_cpu+1))
all_integrated_fluxes = sl_cpu(data, labeled_image,
                               range(1, number_of_sources_cpu+1))

print (f'These are the ten highest integrated fluxes of the sources in my \n image: {np.sort(all_integrated_fluxes)[-10:]}')
""",
    r"""def find_all_primes_cpu(upper):
    all_prime_numbers = []
    for num in range(0, upper):
        prime = True
        for i in range(2, (num // 2) + 1):
            if (num % i) == 0:
                prime = False
                break
        if prime:
            all_prime_numbers.append(num)
    return all_prime_numbers
""",
    r"""%timeit -n 10 -r 1 find_all_primes_cpu(10_000)
""",
    r"""from numba import jit
find_all_prime_numba = jit(find_all_primes_cpu)
%timeit -n 10 -r 1 find_all_primes_numba(10_000)
""",
    r"""from numba import cuda
@cuda.jit
def check_prime_gpu_kernel(num, result):
   result[0] =  num
   for i in range(2, (num // 2) + 1):
       if (num % i) == 0:
           result[0] = 0
           break
""",
    r"""import numpy as np

result = np.zeros((1), np.int32)
check_prime_gpu_kernel[1, 1](11, result)
print(result[0])
check_prime_gpu_kernel[1, 1](12, result)
print(result[0])
""",
]

BLOG = [
    r"""!curl https://colab.chainer.org/install | sh -

!pip install cucim
!pip install scipy scikit-image cupy-cuda100
""",
    r"""import numpy as np
import cupy as cp
import cucim
from skimage.io import imread, imshow
import pandas as pd
""",
    r"""image = imread('https://idr.openmicroscopy.org/webclient/render_image_download/9844418/?format=tif')

imshow(image)
""",
    r"""image_gpu = cp.asarray(image)

image_gpu.shape
""",
    r"""single_channel_gpu = image_gpu[:,:,1]

# the following line would fail
# imshow(single_channel_gpu)

# get single channel image back from GPU memory and show it
single_channel = np.asarray(single_channel_gpu)
imshow(single_channel)
""",
    r"""def gpu_imshow(image_gpu):
    image = np.asarray(image_gpu)
    imshow(image)
""",
    r"""from cucim.skimage.filters import gaussian

blurred_gpu = gaussian(single_channel_gpu, sigma=5)

gpu_imshow(blurred_gpu)
""",
    r"""from cucim.skimage.filters import threshold_otsu

# determine threshold
threshold = threshold_otsu(blurred_gpu)

# binarize image by apply the threshold
binary_gpu = blurred_gpu > threshold

gpu_imshow(binary_gpu)
""",
    r"""from cucim.skimage.morphology import binary_erosion, disk

eroded_gpu = binary_erosion(binary_gpu, selem=disk(2))

gpu_imshow(eroded_gpu)
""",
    r"""from cucim.skimage.measure import label

labels_gpu = label(eroded_gpu)

gpu_imshow(labels_gpu)
""",
    r"""from cucim.skimage.color import label2rgb

labels_rgb_gpu = label2rgb(labels_gpu)

gpu_imshow(labels_rgb_gpu)
""",
    r"""from cucim.skimage.measure import regionprops_table

table_gpu = regionprops_table(labels_gpu, intensity_image=single_channel_gpu, properties=('mean_intensity', 'area', 'solidity'))

table_gpu
""",
    r"""# The following line would fail.
# pd.DataFrame(table_gpu)

# We need to convert that table to numpy before we can pass it to pandas.
table = {item[0] : cp.asnumpy(item[1]) for item in table_gpu.items()}
pd.DataFrame(table)
""",
]
