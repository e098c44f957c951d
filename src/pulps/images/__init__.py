"""Images for chains: cut, written in few numbers, changed a little.

====================================  ====================================================
read them from a folder or elsewhere  :class:`ImageFolder`, :class:`ImageSource`
bring them to size, undo their slant  :func:`resize`, :func:`crop`, :func:`upright`
tell which edges they have            :func:`edge_directions`
change them at random                 :class:`Augmentation`, :func:`affine`
cut them into patches along a path    :class:`PatchBook`, :func:`path`
====================================  ====================================================

Images are tensors of floating point numbers, (images, height, width), with or without channels
as the last axis. A patch becomes a site by :class:`~pulps.network.basis.SphereBasis`.
"""

from pulps.images.augmentation import Augmentation
from pulps.images.edges import edge_directions
from pulps.images.folder import ImageFolder
from pulps.images.geometry import affine, crop, resize, upright
from pulps.images.patches import PatchBook
from pulps.images.paths import path
from pulps.images.source import ImageSource

__all__ = [
    "Augmentation",
    "ImageFolder",
    "ImageSource",
    "PatchBook",
    "affine",
    "crop",
    "edge_directions",
    "path",
    "resize",
    "upright",
]
