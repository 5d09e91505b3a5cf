"""The TypeScript client against the running service.

Its types are generated from the document, the guide runs as it is printed.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from app.accounts import api_keys
from app.core import clock
from app.scores.webhooks import rules as webhook_rules
from clients import generate
from tests.api.live.serving import served
from tests.tools import NODE
from tests.waiting import patience
from tests.worlds.callers import Callers, new_key

ROOT = Path(__file__).parents[3]
MODULES = ROOT / "node_modules"
COMPILER = [
    *("--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--module", "nodenext", "--strict"),
    # `make lint` checks the declarations themselves
    *("--noUnusedLocals", "--noEmitOnError", "--skipLibCheck"),
]
pytestmark = pytest.mark.skipif(
    not (MODULES / "openapi-fetch").is_dir(),
    reason="node_modules is missing or old: run `make node_modules/.ready`",
)
# Compiled beside the guide. A line without the error that is expected in it does not compile
# either.
WRONG = """import { pressbox } from "./pressbox-client/index.js";
// @ts-expect-error: the document has no `titel`
await pressbox("http://127.0.0.1:1").POST("/v1/games", { body: { slug: "dice", titel: "Dice" } });
"""
# Appended to the guide: what its receiver says of a delivery of ours, and of one that was changed
# on the way.
DELIVERY = """
console.log("secret", secret);
process.stdin.once("data", (data) => {
  const [body, headers] = JSON.parse(data.toString());
  console.log(receive(body, headers), receive(body + " ", headers));
});
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An integrator's project: the client's folder with its types, and what npm installed."""
    folder = tmp_path_factory.mktemp("typescript")
    client = folder / "pressbox-client"
    shutil.copytree(ROOT / "clients" / "typescript", client)
    (client / generate.SCHEMA.name).write_text(generate.typescript())
    (folder / "node_modules").symlink_to(MODULES)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def compile_scripts(project: Path, **scripts: str) -> None:
    """Check the types of the scripts and write NAME.js for each."""
    for name, text in scripts.items():
        (project / f"{name}.ts").write_text(text)
    command = [
        NODE,
        MODULES / ".bin" / "tsc",
        *COMPILER,
        "--types",
        "node",
        *(f"{name}.ts" for name in scripts),
    ]
    done = subprocess.run(
        command, cwd=project, capture_output=True, text=True, timeout=patience(120), check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.usefixtures("consumer")
def test_the_guide_works_as_printed_in_typescript_and_what_the_document_lacks_does_not_compile(
    callers: Callers, project: Path
) -> None:
    guide = "\n".join(
        re.findall(r"```ts\n(.*?)```", (ROOT / "docs" / "integrators.md").read_text(), re.S)
    )
    expected = re.findall(r"console\.log\(.*\);? // (.*)$", guide, re.M)
    assert len(expected) == 5
    key = new_key(callers.integrator, callers.owner, *(set(api_keys.SCOPES) - {"scores:write"}))
    with served(callers.app) as url:
        text = guide.replace("http://127.0.0.1:8000", url).replace("pbk_...", key)
        compile_scripts(project, guide=text + DELIVERY, wrong=WRONG)
        command = [NODE, "guide.js"]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        with subprocess.Popen(command, cwd=project, text=True, **pipes) as node:
            assert node.stdin
            assert node.stdout
            assert node.stderr
            printed = []
            for line in node.stdout:
                printed.append(line.rstrip("\n"))
                if line.startswith("secret "):
                    break
            else:
                pytest.fail(node.stderr.read())
            assert printed[:-1] == expected
            body = '{"changes":[{"event":"score.changed","raw_score":12}]}'
            headers = webhook_rules.signed_headers(
                printed[-1].split()[1], "one", body.encode(), clock.now()
            )
            out, fault = node.communicate(json.dumps([body, headers]), timeout=patience(60))
            assert (node.returncode, out.splitlines()) == (0, ["score.changed 12", "204 400"]), (
                fault
            )
