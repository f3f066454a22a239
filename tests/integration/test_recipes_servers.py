# SPDX-License-Identifier: Apache-2.0
"""Servers, asked on loopback and stopped at the terminal or by SIGTERM."""

import pytest
import recipes
from recipes import Recipe, by_pid_file, by_sigterm

SERVERS = {
    "django": Recipe("manage.py runserver ADDRESS:PORT", use=lambda session: session.ask_until(1)),
    "flask": Recipe("-m flask --app flask_app run --debug --host ADDRESS --port PORT",
                    use=lambda session: session.ask_until(1)),
    "uvicorn": Recipe("-m uvicorn asgi_app:app --workers 2 --host ADDRESS --port PORT", workers=2,
                      use=lambda session: session.ask_until(2)),
    "gunicorn": Recipe("-m gunicorn -w 2 -b ADDRESS:PORT flask_app:app", workers=2,
                       use=lambda session: session.ask_until(2), stop=by_sigterm),
    "gunicorn-daemon": Recipe("-m gunicorn --daemon --pid pid -w 2 -b ADDRESS:PORT flask_app:app", workers=2,
                              use=lambda session: session.ask_until(2), stop=by_pid_file, is_daemon=True),
    "celery": Recipe("-m celery -A tasks worker --concurrency 2", workers=2,
                     use=lambda session: session.send_tasks(2)),
}


@pytest.fixture(scope="module")
def runs(new_python, tmp_path_factory):
    return recipes.run_all(SERVERS, new_python, tmp_path_factory.mktemp("servers"))


@pytest.mark.parametrize("name", SERVERS)
def test_it_is_stopped_as_ever_and_its_work_is_in_the_profile(runs, name):
    recipes.check(SERVERS[name], *runs[name])
