"""Starts and stops one llama.cpp server per model, on loopback only."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

HOST = "127.0.0.1"
LOAD_SECONDS = 180


class Failed(Exception):
    pass


def serve(folder, models, threads):
    python = folder / ".venv" / "bin" / "python"
    for m in models:
        if not m["path"].exists() or not python.exists():
            raise Failed(f"{m['id']} is not in {folder}. Fetch it: make models ONLY={m['id']}")
    started = []
    for m in models:
        if running(folder, m):
            print(f"# {m['id']} runs already", file=sys.stderr)
        else:
            start(folder, python, m, threads)
            started.append(m)
    for m in models:
        wait(folder, m, started)
    print(configuration(models), end="")


def start(folder, python, m, threads):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind((HOST, m["port"]))
        except OSError:
            raise Failed(f"port {m['port']} is taken. End what uses it, or set PROGROUTER_MODELS_PORT.") from None
    run = folder / "run"
    run.mkdir(exist_ok=True)
    with open(run / (m["id"] + ".log"), "wb") as log:
        # By default a thread that waits for another one spins. Where the processor
        # is shared that took ten times the CPU time and thirty times as long.
        env = {"OMP_WAIT_POLICY": "passive", **os.environ}
        p = subprocess.Popen(command(python, m) + [str(threads)], stdin=subprocess.DEVNULL, stdout=log,
                             stderr=subprocess.STDOUT, start_new_session=True, env=env)
    pidfile(folder, m).write_text(str(p.pid))


def command(python, m):
    return [str(python), "-B", str(Path(__file__).parent / "server.py"), str(m["path"]), m["id"], HOST, str(m["port"]),
            str(m["context"])]


def wait(folder, m, started):
    """Until the model is loaded. A server that fails to start is named with its log."""
    log = folder / "run" / (m["id"] + ".log")
    until = time.monotonic() + LOAD_SECONDS
    while not healthy(m["port"]):
        if not running(folder, m) or time.monotonic() > until:
            stop(folder, started)
            raise Failed(f"the server of {m['id']} did not start. Its last words are in {log}.")
        time.sleep(0.2)
    print(f"# {m['id']} answers at http://{HOST}:{m['port']} (pid {running(folder, m)})", file=sys.stderr)


def healthy(port):
    c = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        c.request("GET", "/health")
        return c.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        c.close()


def stop(folder, models):
    """Ends what serve started: the pid of the pid file, if it still is that server."""
    going = [(m, pid) for m in models if (pid := running(folder, m))]
    for m, pid in going:
        os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + 10
    for m, pid in going:
        while running(folder, m) and time.monotonic() < until:
            time.sleep(0.1)
        if running(folder, m):
            os.kill(pid, signal.SIGKILL)
        print(f"# {m['id']} stopped", file=sys.stderr)
    for m in models:
        pidfile(folder, m).unlink(missing_ok=True)


def status(folder, models):
    for m in models:
        there = "fetched" if m["path"].exists() else "not fetched"
        pid = running(folder, m)
        print(f"{m['id']:20} {m['tier']:7} {there:12} " + (f"port {m['port']}, pid {pid}" if pid else "not running"))


def running(folder, m):
    """The pid of the model's server, or 0. A pid that now is another program's
    does not count."""
    try:
        pid = int(pidfile(folder, m).read_text())
        os.kill(pid, 0)
    except (OSError, ValueError):
        return 0
    return pid if str(m["path"]) in arguments(pid) and "server.py" in arguments(pid) else 0


def arguments(pid):
    stat = Path(f"/proc/{pid}/stat")
    if stat.exists():
        if stat.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return ""
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    return subprocess.run(["ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True).stdout


def pidfile(folder, m):
    return folder / "run" / (m["id"] + ".pid")


def configuration(models):
    """What connects the servers, for progrouter.yaml."""
    out = ["providers:"]
    for m in models:
        out.append(f"  local-{m['tier']}: {{kind: openai, base_url: \"http://{HOST}:{m['port']}/v1\", local: true}}")
    out.append("models:")
    for m in models:
        tier = f"tier: {m['tier']}, " if m["tier"] != "misfit" else ""
        out.append(f"  - {{name: local/{m['id']}, provider: local-{m['tier']}, id: {m['id']}, {tier}"
                   f"context: {m['context']}, max_output: {m['max_output']}, parameters: {m['parameters']}}}")
    return "\n".join(out) + "\n"
