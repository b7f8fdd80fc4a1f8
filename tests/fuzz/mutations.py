# SPDX-License-Identifier: MIT
"""Bytes of image files, changed at random in ways that their parsers do not expect."""
import gzip
import random
import struct
import zlib

NUMBERS = [0, 1, 2, 3, 7, 8, 9, 10, 16, 20, 32, 33, 64, 100, 200, 255, 256, 999, 2880, 32767, 65535,
           65536, 99999999, 2147483647, 2147483648, 4294967295, 9223372036854775807, -1, -8, -32,
           -64, -2147483648]
KEYS = ["SIMPLE", "BITPIX", "NAXIS", "NAXIS1", "NAXIS2", "NAXIS3", "PCOUNT", "GCOUNT", "GROUPS",
        "BSCALE", "BZERO", "BLANK", "BUNIT", "EXTNAME", "EXTEND", "TFIELDS", "TFORM1", "TTYPE1",
        "ZIMAGE", "ZBITPIX", "ZNAXIS", "ZNAXIS1", "ZNAXIS2", "ZTILE1", "ZTILE2", "ZCMPTYPE",
        "ZNAME1", "ZVAL1", "ZVAL2", "ZQUANTIZ", "ZBLANK", "ZSCALE", "THEAP", "CTYPE1", "CTYPE2",
        "CRPIX1", "CRVAL2", "CDELT1", "CD1_1", "PC1_2", "PV2_1", "A_ORDER", "A_0_2", "B_2_0",
        "AP_ORDER", "CUNIT1", "WCSAXES", "LONPOLE", "RADESYS", "EQUINOX", "CPDIS1", "DP1", "BMAJ"]
TEXTS = ["'x'", "'RA---TAN-SIP'", "'DEC--TAN'", "'GLON-TPV'", "'1PB(40)'", "'RICE_1'", "'GZIP_2'",
         "'HCOMPRESS_1'", "'PLIO_1'", "'BINTABLE'", "'IMAGE'", "'\x1b[31m'", "T", "F", "1E400", "NaN",
         "(1,2)", "'unended", "''''", "", "1.5", "-0"]


def card(key, value):
    text = "%-8s= %20s" % (key, value) if not value.startswith("'") else "%-8s= %s" % (key, value)
    return text.encode("latin-1")[:80].ljust(80)


def any_value(rng):
    return str(rng.choice(NUMBERS)) if rng.random() < 0.6 else rng.choice(TEXTS)


def flip(data, rng):
    """Some bytes anywhere, cut short now and then."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        if data:
            data[rng.randrange(len(data))] = rng.choice([0, 255, rng.randrange(256)])
    if rng.random() < 0.1:
        del data[rng.randrange(len(data) + 1):]
    return bytes(data)


def headers(data):
    """Places of the cards of all headers, as far as they can be seen."""
    places = []
    for at in range(0, len(data) - 79, 80):
        word = data[at:at + 8]
        if data[at + 8:at + 10] == b"= " or word.rstrip() in (b"END", b"COMMENT", b"HISTORY"):
            places.append(at)
    return places


def fits(data, rng):
    """Cards with other values, twice, gone, in other words; data flipped."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        places = headers(data)
        if not places or rng.random() < 0.15:
            data = bytearray(flip(bytes(data), rng))
            continue
        at, other = rng.choice(places), rng.choice(places)
        old = bytes(data[at:at + 80])
        key = old[:8].decode("latin-1").rstrip()
        how = rng.randrange(7)
        if how == 0:
            data[at:at + 80] = card(key, any_value(rng))
        elif how == 1:
            data[at:at + 80] = card(rng.choice(KEYS), any_value(rng))
        elif how == 2:
            data[at:at + 80] = data[other:other + 80]
        elif how == 3:
            data[at:at + 8] = old[:8].lower()
        elif how == 4:
            data[at:at + 80] = ("HIERARCH %s = %s" % (key, any_value(rng))).encode(
                "latin-1")[:80].ljust(80)
        elif how == 5:
            data[at:at + 80] = card(key[:-1] + str(rng.randrange(12)), any_value(rng))[:80]
        else:
            data[at:at] = card(rng.choice(KEYS), any_value(rng))
            end = bytes(data).find(b"END" + b" " * 77, at)
            if end >= 0 and data[end + 80:end + 160] == b" " * 80:
                del data[end + 80:end + 160]
    return bytes(data)


def packed(data, rng):
    """What a gzip file holds, changed and packed again; or the file itself flipped."""
    try:
        inside = gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        inside = None
    if inside is None or rng.random() < 0.3:
        return flip(data, rng)
    return gzip.compress(change(inside, rng), 1, mtime=0)


def png(data, rng):
    """A field of a chunk, its sum put right again."""
    data = bytearray(data)
    if len(data) < 33 or rng.random() < 0.3:
        return flip(bytes(data), rng)
    at = 16 + rng.choice([0, 4, 8, 9, 10, 11, 12])
    if at < 24:
        data[at:at + 4] = struct.pack(">I", rng.choice([n for n in NUMBERS if 0 <= n < 2 ** 32]))
    else:
        data[at] = rng.choice([0, 1, 2, 3, 4, 6, 8, 16, rng.randrange(256)])
    data[29:33] = struct.pack(">I", zlib.crc32(bytes(data[12:29])))
    return bytes(data)


def tiff(data, rng):
    """Values and counts of the first directory's entries."""
    data = bytearray(data)
    mark = "<" if data[:2] == b"II" else ">"
    first = struct.unpack_from(mark + "I", data, 4)[0] if len(data) > 8 else 0
    if first + 2 > len(data) or rng.random() < 0.3:
        return flip(bytes(data), rng)
    count = struct.unpack_from(mark + "H", data, first)[0]
    at = first + 2 + 12 * rng.randrange(count or 1)
    if at + 12 <= len(data):
        value = rng.choice([n for n in NUMBERS if 0 <= n < 2 ** 32])
        struct.pack_into(mark + "I", data, at + rng.choice([4, 8]), value)
    return bytes(data)


def change(data, rng):
    """Another file made of this one, by what it begins with."""
    if data[:6] == b"SIMPLE":
        return fits(data, rng)
    if data[:2] == b"\x1f\x8b":
        return packed(data, rng)
    if data[:4] == b"\x89PNG":
        return png(data, rng)
    if data[:2] in (b"II", b"MM"):
        return tiff(data, rng)
    return flip(data, rng)


def several(data, count, seed):
    rng = random.Random(seed)
    return [change(data, rng) for _ in range(count)]
