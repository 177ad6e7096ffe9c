"""ModelService: a model behind an HTTP address, from a claim of a few lines.

``spec`` is the API, ``aws`` and ``gcp`` its Compositions; ``option`` and ``options`` are the parts that a claim may or may not ask for.
What runs on the cluster is the same on every cloud: ``server`` (the Deployment and what keeps it up), ``entrance`` (how requests
reach it) and ``keys`` (who may send them).
"""

from . import aws_options, gcp_options, options
from .aws import modelservice_aws
from .gcp import modelservice_gcp
from .option import MODEL_SERVICE_OPTION, nothing
from .spec import MODEL_SERVICE

APIS = (MODEL_SERVICE, MODEL_SERVICE_OPTION)
COMPOSITIONS = (modelservice_aws, modelservice_gcp, nothing, *options.OPTIONS, *aws_options.OPTIONS, *gcp_options.OPTIONS)

__all__ = ["APIS", "COMPOSITIONS", "MODEL_SERVICE", "MODEL_SERVICE_OPTION"]
