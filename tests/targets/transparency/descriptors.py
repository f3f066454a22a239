# SPDX-License-Identifier: Apache-2.0
"""Descriptors have the numbers they have bare; all of them may be closed, and all may be used up."""
import os
import resource
import socket


def burn():
    return sum(i * i for i in range(300000))


print([os.open("/dev/null", os.O_RDONLY) for _ in range(3)], os.pipe(), socket.socket().fileno())
os.closerange(3, 65536)
print(burn(), os.open("/dev/null", os.O_RDONLY))
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
found = []
try:
    while True:
        found.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    print(found, error.strerror)
pid = os.fork()
if pid == 0:
    burn()
    os._exit(0)
print(os.waitpid(pid, 0)[1], burn())
