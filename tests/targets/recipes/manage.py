# SPDX-License-Identifier: Apache-2.0
"""A project of Django's in one file."""

import sys

import django.http
import django.urls
import marked
from django.conf import settings
from django.core.management import execute_from_command_line


def index(request):
    return django.http.HttpResponse(marked.marked())


urlpatterns = [django.urls.path("", index)]

if __name__ == "__main__":
    settings.configure(DEBUG=True, ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="none")
    execute_from_command_line(sys.argv)
