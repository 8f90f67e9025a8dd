"""Commands of scripts/models.sh; see there."""

import json
import os
import sys
from pathlib import Path

import fetch
import serve

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Stop(Exception):
    """A reason to end that is told to whoever called."""


def choose(models, names, default):
    """The models that names (comma-separated ids or tiers) select, in order."""
    wanted = [n for arg in names for n in arg.replace(",", " ").split()]
    if not wanted:
        return default
    if "all" in wanted:
        return models
    known = {n for m in models for n in (m["id"], m["tier"])}
    for name in wanted:
        if name not in known:
            raise Stop(f"no model or tier is named {name!r}. There are: "
                       + ", ".join(f"{m['id']} ({m['tier']})" for m in models) + ", all.")
    return [m for m in models if m["id"] in wanted or m["tier"] in wanted]


def main(argv):
    manifest = json.loads((HERE / "models.json").read_text())
    folder = Path(os.environ.get("PROGROUTER_MODELS_DIR") or ROOT / "data" / "models").resolve()
    first = int(os.environ.get("PROGROUTER_MODELS_PORT") or 8091)
    threads = int(os.environ.get("PROGROUTER_MODELS_THREADS") or 2)
    models = manifest["models"]
    for place, m in enumerate(models):
        m["port"], m["path"] = first + place, folder / (m["id"] + ".gguf")
    tiered = [m for m in models if m["tier"] != "misfit"]

    command, names = (argv[0] if argv else ""), argv[1:]
    if command == "fetch":
        fetch.fetch(folder, manifest["server"], choose(models, names, models), ROOT / "LICENSE")
    elif command == "serve":
        serve.serve(folder, choose(models, names, tiered), threads)
    elif command == "config":
        print(serve.configuration(choose(models, names, tiered)), end="")
    elif command == "status":
        serve.status(folder, choose(models, names, models))
    elif command == "stop":
        serve.stop(folder, choose(models, names, models))
    else:
        raise Stop("say one of fetch, serve, config, status, stop (scripts/models.sh explains them).")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (Stop, fetch.Failed, serve.Failed) as e:
        sys.exit(f"models: {e}")
    except KeyboardInterrupt:
        sys.exit("models: interrupted; what is there is kept, the next call goes on from it.")
