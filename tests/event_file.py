"""Writes small event files of scalars, for tests."""
import struct

table = []
for i in range(256):
    c = i
    for _ in range(8): c = c >> 1 ^ (0x82f63b78 if c & 1 else 0)
    table.append(c)
def crc(b):
    c = 0xffffffff
    for x in b: c = table[(c ^ x) & 255] ^ c >> 8
    c ^= 0xffffffff
    return ((c >> 15 | c << 17) + 0xa282ead8) & 0xffffffff
def record(d): return struct.pack('<QI', len(d), crc(struct.pack('<Q', len(d)))) + d + struct.pack('<I', crc(d))
def field(n, b): return bytes([n << 3 | 2, len(b)]) + b
def scalar(wall, step, tag, v): return record(b'\x09' + struct.pack('<d', wall) + bytes([0x10, step]) + field(5, field(1, field(1, tag) + b'\x15' + struct.pack('<f', v))))


def write(path, tag, points):
    """points: (wall time, step below 128, value)"""
    with open(path, 'wb') as f:
        f.write(record(b'\x09' + struct.pack('<d', 1.0) + field(3, b'brain.Event:2')))
        for wall, step, v in points:
            f.write(scalar(wall, step, tag, v))
