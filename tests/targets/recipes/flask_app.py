# SPDX-License-Identifier: Apache-2.0
"""For `flask run`, and for gunicorn."""

import flask
import marked

app = flask.Flask(__name__)


@app.route("/")
def index():
    return marked.marked()
