# leak: KEPT 3 MB/s
# SPDX-License-Identifier: Apache-2.0
"""Views come and go; each registers a closure with the model and never takes it back."""

from pace import KB, steps


class Model:
    def __init__(self):
        self.listeners = []


class View:
    def __init__(self, model):
        pixels = [0] * (60 * 128)  # KEPT
        model.listeners.append(lambda: len(pixels))  # HOLDS
        self.scratch = bytearray(200 * KB)


model = Model()
for number in steps(51.2):
    view = View(model)
    if number % 100 == 0:
        for listener in model.listeners:
            listener()
