"""A wire between a browser and the server that can be cut and mended."""

import contextlib
import socket
import threading

from tests.browser.harness import free_port


class Relay:
    """Pass bytes between a port of its own and the server's."""

    def __init__(self, server_port):
        self.port = free_port()
        self.address = f"http://localhost:{self.port}"
        self._server_port, self._whole, self._ends = server_port, True, set()
        self._listener = socket.create_server(("localhost", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        """Drop every connection, and each that is tried until `mend`."""
        self._whole = False
        for end in list(self._ends):
            self._drop(end)

    def mend(self):
        self._whole = True

    def close(self):
        self.cut()
        self._drop(self._listener)  # a mere close would leave a thread waiting there

    def _accept(self):
        while True:
            try:
                browser, _ = self._listener.accept()
            except OSError:  # closed
                return
            if not self._whole:
                browser.close()
                continue
            try:
                server = socket.create_connection(("localhost", self._server_port))
            except OSError:  # the server is gone: a browser finds nobody here either
                browser.close()
                continue
            for source, sink in ((browser, server), (server, browser)):
                self._ends.add(source)
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        self._drop(source)
        self._drop(sink)

    def _drop(self, end):
        self._ends.discard(end)
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
