"""How long one claim takes: 20 composed resources and 100 patches, like a ModelService, in one process.

    python bench/bench_render.py [claims ...]

Prints milliseconds per claim and the growth of memory for each number of claims; results are dropped as
they come, so memory must stay flat. The target is 1.5 ms for a claim with all its composed resources.
"""

from __future__ import annotations

import gc
import resource
import sys
import time
from typing import Any

from crossgate.render import compile_composition

RESOURCES = 20
KIND = {"apiVersion": "platform.acme.com/v1alpha1", "kind": "XModelService"}


def xr(number: int) -> dict[str, Any]:
    name = f"fraud-scoring-{number}"
    return {
        **KIND,
        "metadata": {
            "name": f"{name}-x7k2p",
            "labels": {
                "crossplane.io/claim-name": name,
                "crossplane.io/claim-namespace": "ml-team-fraud",
                "crossplane.io/composite": f"{name}-x7k2p",
            },
            "annotations": {"example.org/owner": "fraud@acme.com"},
        },
        "spec": {
            "image": "registry.acme.com/fraud:1.4.2",
            "modelDataPath": "fraud/2026-08-01/model.tar.gz",
            "modelSha256": "0" * 64,
            "compute": {"instanceType": "g4dn.xlarge", "replicas": 3},
            "api": {"path": "/v1/fraud", "authentication": {"method": "key-auth"}, "rateLimit": {"requestsPerMinute": 600}},
            "cache": {"engine": "redis", "nodeType": "cache.t3.micro", "nodes": 2},
            "compositionRef": {"name": "modelservice.aws.platform.acme.com"},
            "claimRef": {"apiVersion": "platform.acme.com/v1alpha1", "kind": "ModelService", "namespace": "ml-team-fraud", "name": name},
        },
    }


def template(number: int) -> dict[str, Any]:
    manifest = "spec.forProvider.manifest"
    container = f"{manifest}.spec.template.spec.containers[0]"
    base = {
        "apiVersion": "kubernetes.crossplane.io/v1alpha2",
        "kind": "Object",
        "metadata": {"labels": {"app.kubernetes.io/part-of": "modelservice"}},
        "spec": {
            "providerConfigRef": {"name": "default"},
            "forProvider": {
                "manifest": {
                    "apiVersion": "apps/v1",
                    "kind": "Deployment",
                    "metadata": {"labels": {"app": "model"}},
                    "spec": {
                        "replicas": 1,
                        "selector": {"matchLabels": {"app": "model"}},
                        "template": {
                            "metadata": {"labels": {"app": "model"}},
                            "spec": {
                                "securityContext": {"runAsNonRoot": True, "fsGroup": 1000},
                                "containers": [
                                    {
                                        "name": "inference-server",
                                        "ports": [{"containerPort": 8000, "name": "http"}],
                                        "env": [{"name": "MODEL_PATH", "value": "x"}, {"name": "LOG_LEVEL", "value": "info"}],
                                        "resources": {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"cpu": "2", "memory": "4Gi"}},
                                        "readinessProbe": {"httpGet": {"path": "/readyz", "port": 8000}},
                                    },
                                ],
                            },
                        },
                    },
                },
            },
        },
    }
    return {
        "name": f"part-{number}",
        "base": base,
        "patches": [
            {"type": "FromCompositeFieldPath", "fromFieldPath": "spec.image", "toFieldPath": f"{container}.image"},
            {"type": "FromCompositeFieldPath", "fromFieldPath": "spec.compute.replicas", "toFieldPath": f"{manifest}.spec.replicas"},
            {
                "type": "FromCompositeFieldPath",
                "fromFieldPath": "spec.claimRef.name",
                "toFieldPath": f"{manifest}.metadata.name",
                "transforms": [{"type": "string", "string": {"type": "Format", "fmt": f"%s-part-{number}"}}],
            },
            {
                "type": "CombineFromComposite",
                "combine": {
                    "strategy": "string",
                    "string": {"fmt": "s3://model-artifacts-%s-%s"},
                    "variables": [{"fromFieldPath": "spec.claimRef.namespace"}, {"fromFieldPath": "spec.claimRef.name"}],
                },
                "toFieldPath": f"{container}.env[0].value",
            },
            {
                "type": "FromCompositeFieldPath",
                "fromFieldPath": "spec.compute.instanceType",
                "toFieldPath": f"{manifest}.spec.template.spec.nodeSelector[node.kubernetes.io/instance-type]",
                "transforms": [{"type": "map", "map": {"g4dn.xlarge": "g4dn.xlarge", "p3.2xlarge": "p3.2xlarge", "c5.large": "c5.large"}}],
            },
        ],
    }


COMPOSITION = {
    "apiVersion": "apiextensions.crossplane.io/v1",
    "kind": "Composition",
    "metadata": {"name": "modelservice.aws.platform.acme.com"},
    "spec": {
        "compositeTypeRef": KIND,
        "mode": "Pipeline",
        "pipeline": [
            {
                "step": "patch-and-transform",
                "functionRef": {"name": "function-patch-and-transform"},
                "input": {
                    "apiVersion": "pt.fn.crossplane.io/v1beta1",
                    "kind": "Resources",
                    "resources": [template(number) for number in range(RESOURCES)],
                },
            },
        ],
    },
}


def main(counts: list[int]) -> None:
    compiled = compile_composition(COMPOSITION)
    compiled.render(xr(0), legacy=True)
    for count in counts:
        gc.collect()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.process_time()
        composed = 0
        for number in range(count):
            composed += len(compiled.render(xr(number), legacy=True).resources)
        took = time.process_time() - start
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(f"{count:6d} claims: {took / count * 1000:.3f} ms each, {composed // count} composed resources each, memory +{grown} KiB")


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [1000, 10000])
