"""A Kubernetes API server with Crossplane and its functions, as plain processes on the loopback of a network namespace.

There are no containers, so Crossplane's "External" package runtime is played here: a TLS secret and, for a function, its endpoint. Packages
come from a registry on the loopback, to which an ImageConfig sends whatever the Function asks for. No provider runs: managed resources
are composed and never made.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import subprocess
import tarfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crossgate.load.write import to_yaml

API, ETCD, REGISTRY, FIRST_FUNCTION = 6443, 2379, 5000, 9443
PATIENCE = 180
"""Seconds until something that should come up counts as broken."""


class Broken(Exception):
    """Something did not come up, or was refused."""


@dataclass
class Stack:
    """The running processes, and how to talk to them."""

    folder: Path
    began: float = field(default_factory=time.monotonic)

    def say(self, text: str) -> None:
        """Report progress."""
        print(f"{time.monotonic() - self.began:6.1f}s  {text}", flush=True)

    def start(self, name: str, *command: str, **environment: str) -> None:
        """Start a process; it ends with the namespace."""
        with (self.folder / f"{name}.log").open("wb") as log:
            subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env={**os.environ, **environment}, cwd=self.folder)

    def await_(self, what: str, ready: Callable[[], object]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        last = ""
        while time.monotonic() < end:
            try:
                if ready():
                    self.say(what)
                    return
            except (Broken, OSError, urllib.error.URLError, subprocess.CalledProcessError) as error:
                last = str(error)
            time.sleep(0.3)
        raise Broken(f"timed out: {what}: {last}")

    def kubectl(self, *arguments: str, given: str | None = None) -> str:
        """Run kubectl; Broken with its words when it fails."""
        command = ["kubectl", f"--kubeconfig={self.folder / 'kubeconfig'}", *arguments]
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Broken(f"kubectl {' '.join(arguments[:4])}: {done.stderr.strip()[-2000:]}")
        return done.stdout

    def get(self, *arguments: str) -> Any:
        """Return what kubectl gets."""
        return json.loads(self.kubectl("get", *arguments, "-o", "json"))

    def apply(self, objects: Iterable[dict[str, Any]], *options: str) -> None:
        """Apply objects on the server's side."""
        self.kubectl("apply", "--server-side", "--force-conflicts", *options, "-f", "-", given=to_yaml(list(objects)))

    def api_server(self) -> None:
        """Start etcd, the API server and, when there is one, the controllers of garbage and namespaces."""
        here, peers = f"http://127.0.0.1:{ETCD}", f"http://127.0.0.1:{ETCD + 1}"
        self.start(
            "etcd",
            *("etcd", "--data-dir=etcd", "--unsafe-no-fsync", "--log-level=error", f"--listen-client-urls={here}"),
            *(f"--advertise-client-urls={here}", f"--listen-peer-urls={peers}", f"--initial-advertise-peer-urls={peers}"),
            f"--initial-cluster=default={peers}",
        )
        pki = self.folder / "pki"
        pki.mkdir()
        _openssl("genrsa", "-out", str(pki / "sa.key"), "2048")
        _openssl("rsa", "-in", str(pki / "sa.key"), "-pubout", "-out", str(pki / "sa.pub"))
        token = secrets.token_hex(16)
        (pki / "tokens.csv").write_text(f"{token},admin,admin,system:masters\n")
        self.start(
            "kube-apiserver",
            *("kube-apiserver", f"--etcd-servers={here}", "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1"),
            *(f"--secure-port={API}", f"--cert-dir={pki}", "--service-cluster-ip-range=10.96.0.0/24", "--endpoint-reconciler-type=none"),
            *("--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={pki / 'sa.pub'}"),
            *(f"--service-account-signing-key-file={pki / 'sa.key'}", f"--token-auth-file={pki / 'tokens.csv'}"),
            *("--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount", "--profiling=false"),
        )
        cluster = {"server": f"https://127.0.0.1:{API}", "certificate-authority": str(pki / "apiserver.crt")}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "e2e", "cluster": cluster}],
            "users": [{"name": "admin", "user": {"token": token}}],
            "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "admin"}}],
            "current-context": "e2e",
        }
        (self.folder / "kubeconfig").write_text(json.dumps(config))
        self.await_("the API server is ready", lambda: self.kubectl("get", "--raw", "/readyz"))
        self.await_("the default namespace is there", lambda: self.kubectl("get", "namespace", "default"))
        if _there("kube-controller-manager"):
            self.start(
                "kube-controller-manager",
                *("kube-controller-manager", "--kubeconfig=kubeconfig", "--leader-elect=false", "--bind-address=127.0.0.1"),
                *("--controllers=garbage-collector-controller,namespace-controller", "--profiling=false"),
                f"--service-account-private-key-file={pki / 'sa.key'}",
            )

    def crossplane(self, crds: Path) -> None:
        """Start Crossplane's core."""
        self.kubectl("create", "namespace", "crossplane-system")
        self.kubectl("-n", "crossplane-system", "create", "serviceaccount", "crossplane")
        names = {"TLS_CA_SECRET_NAME": "crossplane-root-ca", "TLS_CLIENT_SECRET_NAME": "crossplane-tls-client"}
        os.environ["KUBECONFIG"] = str(self.folder / "kubeconfig")

        def init() -> bool:
            # its CRDs are used at once, so the first run may lose the race with discovery
            command = ["crossplane-core", "core", "init", f"--cr-ds-path={crds.resolve()}", "--enable-webhooks=false", "--activation=*"]
            done = subprocess.run(command, env={**os.environ, **names}, capture_output=True, text=True, check=False)
            (self.folder / "crossplane-init.log").write_text(done.stdout + done.stderr)
            return done.returncode == 0

        self.await_("Crossplane is initialised", init)
        client = self.folder / "client"
        client.mkdir()
        (self.folder / "xpkg").mkdir()
        for key in ("tls.crt", "tls.key", "ca.crt"):
            (client / key).write_bytes(self._secret("crossplane-tls-client", key))
        self.start(
            "crossplane",
            *("crossplane-core", "core", "start", "--debug", "--package-runtime=External", "--enable-webhooks=false"),
            *(f"--tls-client-certs-dir={client}", f"--xpkg-cache-dir={self.folder / 'xpkg'}", "--poll-interval=10s"),
            *("--metrics-port=8380", "--health-probe-port=8381"),
        )
        self.await_("Crossplane is ready", lambda: _answers("http://127.0.0.1:8381/readyz"))

    def rewritten(self, packages: dict[str, str]) -> None:
        """Send whoever asks for these images to the registry on the loopback."""
        hosts = sorted({image.partition("/")[0] for image in packages.values()})
        self.apply(
            {
                "apiVersion": "pkg.crossplane.io/v1beta1",
                "kind": "ImageConfig",
                "metadata": {"name": f"loopback-{''.join(filter(str.isalnum, host))}"},
                "spec": {"matchImages": [{"prefix": host}], "rewriteImage": {"prefix": f"127.0.0.1:{REGISTRY}"}},
            }
            for host in hosts
        )

    def functions(self, packages: dict[str, str], binaries: dict[str, str]) -> None:
        """Start the functions: ``packages`` are their images as the Functions name them, ``binaries`` their programs, both by name."""
        self.start("registry", "crane", "registry", "serve", f"--address=127.0.0.1:{REGISTRY}")
        self.await_("the registry answers", lambda: _answers(f"http://127.0.0.1:{REGISTRY}/v2/"))
        served = self._serving_certificate()
        self.rewritten(packages)
        for number, (name, image) in enumerate(sorted(packages.items())):
            self.push(_META, name, image)
            port = FIRST_FUNCTION + number
            self.start(name, binaries[name], f"--address=127.0.0.1:{port}", f"--tls-certs-dir={served}")

    def installed(self, names: Iterable[str]) -> None:
        """Play the package runtime for functions that were applied, and wait until they are healthy."""
        for name in sorted(names):
            kind, revisions = f"function.pkg.crossplane.io/{name}", "functionrevision.pkg.crossplane.io"
            self.await_(f"{name} is unpacked", lambda kind=kind: self.kubectl("wait", "--for=condition=Installed", kind, "--timeout=1s"))  # type: ignore[misc]
            [revision] = self.get(revisions, "-l", f"pkg.crossplane.io/package={name}")["items"]
            self.run_package(revision, dict.fromkeys(names, ""), set())
            self.await_(f"{name} is healthy", lambda kind=kind: self.kubectl("wait", "--for=condition=Healthy", kind, "--timeout=1s"))  # type: ignore[misc]

    def run_package(self, revision: dict[str, Any], functions: Iterable[str], done: set[str]) -> None:
        """Say of a package's revision that it runs, and where when it is a function's; ``done`` are the revisions of which it was said."""
        metadata = revision["metadata"]
        if metadata["uid"] in done:
            return
        name = metadata["labels"]["pkg.crossplane.io/package"]
        status: dict[str, Any] = {"tlsServerSecretName": "served"}
        if name in functions:
            status["endpoint"] = f"dns:///localhost:{FIRST_FUNCTION + sorted(functions).index(name)}"
        healthy = {"type": "RuntimeHealthy", "status": "True", "reason": "HealthyPackageRuntime"}
        status["conditions"] = [{**healthy, "lastTransitionTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}]
        made = {"apiVersion": revision["apiVersion"], "kind": revision["kind"], "metadata": {"name": metadata["name"]}}
        self.apply([{**made, "status": status}], "--field-manager=runtime", "--subresource=status")
        done.add(metadata["uid"])

    def _secret(self, name: str, key: str) -> bytes:
        return base64.b64decode(self.get("secret", "-n", "crossplane-system", name)["data"][key])

    def _serving_certificate(self) -> Path:
        folder = self.folder / "served"
        folder.mkdir()
        for key, file in (("tls.crt", "ca.crt"), ("tls.key", "ca.key")):
            (folder / file).write_bytes(self._secret("crossplane-root-ca", key))
        names = folder / "names"
        names.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n")
        request, certificate, key_file = folder / "tls.csr", folder / "tls.crt", folder / "tls.key"
        subject = ("-subj", "/CN=localhost", "-keyout", str(key_file), "-out", str(request))
        _openssl("req", "-new", "-newkey", "rsa:2048", "-nodes", *subject)
        authority = ("-CA", str(folder / "ca.crt"), "-CAkey", str(folder / "ca.key"), "-CAcreateserial")
        _openssl("x509", "-req", "-in", str(request), *authority, "-days", "30", "-out", str(certificate), "-extfile", str(names))
        files = [f"--from-file={folder / file}" for file in ("tls.crt", "tls.key", "ca.crt")]
        self.kubectl("-n", "crossplane-system", "create", "secret", "generic", "served", *files)
        return folder

    def push(self, meta: dict[str, Any], name: str, image: str) -> None:
        """Push a package that holds nothing but its own name to where an image is looked for."""
        package = self.folder / f"{name}-package"
        package.mkdir()
        (package / "package.yaml").write_text(to_yaml([{**meta, "metadata": {"name": name}}]))
        layer = self.folder / f"{name}.tar"
        with tarfile.open(layer, "w") as tar:
            tar.add(package / "package.yaml", "package.yaml")
        target = f"127.0.0.1:{REGISTRY}/{image.partition('/')[2]}"
        subprocess.run(
            ["crane", "append", "--insecure", "--oci-empty-base", "-f", str(layer), "-t", target], check=True, capture_output=True
        )


_META = {"apiVersion": "meta.pkg.crossplane.io/v1", "kind": "Function"}


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def _there(program: str) -> bool:
    return any((Path(folder) / program).is_file() for folder in os.environ["PATH"].split(":"))


def _answers(url: str) -> bool:
    with urllib.request.urlopen(url, timeout=2) as answer:
        return bool(answer.status == 200)
