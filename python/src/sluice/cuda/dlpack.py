# SPDX-License-Identifier: Apache-2.0
"""Capsules of DLPack (dlpack.h, DLManagedTensor): memory of a GPU for other libraries."""

from __future__ import annotations

import ctypes
import sys
from ctypes import c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import CapsuleType

CUDA = 2  # kDLCUDA
_UINT = 1  # kDLUInt
_NAME = b"dltensor"  # of a capsule that nobody has taken


class _Device(ctypes.Structure):
    _fields_ = (("device_type", c_int32), ("device_id", c_int32))


class _DataType(ctypes.Structure):
    _fields_ = (("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", c_void_p),
        ("device", _Device),
        ("ndim", c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(c_int64)),
        ("strides", ctypes.POINTER(c_int64)),
        ("byte_offset", c_uint64),
    )


class ManagedTensor(ctypes.Structure):
    """DLManagedTensor."""


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(ManagedTensor))
ManagedTensor._fields_ = (
    ("tensor", _Tensor),
    ("manager", c_void_p),
    ("deleter", _Deleter),
)


@dataclass
class _Export:
    """What lives until its consumer deletes it, or until its capsule is found unused."""

    owner: object
    managed: ManagedTensor
    shape: ctypes.Array[c_int64]
    capsule: CapsuleType


_exports: dict[int, _Export] = {}  # by the address of `managed`


def _forget(managed: ctypes._Pointer[ManagedTensor]) -> None:
    _exports.pop(ctypes.addressof(managed.contents), None)


_delete = _Deleter(_forget)  # called by a consumer


_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = (c_void_p, c_char_p, c_void_p)
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes = (ctypes.py_object, c_char_p)

_ONLY_OURS = 2  # references: the field, and the argument of getrefcount()


def _forget_unused() -> None:
    """Drop capsules that no one took and no one has any more.

    They have no destructor: it would run with the exception of a consumer that refused the capsule,
    which a function of Python cannot keep. A consumer renames what it takes.
    """
    for address, export in list(_exports.items()):
        unused = _is_valid(export.capsule, _NAME)
        if unused and sys.getrefcount(export.capsule) <= _ONLY_OURS:
            _exports.pop(address, None)


def capsule(owner: object, pointer: int, nbytes: int, device: int) -> CapsuleType:
    """Return a capsule of bytes of a GPU's memory, which keeps its owner until it is deleted."""
    _forget_unused()
    shape = (c_int64 * 1)(nbytes)
    managed = ManagedTensor()
    managed.tensor.data = pointer
    managed.tensor.device = _Device(CUDA, device)
    managed.tensor.ndim = 1
    managed.tensor.dtype = _DataType(_UINT, 8, 1)
    managed.tensor.shape = ctypes.cast(shape, ctypes.POINTER(c_int64))
    managed.deleter = _delete
    address = ctypes.addressof(managed)
    made: CapsuleType = _new(address, _NAME, None)  # a reference, so that no thread finds it unused
    _exports[address] = _Export(owner, managed, shape, made)
    return made


def exported(owner: object) -> bool:
    """Return whether a capsule, or what was made of one, still has the owner's memory."""
    _forget_unused()
    return any(export.owner is owner for export in list(_exports.values()))
