# SPDX-License-Identifier: Apache-2.0
"""What `scalene propose` and the page's server do with keys: where they go, and where they never are."""

import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile

import profiling
import pytest
from cli_runner import SCALENE
from fake_provider import fake_provider
from fake_proxy import fake_proxy
from proposing import ASKED_ONCE, ID, KEYS, PLANTED, PROVIDERS, clean_environment, propose, write
from viewing import viewer

NOBODY = 65534
IN_CI = os.environ.get("CI", "") not in ("", "false", "0")
HEADERS = {"openai": ("Authorization", "Bearer " + PLANTED), "anthropic": ("x-api-key", PLANTED),
           "gemini": ("x-goog-api-key", PLANTED), "azure": ("api-key", PLANTED)}


@pytest.fixture(scope="module")
def provider():
    with fake_provider() as server:
        yield server


@pytest.fixture
def profile(tmp_path):
    return write(tmp_path)


def ask(provider, name, profile, *words, model="good", **environment):
    return propose("--provider", name, "--address", provider.address, "--model", model, *words, profile,
                   environment={**KEYS[name], **environment})


@pytest.mark.parametrize("name", HEADERS)
def test_a_key_goes_into_its_header(provider, profile, name):
    assert ask(provider, name, profile).returncode == 0
    header, value = HEADERS[name]
    sent = {key.lower(): text for key, text in provider.requests[-1]["headers"].items()}
    assert sent[header.lower()] == value
    assert sum(PLANTED in text for text in sent.values()) == 1


def files_below(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError), open(os.path.join(place, name), "rb") as file:
                yield file.name, file.read()


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_planted_key_is_in_no_file_and_no_output(provider, profile, tmp_path, name):
    elsewhere = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    for words in (["--patch", tmp_path / "p.patch"], ["--print-prompt"], ["--models"]):
        result = ask(provider, name, profile, *words, **elsewhere)
        assert result.returncode == 0, result.stderr
        assert PLANTED not in result.stdout + result.stderr and ID not in result.stdout + result.stderr
    found = [path for path, content in files_below(tmp_path) if PLANTED.encode() in content]
    assert found == []
    assert all(PLANTED not in request["path"] for request in provider.requests)


def start(command, slow, profile, scalene=SCALENE, **how):
    """A process with a key: one that waits for an answer, or the server of a page."""
    words = {"propose": ["--provider", "openai", "--address", slow.address, "--model", "slow"], "view": ["--no-browser"]}
    process = subprocess.Popen([scalene, command, *words[command], profile], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               env=clean_environment(**KEYS["openai"]), cwd=os.path.dirname(profile), **how)
    if command == "propose":
        assert slow.is_waiting.wait(profiling.TIMEOUT_S)
    else:
        assert b"http://" in process.stdout.readline()
    with contextlib.suppress(ValueError, OSError):
        resource.prlimit(process.pid, resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
    return process


@pytest.mark.parametrize("command", ["propose", "view"])
def test_a_running_command_shows_its_key_to_nobody(profile, command):
    """Neither its words nor a core dump."""
    with fake_provider() as slow, start(command, slow, profile) as process:
        with open("/proc/%d/cmdline" % process.pid, "rb") as words:
            assert PLANTED.encode() not in words.read()
        os.kill(process.pid, signal.SIGABRT)
        _, status = os.waitpid(process.pid, 0)
        process.returncode = status
        assert os.WTERMSIG(status) == signal.SIGABRT and not os.WCOREDUMP(status)


@pytest.fixture
def somebody(tmp_path):
    """A folder for a user who is not root, with the program in it, and how to start processes of that user."""
    if os.geteuid() != 0:
        yield tmp_path, {}
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder), {"user": NOBODY, "group": NOBODY, "extra_groups": []}


@pytest.mark.parametrize("command", ["propose", "view"])
def test_other_processes_of_the_user_may_not_look_into_it(somebody, command):
    """Though they may into others of the user's: its variables, where the key was, and its memory."""
    folder, how = somebody
    scalene = shutil.copy(SCALENE, folder / "scalene")
    profile = write(folder)
    for path in folder.rglob("*"):
        path.chmod(0o755)
    with fake_provider() as slow:
        other = subprocess.Popen(["sleep", "1000"], env={"KEY": PLANTED}, **how)
        process = start(command, slow, profile, scalene, **how)
        read = {running.pid: subprocess.run(["cat", "/proc/%d/environ" % running.pid], capture_output=True, **how)
                for running in (other, process)}
        for running in (other, process):
            running.kill()
            running.communicate()
    assert PLANTED.encode() in read[other.pid].stdout
    assert read[process.pid].stdout == b"" and b"Permission denied" in read[process.pid].stderr


def test_the_page_never_gets_a_key(profile):
    every = {name: value for keys in KEYS.values() for name, value in keys.items()}
    with viewer("--no-browser", profile, **every) as running:
        for path in ("", "form.json", "providers.json", "page.js", "source/0"):
            status, headers, body = running.ask(path)
            assert status == 200 and PLANTED.encode() not in body and PLANTED not in str(headers.items())
        listed = json.loads(running.ask("providers.json")[2])
        assert [entry["has_key"] for entry in listed["providers"]] == [True] * 5 + [False]
        assert listed["default"] == "bedrock"


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """A certificate authority of our own, and a server's certificate by it for localhost and model.invalid."""
    folder = tmp_path_factory.mktemp("authority")
    script = """
set -e
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test-authority -keyout ca.key -out ca.pem
openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr
printf 'subjectAltName=DNS:localhost,DNS:model.invalid' > names
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem
printf 'subjectAltName=DNS:elsewhere.example' > names
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out wrong.pem
cat server.key server.pem > good
cat server.key wrong.pem > bad
"""
    subprocess.run(["sh", "-c", script], cwd=folder, check=True, capture_output=True)
    return folder


def test_certificates_are_verified(authority, profile):
    with fake_provider(authority / "good") as good, fake_provider(authority / "bad") as bad:
        trusted = {"SSL_CERT_FILE": str(authority / "ca.pem")}
        assert ask(good, "openai", profile, **trusted).returncode == 0
        for server, environment in ((good, {}), (bad, trusted)):
            before = len(server.requests)
            result = ask(server, "openai", profile, **environment)
            assert result.returncode == 1 and "does not prove who it is" in result.stderr
            assert len(server.requests) == before


def test_proxies_of_the_environment_are_used(provider, profile):
    result = propose("--yes", "--provider", "ollama", "--address", "http://model.example:8000", "--model", "good",
                     profile, environment={"http_proxy": provider.address})
    assert result.returncode == 0, result.stderr
    assert provider.requests[-1]["path"] == "http://model.example:8000/api/chat"


def ask_through(proxy, server, authority, profile, **environment):
    """At an address that only the proxy can find."""
    place = "https://model.invalid:%d" % server.server_port
    return propose("--yes", "--provider", "anthropic", "--address", place, "--model", "good", profile, environment={
        **KEYS["anthropic"], "SSL_CERT_FILE": str(authority / "ca.pem"), "https_proxy": proxy.address, **environment})


def test_a_proxy_passes_on_what_it_cannot_read(authority, profile):
    with fake_provider(authority / "good") as server, fake_proxy(server.server_port) as proxy:
        result = ask_through(proxy, server, authority, profile)
        assert result.returncode == 0, result.stderr
        assert proxy.asked == ["CONNECT model.invalid:%d HTTP/1.1" % server.server_port]
        assert server.requests[-1]["headers"]["x-api-key"] == PLANTED
        assert PLANTED.encode() not in proxy.seen and b"x-api-key" not in proxy.seen and b"total += i" not in proxy.seen


def test_a_proxy_cannot_stand_for_the_provider(authority, profile):
    with fake_provider(authority / "bad") as server, fake_proxy(server.server_port) as proxy:
        result = ask_through(proxy, server, authority, profile)
        assert result.returncode == 1 and "does not prove who it is" in result.stderr
        assert server.requests == [] and len(proxy.asked) == 1 and PLANTED.encode() not in proxy.seen


def test_who_needs_no_proxy_is_not_asked_through_one(authority, profile):
    with fake_provider(authority / "good") as server, fake_proxy(server.server_port) as proxy:
        result = ask_through(proxy, server, authority, profile, no_proxy="elsewhere.invalid,model.invalid",
                             **ASKED_ONCE)
        assert result.returncode == 1 and "cannot reach model.invalid" in result.stderr
        assert proxy.asked == [] and proxy.seen == b"" and server.requests == []


def test_what_stays_on_this_computer_passes_no_proxy(provider, profile):
    assert ask(provider, "ollama", profile, http_proxy="http://127.0.0.1:1").returncode == 0


SIGN = """
import json, sys
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
for given in json.load(sys.stdin):
    request = AWSRequest(method=given["method"], url=given["url"], data=given["body"].encode(), headers=given["headers"])
    request.context["timestamp"] = given["headers"]["X-Amz-Date"]
    signer = SigV4Auth(Credentials(given["id"], given["secret"], given["token"]), "bedrock", given["region"])
    text = signer.string_to_sign(request, signer.canonical_request(request))
    print(signer.signature(text, request))
"""
MODELS = ["good", "good:0", "good-v1:0/with space?".replace(" ", "%20"),
          "good:arn/aws:bedrock:eu-west-1:123456789012:inference-profile/x"]


def signed(provider, secret_environment):
    """The last request, as botocore has to sign it, with the signature that it had."""
    request = provider.requests[-1]
    token = secret_environment.get("AWS_SESSION_TOKEN")
    names = ["Content-Type", "Host", "X-Amz-Date"] + (["X-Amz-Security-Token"] if token else [])
    return {"method": request["method"], "url": provider.address + request["path"], "body": request["body"].decode(),
            "headers": {name: request["headers"][name] for name in names}, "id": ID, "secret": PLANTED, "token": token,
            "region": secret_environment["AWS_REGION"], "sent": request["headers"]["Authorization"]}


def test_bedrock_signatures_are_those_of_botocore(provider, profile):
    python = profiling.with_packages((profiling.new_pythons() or profiling.pythons())[0], "botocore")
    if python is None:
        pytest.fail("botocore cannot be had") if IN_CI else pytest.skip("botocore cannot be had")
    given = []
    for more in ({"AWS_REGION": "us-east-1"}, {"AWS_REGION": "eu-central-1", "AWS_SESSION_TOKEN": "t" * 300 + "/+="}):
        for model in MODELS:
            assert ask(provider, "bedrock", profile, model=model, **more).returncode == 0
            given.append(signed(provider, more))
        assert ask(provider, "bedrock", profile, "--models", **more).returncode == 0
        given.append(signed(provider, more))
    assert {entry["method"] for entry in given} == {"GET", "POST"}
    answer = subprocess.run([python.path, "-c", SIGN], input=json.dumps(given), capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    signatures = answer.stdout.split()
    assert len(signatures) == len(given)
    for entry, signature in zip(given, signatures):
        assert entry["sent"].endswith("Signature=" + signature), entry["url"]
        assert "Credential=%s/" % ID in entry["sent"] and PLANTED not in entry["sent"]


def test_bedrock_takes_an_api_key_too(provider, profile):
    result = propose("--provider", "bedrock", "--address", provider.address, "--model", "good", profile,
                     environment={**KEYS["bedrock"], "AWS_BEARER_TOKEN_BEDROCK": "bearer-" + PLANTED})
    assert result.returncode == 0
    assert provider.requests[-1]["headers"]["Authorization"] == "Bearer bearer-" + PLANTED


def test_a_secret_that_signs_is_never_sent(provider, profile):
    before = len(provider.requests)
    for words in ([], ["--models"]):
        result = propose("--yes", "--provider", "bedrock", "--address", provider.address, *words, profile,
                         environment={"AWS_SECRET_ACCESS_KEY": PLANTED})
        assert result.returncode == 1 and "set AWS_ACCESS_KEY_ID too" in result.stderr and result.stderr.count("\n") == 1
    assert len(provider.requests) == before and PLANTED not in result.stderr
