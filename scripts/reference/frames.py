"""Length-prefixed frames between a harness and a reference worker.

A frame is a 12-byte header and a payload, all integers little-endian:

    u32 magic  0x31524B54 ("TKR1")
    u32 type   request types below; a reply has REPLY set; ERROR replies to any request
    u32 length payload bytes, at most MAX_PAYLOAD

The magic makes a stray print or a lost byte an immediate, named failure instead of a wait for
gigabytes that never come.
"""

import struct

MAGIC = 0x31524B54
HEADER = struct.Struct("<III")
MAX_PAYLOAD = 1 << 30

# Version of the meaning of our answers, part of `hello` and so of the key of stored answers. Raise it
# whenever the same engine, version, model, options and text would be answered otherwise than before:
# another rule for spans or pieces, another default, a mended conversion. Not for a new request or engine.
ANSWERS = 1

HELLO = 1
ENCODE = 2
DECODE = 3
BYE = 4
REPLY = 0x80
ERROR = 0xFF

WANT_IDS = 1
WANT_SPANS = 2
WANT_PIECES = 4
DIGEST = 8
ADD_SPECIAL = 16
TRUNCATE = 32
SKIP_SPECIAL = 64

SPECIAL_DEFAULT = 0
SPECIAL_NONE = 1
SPECIAL_ALL = 2

STATUS_OK = 0
STATUS_REFUSED = 1  # the engine raised
STATUS_INVALID = 2  # the text is not UTF-8 and the engine takes text only


class FrameError(Exception):
    """The byte stream is not a sequence of frames any more; the connection is lost."""


def read_exact(stream, size):
    """Reads `size` bytes; None at a clean end of the stream, FrameError at an end inside."""
    parts = []
    missing = size
    while missing:
        part = stream.read(min(missing, 1 << 24))
        if not part:
            if missing == size:
                return None
            raise FrameError(f"stream ended {missing} bytes before the end of {size}")
        parts.append(part)
        missing -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def read_frame(stream):
    """(type, payload), or None at the end of the stream."""
    header = read_exact(stream, HEADER.size)
    if header is None:
        return None
    magic, kind, length = HEADER.unpack(header)
    if magic != MAGIC:
        raise FrameError(f"bad magic 0x{magic:08x}")
    if length > MAX_PAYLOAD:
        raise FrameError(f"payload of {length} bytes is over the limit of {MAX_PAYLOAD}")
    payload = read_exact(stream, length) if length else b""
    if payload is None:
        raise FrameError("stream ended after a frame header")
    return kind, payload


def write_frame(stream, kind, *parts):
    length = sum(len(part) for part in parts)
    if length > MAX_PAYLOAD:
        raise FrameError(f"reply of {length} bytes is over the limit of {MAX_PAYLOAD}")
    stream.write(HEADER.pack(MAGIC, kind, length))
    for part in parts:
        stream.write(part)
    stream.flush()
