"""The command line: ``modelserver run | convert | train-example | digest``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from modelserver import __version__
from modelserver.errors import ArtifactError, UsageError
from modelserver.settings import Settings, from_environment


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; exit codes: 0 done, 1 the model is refused or serving failed, 2 usage."""
    arguments = parser().parse_args(argv)
    try:
        code: int = arguments.action(arguments)
    except ArtifactError as error:
        print(f"error: {error.detail}\nreason: {error.reason}", file=sys.stderr)
        return 1
    except (UsageError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return code


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = argparse.ArgumentParser(prog="modelserver", description="Serve one PyTorch model over HTTP.")
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="serve a model", epilog="example: modelserver run ./model --port 8000")
    run.add_argument("model", nargs="?", type=Path, help="model folder or file; without it the environment names the bucket and the key")
    run.add_argument("--host", help="address to listen on (HOST)")
    run.add_argument("--port", type=int, help="port to listen on (PORT, 8000)")
    run.set_defaults(action=_run)

    convert = commands.add_parser(
        "convert", help="make a model folder from a checkpoint", epilog="example: modelserver convert model.pth --arch resnet50 -o model"
    )
    convert.add_argument("checkpoint", type=Path, help="a state dict of torch.save")
    convert.add_argument("--arch", default="", help="resnet18, resnet34, resnet50 or resnet101, as torchvision defines them")
    convert.add_argument("--manifest", type=Path, help="a model.json that describes the model instead of --arch")
    convert.add_argument("--labels", type=Path, help="text file with one label a line")
    convert.add_argument("--side", type=int, default=224, help="width and height of the network's input (224)")
    convert.add_argument("--name", default="model", help="name of the model")
    convert.add_argument("--model-version", default="1", help="version of the model")
    convert.add_argument("-o", "--out", type=Path, default=Path("model"), help="folder, or a path that ends in .safetensors")
    convert.set_defaults(action=_convert)

    example = commands.add_parser(
        "train-example", help="train a small real model", epilog="example: modelserver train-example digits -o digits"
    )
    example.add_argument("name", choices=("digits", "breast-cancer", "diabetes"))
    example.add_argument("-o", "--out", type=Path, help="folder, or a path that ends in .safetensors (the example's name)")
    example.set_defaults(action=_train)

    digest = commands.add_parser("digest", help="print the MODEL_SHA256 of a model", epilog="example: modelserver digest ./model")
    digest.add_argument("model", type=Path)
    digest.set_defaults(action=_digest)
    return top


def _run(arguments: argparse.Namespace) -> int:
    settings = from_environment(os.environ)
    chosen = {name: value for name in ("host", "port") if (value := getattr(arguments, name)) is not None}
    settings = replace(settings, **chosen)
    _need_source(settings, arguments.model)
    from modelserver.serve import run

    return run(settings, arguments.model)


def _need_source(settings: Settings, local: Path | None) -> None:
    if local is None and not (settings.bucket and settings.model_path):
        raise UsageError("which model? set S3_BUCKET_NAME and MODEL_PATH, or give a local one: modelserver run ./model")


def _convert(arguments: argparse.Namespace) -> int:
    from modelserver.convert import convert

    sha256 = convert(
        arguments.checkpoint,
        arguments.out,
        arch=arguments.arch,
        manifest=arguments.manifest,
        labels=arguments.labels,
        side=arguments.side,
        name=arguments.name,
        version=arguments.model_version,
    )
    print(f"{arguments.out}\nsha256 {sha256}")
    return 0


def _train(arguments: argparse.Namespace) -> int:
    from modelserver.examples import train

    out = arguments.out or Path(arguments.name)
    sha256, score = train(arguments.name, out)
    print(f"{out}: {score}\nsha256 {sha256}")
    return 0


def _digest(arguments: argparse.Namespace) -> int:
    from modelserver.model.artifact import find

    print(find(arguments.model).sha256)
    return 0
