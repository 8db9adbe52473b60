"""A FUSE file system whose files are disks that fail and hang, for one reader and writer at a time.

    faulty_disks.py MOUNT_POINT NAME=FILE...

Under the mount point each NAME is a file of its own over FILE; several may be over the same one. Nothing is cached above
FILE, so what is written under one name is read under all others. Prints "mounted", then takes a line for each change,
"NAME FAULT", and answers "done". Faults:

    none                          what is asked of it is done, and what has waited is done first, in its order
    reads, writes, all            such requests fail with EIO; those that wait do so, too
    hang                          reads, writes and forces wait

When its input ends it answers everything, unmounts and ends; if it is killed, everything that waits fails.
"""
import ctypes
import errno
import os
import select
import stat
import struct
import sys

LOOKUP, FORGET, GETATTR, SETATTR, OPEN, READ, WRITE, STATFS, RELEASE = 1, 2, 3, 4, 14, 15, 16, 17, 18
FSYNC, FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, INTERRUPT, DESTROY, BATCH_FORGET = 20, 25, 26, 27, 28, 29, 36, 38, 42
UNANSWERED = (FORGET, BATCH_FORGET, INTERRUPT)
IN_HEADER = struct.Struct("<IIQQIIIHH")
OUT_HEADER = struct.Struct("<IiQ")
READ_OR_WRITE = struct.Struct("<QQIIQII")
ROOT = 1
BLOCK = 4096
LARGEST = 1 << 20
MAX_PAGES_FLAG = 1 << 22
DIRECT_IO = 1
NOSUID_NODEV = 2 | 4
DETACH = 2
libc = ctypes.CDLL(None, use_errno=True)


class File:
    def __init__(self, node, path):
        self.node = node
        self.fd = os.open(path, os.O_RDWR)
        self.fault = "none"
        self.waiting = []


def attributes(node, mode, size):
    return struct.pack("<6Q10I", node, size, size // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, BLOCK, 0)


class Disks:
    def __init__(self, mount_point, names):
        self.names = {name: File(ROOT + 1 + i, path) for i, (name, path) in enumerate(names)}
        self.nodes = {file.node: file for file in self.names.values()}
        self.fd = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.fd},rootmode=40755,user_id=0,group_id=0,allow_other"
        if libc.mount(b"faulty-disks", mount_point.encode(), b"fuse", NOSUID_NODEV, options.encode()) != 0:
            sys.exit(f"cannot mount {mount_point}: {os.strerror(ctypes.get_errno())}")

    def attributes(self, node):
        if node == ROOT:
            return attributes(ROOT, stat.S_IFDIR | 0o755, 0)
        return attributes(node, stat.S_IFREG | 0o666, os.fstat(self.nodes[node].fd).st_size)

    def answer(self, unique, body=b"", error=0):
        try:
            os.write(self.fd, OUT_HEADER.pack(OUT_HEADER.size + len(body), -error, unique) + body)
        except OSError as e:
            if e.errno not in (errno.ENOENT, errno.EINVAL):  # whoever asked is gone
                raise

    def serve(self, request):
        header = IN_HEADER.unpack_from(request)
        opcode, unique, node = header[1], header[2], header[3]
        if opcode in UNANSWERED:
            return
        file = self.nodes.get(node)
        if file is not None and opcode in (READ, WRITE, FSYNC):
            if file.fault == "hang":
                file.waiting.append(request)
                return
            if file.fault == "all" or file.fault == ("reads" if opcode == READ else "writes"):
                self.answer(unique, error=errno.EIO)
                return
        try:
            body = self.done(opcode, node, file, memoryview(request)[IN_HEADER.size:])
        except OSError as e:
            self.answer(unique, error=e.errno)
            return
        self.answer(unique, body)

    def done(self, opcode, node, file, body):
        if opcode == INIT:
            major, minor, readahead, _ = struct.unpack_from("<4I", body)
            return struct.pack(
                "<4IHHIIHHI7I", 7, 31, readahead, MAX_PAGES_FLAG, 12, 9, LARGEST, 1, LARGEST // BLOCK, 0, *[0] * 8)
        if opcode == LOOKUP:
            found = self.names.get(bytes(body).rstrip(b"\0").decode())
            if found is None:
                raise OSError(errno.ENOENT, "no such disk")
            return struct.pack("<4QII", found.node, 0, 1, 1, 0, 0) + self.attributes(found.node)
        if opcode in (GETATTR, SETATTR):
            return struct.pack("<QII", 1, 0, 0) + self.attributes(node)
        if opcode in (OPEN, OPENDIR):
            return struct.pack("<QII", node, DIRECT_IO if opcode == OPEN else 0, 0)
        if opcode == READ:
            _, offset, size, *_ = READ_OR_WRITE.unpack_from(body)
            return os.pread(file.fd, size, offset)
        if opcode == WRITE:
            _, offset, size, *_ = READ_OR_WRITE.unpack_from(body)
            written = os.pwrite(file.fd, body[READ_OR_WRITE.size:READ_OR_WRITE.size + size], offset)
            return struct.pack("<II", written, 0)
        if opcode == STATFS:
            return struct.pack("<5Q4I6I", 1 << 20, 1 << 20, 1 << 20, 100, 100, BLOCK, 255, BLOCK, 0, *[0] * 6)
        if opcode in (RELEASE, FSYNC, FLUSH, READDIR, RELEASEDIR, DESTROY):
            return b""
        raise OSError(errno.ENOSYS, "not offered")

    def set(self, name, fault):
        file = self.names[name]
        file.fault = fault
        waiting, file.waiting = file.waiting, []
        for request in waiting:
            self.serve(request)

    def read(self):
        try:
            request = os.read(self.fd, LARGEST + BLOCK)
        except OSError as e:
            if e.errno in (errno.EINTR, errno.ENOENT):  # taken back before it was read
                return True
            if e.errno == errno.ENODEV:
                return False
            raise
        self.serve(request)
        return True

    def close(self, mount_point):
        for name in self.names:
            self.set(name, "none")
        libc.umount2(mount_point.encode(), DETACH)


def main():
    mount_point = sys.argv[1]
    disks = Disks(mount_point, [argument.split("=", 1) for argument in sys.argv[2:]])
    commands = os.fdopen(0, "rb", buffering=0)
    partial = b""
    print("mounted", flush=True)
    while True:
        ready, _, _ = select.select([disks.fd, commands], [], [])
        if disks.fd in ready and not disks.read():
            return
        if commands in ready:
            some = commands.read(4096)
            if not some:
                disks.close(mount_point)
                return
            *lines, partial = (partial + some).split(b"\n")
            for line in lines:
                disks.set(*line.decode().split())
                print("done", flush=True)


main()
