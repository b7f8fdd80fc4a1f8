# SPDX-License-Identifier: MIT
"""Contexts: a device, its queue, its lock, and what it says.

One thread at a time uses a context. Every call takes the context's lock, and runs without the
interpreter's. Nothing that a garbage collector starts ever waits for a lock: an image that dies
while its context is busy is put aside, and the next call destroys it.
"""

import atexit
import gc
import logging
import os
import threading

from clump import _driver
from clump._clump import ffi, lib
from clump._errors import DeviceError, Error, failure, warn

_log = logging.getLogger("clump")
_LEVELS = {lib.CLUMP_LOG_INFO: logging.INFO, lib.CLUMP_LOG_DEBUG: logging.DEBUG}


class _Process:
    """What a fork or the end of the interpreter changes."""

    number = 0  # counts forks
    ending = False
    opened = False  # an OpenCL device was opened in this process or before the fork that made it
    inherited = False  # ... before the fork


def _forked():
    _Process.number += 1
    _Process.inherited = _Process.inherited or _Process.opened
    _contexts.clear()
    _named.clear()
    _local.__dict__.clear()
    global _current
    _current = None


def _ending():
    _Process.ending = True


os.register_at_fork(after_in_child=_forked)
atexit.register(_ending)


class Lines:
    """Collects the lines that a call logs; `log` is the struct clump_log that leads here."""

    def __init__(self):
        self.kept = []
        self.interrupt = None  # an exception that hit the callback
        self.handle = ffi.new_handle(self)
        self.log = ffi.new(
            "struct clump_log *",
            {"line": lib.clump_python_line, "user": self.handle, "level": lib.CLUMP_LOG_WARNING},
        )
        for level in (lib.CLUMP_LOG_INFO, lib.CLUMP_LOG_DEBUG):
            if _log.isEnabledFor(_LEVELS[level]):
                self.log.level = level

    def end(self, status):
        """Raises or warns, and forgets, what the call that ended with `status` has said."""
        kept, self.kept = self.kept, []
        interrupt, self.interrupt = self.interrupt, None
        if interrupt is not None:
            raise interrupt
        error = ""
        for level, text in kept:
            if level == lib.CLUMP_LOG_ERROR:
                error = text
            elif level == lib.CLUMP_LOG_WARNING:
                warn(text)
            else:
                _log.log(_LEVELS[level], "%s", text)
        if status:
            raise failure(status, error)


def _line_failed(exception, value, traceback):
    """KeyboardInterrupt inside the callback: raised when the call has returned."""
    if traceback is not None:
        user = traceback.tb_frame.f_locals.get("user")
        if user is not None:
            ffi.from_handle(user).interrupt = value


@ffi.def_extern(onerror=_line_failed)
def clump_python_line(user, level, text):
    ffi.from_handle(user).kept.append((level, ffi.string(text).decode("utf-8", "replace")))


class Handle:
    """An image of the library. `keep` is what must live as long: the memory that it wraps."""

    __slots__ = ("context", "pointer", "keep", "__weakref__")

    def __init__(self, context, pointer, keep=None):
        self.context, self.pointer, self.keep = context, pointer, keep

    def __del__(self):
        self.context.release(self.pointer, self.keep)


class Context:
    """A device with a queue of its own: `with clump.Context("gpu"):` gives a thread one.

    device: an index, "gpu", "cpu", "reference" or a part of a name, as everywhere; None: the
    environment's CLUMP_DEVICE, else the first GPU, else the CPU.
    """

    def __init__(self, device=None, *, layout=None, _pointer=None):
        _driver.prepare()
        self.lines = Lines()
        self.lock = threading.Lock()
        self.number = _Process.number
        self.dead = []  # images to be destroyed: (pointer, keep)
        self.pointer = ffi.NULL
        self._place = ffi.new("clump_image **")
        self._before = []
        if _pointer is None:
            params = ffi.new("struct clump_context_params *", lib.clump_context_defaults)
            params.log = self.lines.log[0]
            name = ffi.NULL if device is None else ffi.new("char[]", str(device).encode())
            params.device = name
            if layout is not None:
                params.layout = {
                    "coarse": lib.CLUMP_CONTEXT_LAYOUT_COARSE,
                    "fine": lib.CLUMP_CONTEXT_LAYOUT_FINE,
                }[layout]
            if _Process.inherited and not _is_reference(device):
                raise DeviceError(
                    "an OpenCL device was opened before this process was forked, and drivers do "
                    "not live through that; start processes by spawn, or use the device reference"
                )
            place = ffi.new("clump_context **")
            self.lines.end(lib.clump_context_create(params, place))
            self.pointer = place[0]
        else:
            self.pointer = _pointer(self.lines.log)
        self.device = Device(lib.clump_context_device(self.pointer)[0])
        _Process.opened = _Process.opened or self.device.type != "reference"

    def call(self, function, *args):
        """Calls a function of the library that returns a status; raises what it says."""
        if self.number != _Process.number:
            raise Error(
                "this array belongs to the process that was forked; make it anew here, "
                "from x.get() there"
            )
        with self.lock:
            if self.dead:
                self._bury()
            status = function(*args)
        if status == lib.CLUMP_ERROR_DEVICE_MEMORY:
            self.lines.kept.clear()
            gc.collect()
            with self.lock:
                self._bury()
                lib.clump_context_trim(self.pointer)
                status = function(*args)
        if status or self.lines.kept or self.lines.interrupt:
            self.lines.end(status)

    def image(self, function, *args):
        """Calls a function whose last argument is the place for an image, and owns that image."""
        place = ffi.new("clump_image **")
        self.call(function, *args, place)
        return Handle(self, place[0])

    def release(self, pointer, keep, process=_Process):
        """Destroys an image now, or puts it aside where the context is busy."""
        if process.ending or self.number != process.number:
            return
        self.dead.append((pointer, keep))
        if self.lock.acquire(False):
            try:
                self._bury()
            finally:
                self.lock.release()

    def unmap(self, handle):
        """Ends a mapping, now or, where the context is busy, before its next call."""
        self.dead.append((None, handle))
        if self.lock.acquire(False):
            try:
                self._bury()
            finally:
                self.lock.release()

    def _bury(self):
        while self.dead:
            pointer, keep = self.dead.pop(0)
            if pointer is None:
                lib.clump_image_unmap(keep.pointer)
                continue
            if keep is not None:
                lib.clump_context_finish(self.pointer)
            self._place[0] = pointer
            lib.clump_image_destroy(self._place)

    def finish(self):
        """Waits until the device has done everything that was asked."""
        self.call(lib.clump_context_finish, self.pointer)

    def trim(self):
        """Gives the memory that was kept for later calls back to the device."""
        self.call(lib.clump_context_trim, self.pointer)

    def __enter__(self):
        stack = _local.__dict__.setdefault("stack", [])
        stack.append(self)
        return self

    def __exit__(self, *exception):
        _local.stack.pop()

    def __repr__(self):
        return f"<clump.Context on {self.device}>"

    def __del__(self, process=_Process):
        if process.ending or self.number != process.number or not self.pointer:
            return
        self._bury()
        place = ffi.new("clump_context **", self.pointer)
        lib.clump_context_destroy(place)


class Device:
    """What a device is, as `clump devices` shows it. `with clump.device("gpu"):` chooses one."""

    __slots__ = (
        "index",
        "name",
        "vendor",
        "platform",
        "driver",
        "version",
        "type",
        "units",
        "memory",
        "max_buffer",
        "fp64",
        "compiler",
        "shares_memory",
        "_before",
    )

    def __init__(self, device):
        for name in ("name", "vendor", "platform", "driver", "version"):
            setattr(self, name, ffi.string(getattr(device, name)).decode("utf-8", "replace"))
        for name in ("index", "units", "memory", "max_buffer", "fp64", "compiler", "shares_memory"):
            setattr(self, name, getattr(device, name))
        self.type = ffi.string(lib.clump_device_type_text(device.type)).decode()
        self._before = None

    def __repr__(self):
        return f"<clump.Device {self.index}: {self.name}, {self.type}>"

    def __str__(self):
        return f"{self.name} (device {self.index})"

    def __eq__(self, other):
        return isinstance(other, Device) and (self.index, self.name, self.platform) == (
            other.index,
            other.name,
            other.platform,
        )

    def __hash__(self):
        return hash((self.index, self.name, self.platform))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        global _current
        _current, self._before = self._before, None


_contexts = {}  # by device
_named = {}  # by what was asked for
_opening = threading.Lock()
_local = threading.local()
_current = None


def _is_reference(name):
    name = os.environ.get("CLUMP_DEVICE") if name in (None, "") else name
    return str(name).lower() == "reference"


def context(name=None):
    """The one context of this process on a device, opened at first use."""
    if isinstance(name, Context):
        return name
    if isinstance(name, Device):
        name = name.index
    key = os.environ.get("CLUMP_DEVICE", "") if name is None else str(name)
    found = _named.get(key)
    if found is None:
        with _opening:
            found = _named.get(key)
            if found is None:
                made = Context(name)
                found = _contexts.setdefault((made.device.name, made.device.platform), made)
                _named[key] = found
    return found


def current():
    """The context in which new arrays are made."""
    stack = getattr(_local, "stack", None)
    if stack:
        return stack[-1]
    return _current or context()


def device(name=None):
    """Chooses the device on which new arrays are made; `with clump.device(name):` for a while.

    name: an index, "gpu", "cpu", "reference" or a part of a device's or platform's name, in
    capitals or not; None: tells which one is in use. An array stays on the device where it was
    made.
    """
    global _current
    if name is None:
        return current().device
    before, _current = _current, context(name)
    chosen = Device(lib.clump_context_device(_current.pointer)[0])
    chosen._before = before
    return chosen


def devices():
    """All devices of this machine, `reference` last. Never fails for want of OpenCL."""
    _driver.prepare()
    lines, place, count = Lines(), ffi.new("struct clump_device **"), ffi.new("size_t *")
    lines.end(lib.clump_device_list(lines.log, place, count))
    found = [Device(place[0][i]) for i in range(count[0])]
    lib.clump_device_list_destroy(place)
    return found


def finish():
    """Waits until the current device has done everything that was asked of it."""
    current().finish()


def trim():
    """Gives the memory that was kept for later calls back to the current device."""
    current().trim()
