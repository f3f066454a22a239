# SPDX-License-Identifier: Apache-2.0
"""A proxy on loopback that opens tunnels, whatever their destination, to one server, and keeps all that it sees."""

import contextlib
import socket
import threading


class Proxy:
    """Has .address, .asked (where tunnels were to lead) and .seen (every byte of either side)."""

    def __init__(self, port):
        self.port, self.asked, self.seen = port, [], b""
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)) as server:
            head = b""
            while b"\r\n\r\n" not in head:
                head += self.receive(client)
            self.asked.append(head.decode().split("\r\n")[0])
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=self.carry, args=(server, client), daemon=True)
            back.start()
            self.carry(client, server)
            back.join()

    def receive(self, connection):
        data = connection.recv(65536)
        if not data:
            raise ConnectionError
        with self.lock:
            self.seen += data
        return data

    def carry(self, source, sink):
        with contextlib.suppress(OSError):
            while True:
                sink.sendall(self.receive(source))
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def fake_proxy(port):
    proxy = Proxy(port)
    try:
        yield proxy
    finally:
        proxy.listener.close()
