# SPDX-License-Identifier: Apache-2.0
"""Runs the cells given as JSON on stdin in a real kernel and prints, for each, what it showed."""

import json
import sys

import nbclient
import nbformat
import traitlets.config

TIMEOUT_S = 600
# Ports are chosen long before the kernel takes them; these sockets lie in its folder.
CONFIG = traitlets.config.Config(KernelManager={"transport": "ipc"})

cells = [nbformat.v4.new_code_cell(source) for source in json.load(sys.stdin)]
notebook = nbformat.v4.new_notebook(cells=cells)
client = nbclient.NotebookClient(notebook, timeout=TIMEOUT_S, startup_timeout=TIMEOUT_S, kernel_name="python3",
                                 allow_errors=True, config=CONFIG)
client.execute()


def data(cell, kind, mime):
    return "".join(output["data"].get(mime, "") for output in cell["outputs"] if output["output_type"] == kind)


shown = []
for cell in notebook.cells:
    errors = [output for output in cell["outputs"] if output["output_type"] == "error"]
    shown.append({
        "result": data(cell, "execute_result", "text/plain"),
        "table": data(cell, "display_data", "text/plain"),
        "page": data(cell, "display_data", "text/html"),
        "error": [error["ename"] for error in errors],
        "trace": "\n".join("\n".join(error["traceback"]) for error in errors),
    })
json.dump(shown, sys.stdout)
