#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the corpus that fuzzing starts from: seeds.py FOLDER

Small files of every kind that the readers know, with astropy, NumPy and Pillow; the files in
tests/fuzz/corpus were made by it, but for those whose names begin with found-, which a fuzzer made.
"""
import io
import os
import struct
import sys
import warnings
import zlib

import numpy as np
from astropy.io import fits
from PIL import Image

warnings.simplefilter('ignore')
FOLDER = sys.argv[1]
RAMP = np.arange(35).reshape(5, 7)


def save(kind, name, data):
    folder = os.path.join(FOLDER, kind)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), 'wb') as out:
        out.write(data)


def fits_bytes(*hdus):
    out = io.BytesIO()
    fits.HDUList(list(hdus)).writeto(out)
    return out.getvalue()


def make_fits():
    for kind in ('u1', 'i2', 'i4', 'i8', 'f4', 'f8', 'u2'):
        save('fits', f'{kind}.fits', fits_bytes(fits.PrimaryHDU(RAMP.astype(kind))))
    hdu = fits.PrimaryHDU(RAMP.astype('i2'))
    hdu.header['BLANK'] = 3
    hdu.header['BSCALE'] = 0.5
    hdu.header['BZERO'] = 10.0
    save('fits', 'blank.fits', fits_bytes(hdu))
    sky = fits.PrimaryHDU(RAMP.astype('f4'))
    for key, value in dict(CTYPE1='RA---TAN', CTYPE2='DEC--TAN', CRPIX1=3.0, CRPIX2=2.0,
                           CRVAL1=10.0, CRVAL2=-30.0, CDELT1=-0.01, CDELT2=0.01, CUNIT1='deg',
                           CUNIT2='deg', BUNIT='JY/BEAM', BMAJ=0.01, BMIN=0.01, BPA=5.0).items():
        sky.header[key] = value
    save('fits', 'sky.fits', fits_bytes(sky))
    cube = np.arange(24, dtype='f4').reshape(1, 2, 3, 4)
    save('fits', 'cube.fits', fits_bytes(fits.PrimaryHDU(cube)))
    save('fits', 'vector.fits', fits_bytes(fits.PrimaryHDU(np.arange(9, dtype='f4'))))
    table = fits.BinTableHDU.from_columns([fits.Column('a', 'J', array=[1, 2, 3])])
    save('fits', 'extension.fits', fits_bytes(fits.PrimaryHDU(), table,
                                              fits.ImageHDU(RAMP.astype('f4'), name='SCI')))
    save('fits', 'table.fits', fits_bytes(fits.PrimaryHDU(), table))
    for method in ('RICE_1', 'GZIP_1', 'GZIP_2', 'PLIO_1', 'HCOMPRESS_1'):
        data = RAMP.astype('i2')
        save('fits', f'{method.lower()}.fits', fits_bytes(
            fits.PrimaryHDU(), fits.CompImageHDU(data, compression_type=method)))
    save('fits', 'quantized.fits', fits_bytes(
        fits.PrimaryHDU(), fits.CompImageHDU(np.sin(RAMP).astype('f4'), compression_type='RICE_1')))
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    plain = fits_bytes(fits.PrimaryHDU(RAMP.astype('i2')))
    save('fits', 'plain.fits.gz', packer.compress(plain) + packer.flush())


def npy_bytes(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def make_npy():
    for kind in ('u1', 'i1', 'b1', '<u2', '>i2', '<i4', '>u4', '<i8', '<u8', '<f2', '<f4', '>f4',
                 '<f8', '>f8'):
        name = kind.replace('<', 'l').replace('>', 'b')
        save('npy', f'{name}.npy', npy_bytes(RAMP.astype(kind)))
    save('npy', 'fortran.npy', npy_bytes(np.asfortranarray(RAMP.astype('f4'))))
    save('npy', 'version2.npy', npy_bytes(RAMP.astype('f4'), (2, 0)))
    save('npy', 'version3.npy', npy_bytes(RAMP.astype('f4'), (3, 0)))
    save('npy', 'scalar.npy', npy_bytes(np.float32(3)))
    save('npy', 'vector.npy', npy_bytes(np.arange(5, dtype='f4')))
    save('npy', 'colour.npy', npy_bytes(np.arange(60, dtype='u1').reshape(5, 4, 3)))
    save('npy', 'cube.npy', npy_bytes(np.arange(24, dtype='f4').reshape(2, 3, 4)))
    save('npy', 'record.npy', npy_bytes(np.zeros(3, [('a', 'i4'), ('b', 'f4')])))
    save('npy', 'empty.npy', npy_bytes(np.zeros((0, 3), 'f4')))


def picture(kind, name, image, form, **more):
    out = io.BytesIO()
    image.save(out, form, **more)
    save(kind, name, out.getvalue())


def make_png():
    for mode in ('1', 'L', 'LA', 'P', 'RGB', 'RGBA', 'I;16'):
        if mode == 'I;16':
            image = Image.fromarray((RAMP * 1000).astype('u2'))
        else:
            image = Image.fromarray((RAMP * 7).astype('u1')).convert(mode)
        picture('png', f"{mode.replace(';', '').lower()}.png", image, 'PNG')
    for depth in (2, 4):
        image = Image.fromarray((RAMP % 4).astype('u1'), 'P')
        image.putpalette([0, 0, 0, 90, 0, 0, 0, 90, 0, 0, 0, 90])
        picture('png', f'palette{depth}.png', image, 'PNG', bits=depth, transparency=1)
    rows = b''.join(b'\0' + bytes(range(8)) for _ in range(8))
    chunks = [(b'IHDR', struct.pack('>IIBBBBB', 8, 8, 8, 0, 0, 0, 1)),
              (b'IDAT', zlib.compress(rows + bytes(32))), (b'IEND', b'')]
    save('png', 'interlaced.png', b'\x89PNG\r\n\x1a\n' + b''.join(
        struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
        for name, data in chunks))


def tiff_bytes(order, tags, data):
    """A TIFF file of one page: tags are (number, type, values), data follows the directory."""
    sizes = {1: 'B', 3: 'H', 4: 'I', 5: 'II'}
    head = order + struct.pack('<HI' if order == b'II' else '>HI', 42, 8)
    mark = '<' if order == b'II' else '>'
    place = 8 + 2 + 12 * len(tags) + 4
    entries, extra = b'', b''
    for number, kind, values in tags:
        packed = struct.pack(mark + sizes[kind] * len(values), *values)
        if len(packed) > 4:
            entries += struct.pack(mark + 'HHII', number, kind, len(values), place + len(extra))
            extra += packed
        else:
            entries += struct.pack(mark + 'HHI', number, kind, len(values)) + packed.ljust(4, b'\0')
    body = struct.pack(mark + 'H', len(tags)) + entries + struct.pack(mark + 'I', 0) + extra
    offset = 8 + len(body)
    return (head + body + data).replace(b'WXYZ', struct.pack(mark + 'I', offset))


def make_tiff():
    for mode in ('1', 'L', 'RGB', 'RGBA', 'P', 'F', 'I'):
        image = Image.fromarray((RAMP * 7).astype('u1')).convert(mode)
        picture('tiff', f'{mode.lower()}.tif', image, 'TIFF')
    grey = Image.fromarray((RAMP * 7).astype('u1'))
    picture('tiff', 'u16.tif', Image.fromarray((RAMP * 1000).astype('u2')), 'TIFF')
    for method in ('tiff_lzw', 'tiff_deflate', 'packbits', 'tiff_adobe_deflate'):
        picture('tiff', f'{method}.tif', grey, 'TIFF', compression=method)
    picture('tiff', 'jpeg.tif', grey.convert('RGB'), 'TIFF', compression='jpeg')
    picture('tiff', 'pages.tif', grey, 'TIFF', save_all=True, append_images=[grey, grey])
    # Axes as ImageJ and OME tell them.
    stack = dict(save_all=True, append_images=[grey] * 5)
    picture('tiff', 'imagej.tif', grey, 'TIFF', **stack, tiffinfo={
        270: 'ImageJ=1.53t\nimages=6\nchannels=2\nslices=3\nhyperstack=true\nmode=composite\n'
             'unit=micron\nspacing=0.5\nloop=false\nmin=0.0\nmax=255.0\n', 282: 4.5, 283: 4.5})
    picture('tiff', 'ome.tif', grey, 'TIFF', **stack, tiffinfo={
        270: '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">'
             '<Image ID="Image:0" Name="a"><Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint8" '
             'SizeX="7" SizeY="5" SizeZ="3" SizeC="2" SizeT="1" PhysicalSizeX="0.5" '
             'PhysicalSizeXUnit="um" PhysicalSizeY="0.5"><Channel ID="Channel:0:0" Name="DAPI"/>'
             '<TiffData IFD="0" PlaneCount="6"/></Pixels></Image></OME>'})
    wxyz = struct.unpack('<I', b'WXYZ')[0]
    tile = [(256, 4, [20]), (257, 4, [20]), (258, 3, [8]), (259, 3, [1]), (262, 3, [1]),
            (277, 3, [1]), (322, 4, [32]), (323, 4, [32]), (324, 4, [wxyz]), (325, 4, [1024])]
    save('tiff', 'tiled.tif', tiff_bytes(b'II', tile, bytes(range(256)) * 4))
    wxyz = struct.unpack('>I', b'WXYZ')[0]
    big = [(256, 4, [4]), (257, 4, [4]), (258, 3, [32]), (259, 3, [1]), (262, 3, [1]),
           (273, 4, [wxyz]), (277, 3, [1]), (278, 4, [4]), (279, 4, [64]), (339, 3, [3])]
    save('tiff', 'big-endian-float.tif', tiff_bytes(
        b'MM', big, np.arange(16, dtype='>f4').tobytes()))


def make_options():
    lines = ['--flag\nfile.fits', '-fv\n-w\n-12\nfile', '--above=3.5\n--centre\nmedian\n-o\nx.fits',
             '--quantiles\n0.1,0.5,0.9\n--\n--odd-name', '--connectivity\n8\n-s1000000\n-n7',
             '--conectivity\n8', '-vvv\n--above\notsu\n--size=18446744073709551616', '-a\n-inf\n-']
    for number, line in enumerate(lines):
        save('options', f'line{number}', line.encode())


def make_positions():
    for name, text in {
            'plain.csv': 'x,y\n1,2\n16.5,14.25\n31,31\n',
            'shaped.csv': 'id,x,y,a,b,theta\n1,18,14,2,1,0\n2,3.5,7,1.5,1,45\n3,-1,40,,,\n',
            'blanks.txt': '# X_IMAGE\nx y number\n  4.5\t6 1\n 1e1 2E0 2\n',
            'quoted.csv': '"x","y","name"\r\n"5","6","a"\r\n7,8,"b"\r\n',
            'table.ecsv': '# %ECSV 1.0\n# ---\n# datatype:\n# - {name: x, datatype: float64}\n'
                          '# - {name: y, datatype: float64}\nx y\n1.0 2.0\nnan inf\n'}.items():
        save('positions', name, text.encode())


make_fits()
make_npy()
make_png()
make_tiff()
make_options()
make_positions()
