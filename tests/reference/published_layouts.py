"""Writes tests/reference/layouts: small files in the layouts of published data sets, none of whose content they hold.

Pixel j of picture i (in the file's own order) is (7 i + j) % 251, of dSprites' pictures (i + j) % 2, of JPEG files and of those of
different sizes what smooth() says; the loaders' test computes the same. Run: /usr/bin/python3 published_layouts.py
"""
import ctypes.util
import gzip
import pathlib
import struct
import zlib

import numpy as np

here = pathlib.Path(__file__).parent / "layouts"


def pixels(count, *shape):
    size = int(np.prod(shape))
    return ((7 * np.arange(count)[:, None] + np.arange(size)) % 251).astype(np.uint8).reshape(count, *shape)


def smooth(i, height, width):
    """(height,width,3) that changes slowly: a JPEG file keeps it within a few levels."""
    y, x, c = np.ogrid[:height, :width, :3]
    return (60 + 20 * i + 40 * c + 2 * x + y).astype(np.uint8)


def write(name, data):
    path = here / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def matrix(array):
    """SmallNORB's binary matrix: magic number, rank, at least three dimensions, data; little-endian."""
    magic = {"uint8": 0x1E3D4C55, "int32": 0x1E3D4C54}[array.dtype.name]
    shape = list(array.shape) + [1] * (3 - array.ndim)
    return struct.pack(f"<II{len(shape)}I", magic, array.ndim, *shape) + array.tobytes()


def png(array):
    """(h,w) or (h,w,3) in 8 bits, every line without a filter."""
    color = 2 if array.ndim == 3 else 0

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = b"".join(b"\0" + line.tobytes() for line in array)
    header = struct.pack(">IIBBBBB", array.shape[1], array.shape[0], 8, color, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def jpeg(array, quality=90, colours=2, flags=4096):
    """(h,w), (h,w,3) or (h,w,4: inks) by libturbojpeg; colours 2: half the resolution, 0: all of it; accurate transform."""
    library = ctypes.CDLL("libturbojpeg.so.0")
    library.tjInitCompress.restype = ctypes.c_void_p
    array = np.ascontiguousarray(array)
    kind, colours = {2: (6, 3), 3: (0, colours), 4: (11, colours)}[array.shape[2] if array.ndim == 3 else 2]
    handle, data, size = ctypes.c_void_p(library.tjInitCompress()), ctypes.c_void_p(), ctypes.c_ulong()
    pixels_of = array.ctypes.data_as(ctypes.c_void_p)
    assert library.tjCompress2(handle, pixels_of, array.shape[1], 0, array.shape[0], kind, ctypes.byref(data),
                               ctypes.byref(size), colours, quality, flags) == 0
    return ctypes.string_at(data, size.value)


def write_hdf5(name, arrays, elsewhere=""):
    """A file of HDF5 with those arrays, u8 or float64, by its C library. One of strides 0 is claimed and not written; of a
    text "external" or "virtual" the data of `images` are in /etc/passwd, of "link" they are a link to 3dshapes.h5."""
    library = ctypes.CDLL(ctypes.util.find_library("hdf5_serial"))
    for function in "H5Fcreate H5Pcreate H5Screate_simple H5Dcreate2".split():
        getattr(library, function).restype = ctypes.c_int64
    library.H5open()
    ident, plain = ctypes.c_int64, ctypes.c_int64(0)

    def kind(array):
        return ident.in_dll(library, {"uint8": "H5T_NATIVE_UINT8_g", "float64": "H5T_NATIVE_DOUBLE_g"}[array.dtype.name])

    file = ident(library.H5Fcreate(str(here / name).encode(), ctypes.c_uint(2), plain, plain))
    for key, array in arrays.items():
        where, properties = elsewhere if key == "images" else "", plain
        if where == "link":
            library.H5Lcreate_external(b"3dshapes.h5", b"/images", file, b"images", plain, plain)
            continue
        if where:
            array = np.broadcast_to(np.uint8(0), (12, 4, 5, 3))
            properties = ident(library.H5Pcreate(ident.in_dll(library, "H5P_CLS_DATASET_CREATE_ID_g")))
        shape = (ctypes.c_ulonglong * array.ndim)(*array.shape)
        space = ident(library.H5Screate_simple(array.ndim, shape, None))
        if where == "virtual":
            library.H5Pset_virtual(properties, space, b"/etc/passwd", b"images", space)
        if where == "external":
            library.H5Pset_external(properties, b"/etc/passwd", ctypes.c_long(0), ctypes.c_ulonglong(720))
        data = ident(library.H5Dcreate2(file, key.encode(), kind(array), space, plain, properties, plain))
        if any(array.strides):
            library.H5Dwrite(data, kind(array), plain, plain, plain, array.ctypes.data_as(ctypes.c_void_p))
        library.H5Dclose(data)
        library.H5Sclose(space)
    library.H5Fclose(file)


def main():
    here.mkdir(exist_ok=True)
    # dSprites: other members, an object among them, as in the published file.
    classes = np.array([[0, i % 3, i % 6, (7 * i) % 40, i, 31 - i] for i in range(12)])
    shares = [np.array([1.]), np.arange(1., 4), np.linspace(.5, 1, 6), np.linspace(0, 2 * np.pi, 40), *[np.linspace(0, 1, 32)] * 2]
    values = np.stack([share[code] for share, code in zip(shares, classes.T)], 1)
    sprites = ((np.arange(12)[:, None] + np.arange(64)) % 2).astype(np.uint8).reshape(12, 8, 8)
    np.savez_compressed(here / "dsprites.npz", metadata=np.array({"title": "dSprites dataset"}, dtype=object), imgs=sprites,
                        latents_classes=classes, latents_values=values)
    hues = np.linspace(0, 1, 10, endpoint=False)
    labels = np.array([[hues[i % 10], hues[(i + 1) % 10], hues[9 - i % 10], np.linspace(.75, 1.25, 8)[i % 8], i % 4,
                        np.linspace(-30, 30, 15)[i]] for i in range(12)])
    write_hdf5("3dshapes.h5", {"images": pixels(12, 4, 5, 3), "labels": labels})
    for elsewhere in ["external", "virtual", "link"]:
        write_hdf5(f"3dshapes-{elsewhere}.h5", {"images": labels, "labels": labels}, elsewhere)
    many = 100_000_000
    write_hdf5("3dshapes-claims.h5", {"images": np.broadcast_to(np.uint8(0), (many, 1, 1, 3)),
                                      "labels": np.broadcast_to(np.float64(0), (many, 6))})
    # SmallNORB
    info = np.array([[i, i % 9, 2 * i, i % 6] for i in range(10)], dtype=np.int32)
    write("norb-dat.mat", matrix(pixels(10, 2, 4, 5)))
    write("norb-cat.mat", matrix(np.arange(10, dtype=np.int32) % 5))
    write("norb-info.mat", matrix(info))
    for part in ["dat", "cat", "info"]:
        write(f"packed-{part}.mat.gz", gzip.compress((here / f"norb-{part}.mat").read_bytes(), mtime=0))
    # CIFAR-10 and -100, binary version: label(s), then 3072 bytes.
    write("data_batch_1.bin", b"".join(bytes([label]) + picture.tobytes() for label, picture in zip([3, 9], pixels(2, 3072))))
    write("train.bin", b"".join(bytes([coarse, fine]) + picture.tobytes()
                                for coarse, fine, picture in zip([11, 19], [98, 0], pixels(2, 3072))))
    # CIFAR-10-C and CIFAR-10.1: pairs of arrays.
    np.save(here / "fog.npy", pixels(10, 4, 4, 3))
    np.save(here / "labels.npy", (np.arange(10) % 10).astype(np.uint8))
    np.save(here / "v6_data.npy", pixels(3, 4, 4, 3))
    np.save(here / "v6_labels.npy", np.array([9, 0, 4], dtype=np.int32))
    # IDX
    write("made-images-idx3-ubyte.gz", gzip.compress(struct.pack(">4I", 0x803, 3, 4, 5) + pixels(3, 4, 5).tobytes(), mtime=0))
    write("made-labels-idx1-ubyte.gz", gzip.compress(struct.pack(">2I", 0x801, 3) + bytes([7, 0, 7]), mtime=0))
    # CelebA
    write("list_attr_celeba.txt", "3\nBlack_Hair Eyeglasses Male Smiling Straight_Hair \n000001.jpg -1 -1 -1  1 1\n"
          "000002.jpg  1 -1  1 -1 -1\n000003.jpg -1  1 -1  1 -1\n")
    for i in range(3):
        write(f"img_align_celeba/{i + 1:06}.jpg", jpeg(smooth(i, 12, 10)))
    # DeepFashion: coarse and fine
    write("coarse/list_attr_cloth.txt", "4\nattribute_name  attribute_type\na-line      3\nabstract chevron print  1\n"
          "long sleeve    4\nsolid    1\n")
    write("coarse/list_attr_img.txt", "3\nimage_name  attribute_labels\nimg/A_Blouse/img_00000001.jpg   -1 -1  1 -1\n"
          "img/A_Blouse/img_00000002.jpg    1 -1 -1  0\nimg/B_Dress/img_00000001.jpg   -1  1 -1 -1\n")
    fine = ["floral graphic striped embroidered pleated solid lattice", "long_sleeve short_sleeve sleeveless",
            "maxi_length mini_length no_dress", "crew_neckline v_neckline square_neckline no_neckline",
            "denim chiffon cotton leather faux knit", "tight loose conventional"]
    names = [(name, kind + 1) for kind, group in enumerate(fine) for name in group.split()]
    write("fine/list_attr_cloth.txt", f"{len(names)}\nattribute_name attribute_type\n"
          + "".join(f"{name} {kind}\n" for name, kind in names))
    clothes = ["solid long_sleeve no_dress v_neckline cotton loose", "floral sleeveless maxi_length no_neckline chiffon tight",
               "striped short_sleeve mini_length crew_neckline knit tight", "floral sleeveless no_dress v_neckline cotton loose",
               "floral solid long_sleeve maxi_length no_dress cotton chiffon loose"]
    write("fine/train_attr.txt", "".join(" ".join(str(int(name in one.split())) for name, _ in names) + " \n" for one in clothes))
    write("fine/train.txt", "".join(f"img/{'AB'[i % 2]}_Dress/img_{i + 1:08}.jpg\n" for i in range(len(clothes))))
    for i in range(len(clothes)):
        write(f"fine/img/{'AB'[i % 2]}_Dress/img_{i + 1:08}.jpg", jpeg(smooth(i, 10 + i, 9)))
    # WILDS
    write("iwildcam.csv", "split,y,location_remapped,location,sequence_remapped,datetime,filename\n"
          "train,24,0,20,0,2013-08-21 05:46:00.000,a.jpg\nid_val,0,11,3,1,2014-12-01 23:01:02.000,b.jpg\n")
    write("fmow.csv", "split,img_filename,country_code,category,visible,timestamp\n"
          "train,a_rgb.jpg,FRA,airport,1,2009-03-01T10:00:00Z\nseq,b_rgb.jpg,CHN,zoo,1,2017-12-31T00:00:00Z\n"
          "val,c_rgb.jpg,XKX,zoo,1,2012-01-01T00:00:00Z\n")
    write("fmow_countries.csv", "name,alpha-2,alpha-3,region\nFrance,FR,FRA,Europe\nChina,CN,CHN,Asia\n")
    write("camelyon17.csv", ",patient,node,x_coord,y_coord,tumor,slide,center,split\n0,004,4,3328,21792,1,0,0,0\n1,020,2,10,20,0,13,1,1\n")
    # Folders by domain and class
    for i, name in enumerate(["art/dog/b.png", "art/horse/a.png", "photo/dog/c.png"]):
        write("folders/" + name, png(pixels(3, 4, 5, 3)[i] if i != 1 else pixels(3, 4, 5)[i]))
    # JPEG and PNG of different sizes, as OfficeHome has them; and single files: what compress_jpeg makes of the same pixels,
    # grey, progressive, by four inks.
    write("mixed/Art/Bed/00001.jpg", jpeg(smooth(0, 30, 40)))
    write("mixed/Art/Bed/00002.jpeg", jpeg(smooth(1, 20, 16)))
    write("mixed/Clipart/Bed/00001.png", png(smooth(2, 8, 12)))
    write("mixed/Clipart/Bed/00002.JPG", jpeg(smooth(3, 30, 40)[..., 0]))
    write("jpeg/half.jpg", jpeg(pixels(1, 19, 22, 3)[0], 50))
    write("jpeg/grey.jpg", jpeg(pixels(1, 19, 22)[0], 50))
    write("jpeg/progressive.jpg", jpeg(pixels(1, 19, 22, 3)[0], 50, flags=4096 | 16384))
    write("jpeg/inks.jpg", jpeg(pixels(1, 8, 8, 4)[0]))
    # Seeds of the fuzzer of loaders: what it is, where the second and third file begin in 16 bytes, the files.
    def seed(name, first, *parts, text=False):
        *padded, last = [part + b"\n" * (-len(part) % 16 if text else 0) for part in parts]
        parts, offsets = [*padded, last], bytes([len(part) // 16 for part in padded] + [0, 0])[:2]
        (here.parents[1] / "fuzz" / "seeds" / f"load_{name}").write_bytes(bytes([first]) + offsets + b"".join(parts))

    seed("cifar10", 0, bytes(3073))
    seed("cifar100", 1, bytes(3074))
    seed("norb", 2, matrix(pixels(3, 2, 2, 2)), matrix(np.arange(3, dtype=np.int32)), matrix(info[:3]))
    seed("celeba", 3, (here / "list_attr_celeba.txt").read_bytes())
    seed("png", 4, png(pixels(1, 3, 2, 3)[0]))
    seed("jpeg", 5, (here / "jpeg/half.jpg").read_bytes())
    seed("jpeg_progressive", 5, (here / "jpeg/progressive.jpg").read_bytes())
    seed("norb_gzip", 6, (here / "packed-cat.mat.gz").read_bytes())
    seed("deepfashion_coarse", 7, *[(here / "coarse" / name).read_bytes() for name in ["list_attr_cloth.txt", "list_attr_img.txt"]], text=True)
    seed("deepfashion_fine", 8, *[(here / "fine" / name).read_bytes() for name in ["list_attr_cloth.txt", "train_attr.txt", "train.txt"]],
         text=True)
    seed("picture_list", 9, b"trunk05/a.jpg 3\ntrunk00/b.jpg 11\n")
    seed("breeds", 10, b'[[0, "a", "x"], [1, "b", "y"]]\n', b"n00001740 top\ntop a\ntop b\n", b"top\tname\n", text=True)


if __name__ == "__main__":
    main()
