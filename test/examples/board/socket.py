"""The part of the module `socket` of boards that programs here use: sockets of micropython.ts."""

import binascii
import io

import _host


def getaddrinfo(host, port):
    return [(2, 1, 0, "", (host, port))]


class socket(io.IOBase):
    def settimeout(self, seconds):
        pass  # the host has the same ten seconds

    def connect(self, address):
        self.number = _host.open(address[0], address[1])
        if self.number < 0:
            raise OSError(111)

    def write(self, data):
        if _host.write(self.number, binascii.hexlify(data).decode()) < 0:
            raise OSError(104)
        return len(data)

    def read(self, count=-1):
        data = _host.read(self.number, count)
        if data == "-":
            raise OSError(110)
        return binascii.unhexlify(data)

    def ioctl(self, request, argument):
        return argument if request == 3 and _host.poll(self.number) else 0

    def close(self):
        _host.close(self.number)
