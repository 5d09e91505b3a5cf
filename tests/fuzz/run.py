"""One target in this process, which libFuzzer ends.

`python -m tests.fuzz.run TARGET FOLDER OPTION...`.

FOLDER gets what was found to reach new code, which the next run begins with. running.py starts it.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import atheris

OURS = ["app", "workers", "scorer_console"]
CORPUS = Path(__file__).parent / "corpus"


def main(name: str, folder: Path, options: list[str]) -> None:
    with atheris.instrument_imports(include=OURS):
        target = importlib.import_module(f"tests.fuzz.{name}")
        mutation = importlib.import_module("tests.fuzz.mutation")
    getattr(target, "begin", lambda: None)()
    words = folder / "words.txt"
    words.write_text(
        "".join(f'"{_escaped(word)}"\n' for word in getattr(target, "WORDS", ("\x00",)))
    )
    if any(not option.startswith("-") for option in options):  # files to try once
        examples = []
    else:
        examples = [str(folder / "corpus")]
        for number, seed in enumerate(target.seeds()):
            (folder / "corpus" / f"seed-{number:03}").write_bytes(seed)
        if (CORPUS / name).is_dir():
            examples.append(str(CORPUS / name))
    arguments = [f"tests.fuzz.{name}", f"-dict={words}", *options, *examples]
    atheris.Setup(arguments, target.one_input, custom_mutator=mutation.mutate)
    atheris.Fuzz()


def _escaped(word: str) -> str:
    return "".join(
        chr(byte) if 32 < byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}"
        for byte in word.encode()
    )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
