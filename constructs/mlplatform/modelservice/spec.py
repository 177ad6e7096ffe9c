"""The API ModelService: what a team says about its model, and what it is told."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mlplatform.core import Api, Model, Required, Rule

MAX_CALLERS = 4
"""Teams, besides the owner, that may call a service. Kong's consumers are made one by one, so their number has a bound."""

ARTIFACT = "^s3://[a-z0-9][a-z0-9.-]+[a-z0-9]/[A-Za-z0-9!_.()=+@/-]+$"
"""An address in S3. Nothing in it means more than itself in a policy of IAM, where * and ? match anything and ${…} is a variable."""

CallerName = Annotated[str, Field(pattern="^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", max_length=40)]


class ModelServiceCompute(Model):
    """The machines that the model runs on."""

    rules = (Rule("!has(self.maxReplicas) || self.maxReplicas >= self.replicas", "maxReplicas must not be less than replicas"),)

    instance_type: Annotated[Literal["g4dn.xlarge", "p3.2xlarge", "c5.large"], Required()] = "c5.large"
    """Machine of each replica: g4dn.xlarge has a T4, p3.2xlarge a V100, c5.large no GPU."""
    replicas: Annotated[int, Field(ge=1, le=10), Required()] = 1
    """Servers that run at any time."""
    max_replicas: Annotated[int, Field(ge=1, le=20)] | None = None
    """Servers that may run under load; the bound of what the service can cost. Without it there are never more than replicas."""


class ModelServiceAuthentication(Model):
    """Who may call the model."""

    rules = (Rule("!has(self.callers) || self.method == 'key-auth'", "callers have keys: they need the method key-auth"),)

    method: Annotated[Literal["key-auth", "none"], Required()] = "key-auth"
    """key-auth: requests carry a key in the header apikey; none: everybody who reaches the gateway may call."""
    callers: Annotated[list[CallerName], Field(min_length=1, max_length=MAX_CALLERS)] | None = None
    """Teams that get a key besides the one that owns the service."""


class ModelServiceRateLimit(Model):
    """How much one caller may ask."""

    requests_per_minute: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Requests of one caller in a minute; what is more is answered with 429."""


class ModelServiceApi(Model):
    """How the model is called."""

    path: Annotated[str, Field(pattern="^/[a-zA-Z0-9/_-]+$", max_length=200)]
    """Path of the service on the platform's host; the server sees what comes after it."""
    authentication: ModelServiceAuthentication = ModelServiceAuthentication()
    rate_limit: ModelServiceRateLimit | None = None


class ModelServiceCache(Model):
    """A cache of the service's own: its address is in CACHE_URL, its password in CACHE_TOKEN."""

    engine: Literal["redis"] = "redis"
    """What the cache speaks."""
    node_type: Annotated[str, Field(pattern=r"^cache\.[a-z0-9]+\.[a-z0-9]+$", max_length=40)] = "cache.t4g.small"
    """Machine of each node."""
    nodes: Annotated[int, Field(ge=1, le=6)] = 1
    """Nodes; from two on the cache survives the loss of a zone."""


class ModelServiceSpec(Model):
    """A model behind an HTTP address."""

    image: Annotated[str, Field(min_length=1, max_length=512, pattern=r"^\S+$")]
    """Container image of the server."""
    model_data_path: Annotated[str, Field(min_length=1, max_length=900)]
    """Key of the model inside the service's bucket; a folder's key stands for all that is in it."""
    model_sha256: Annotated[str, Field(pattern="^[0-9a-fA-F]{64}$", max_length=64)] | None = None
    """Digest of the model: the server refuses any other."""
    compute: ModelServiceCompute = ModelServiceCompute()
    api: ModelServiceApi
    cache: ModelServiceCache | None = None
    artifact_source: Annotated[str, Field(pattern=ARTIFACT, max_length=1000)] | None = None
    """Where the model is copied from into the service's bucket: an object, or everything below a folder that ends with a slash."""


class ModelServiceParts(Model):
    """How far each part is, in plain words."""

    bucket: str | None = None
    """The bucket for the model."""
    role: str | None = None
    """The role by which the server reads the bucket."""
    server: str | None = None
    """The servers."""
    api: str | None = None
    """The address."""
    scaling: str | None = None
    """The number of servers."""
    callers: str | None = None
    """The keys of those who may call."""
    rate_limit: str | None = None
    """The limit of requests."""
    disruption_budget: str | None = None
    """What keeps servers running while nodes are drained."""
    copy_job: str | None = None
    """The copy of the model into the bucket."""
    cache: str | None = None
    """The cache."""


class ModelServiceStatus(Model):
    """The service that there is."""

    url: str | None = None
    """Address of the service."""
    bucket_name: str | None = None
    """Bucket that the model is read from."""
    role_arn: str | None = None
    """Role that the server acts as."""
    ready_replicas: int | None = None
    """Servers that answer."""
    phase: str | None = None
    """Pending until a server answers, then Serving."""
    cache_address: str | None = None
    """Host of the cache."""
    copied_at: str | None = None
    """Time at which the model had been copied."""
    parts: ModelServiceParts | None = None


MODEL_SERVICE = Api(
    group="platform.acme.com",
    kind="XModelService",
    claim_kind="ModelService",
    spec_model=ModelServiceSpec,
    status_model=ModelServiceStatus,
    short_names=("msvc",),
    categories=("platform", "ml"),
    connection_keys=("url", "bucketName", "roleArn"),
    columns=lambda api: {
        "URL": api.status.url,
        "Phase": api.status.phase,
        "Available": api.status.ready_replicas,
        "Wanted": api.spec.compute.replicas,
        "Instance": api.spec.compute.instance_type,
        "Bucket": api.status.bucket_name,
        "Role": api.status.role_arn,
    },
    rules=(
        Rule(
            "self.kind != 'ModelService' || self.metadata.name.matches('^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$')",
            "the name of a ModelService is a host name's word: lower case letters, digits and hyphens, at most 40, a letter first",
        ),
        Rule(
            "self.kind != 'ModelService' || self.metadata.name != 'default'",
            "a ModelService cannot be called default: every Pod of the namespace would act as its service account",
        ),
    ),
    default_composition="modelservice.aws.platform.acme.com",
    stateful=True,
    runbook={
        "`server` waits, the Pod is *Pending*": (
            "No node of the instance type: `kubectl get nodes -L node.kubernetes.io/instance-type`. The claim's instance "
            "type must be one of the cluster's node pools."
        ),
        "`server` waits, the Pod runs": (
            "`kubectl logs deploy/NAME` says why `/readyz` is 503: `downloading`, `missing_key` (nothing at modelDataPath "
            "yet), `digest_mismatch` (another model than modelSha256), `access_denied` (the role is not there yet; the "
            "container starts anew)."
        ),
        "`callers` waits": (
            "Keys are read from the secret store, under `modelservice/NAMESPACE/NAME/TEAM`, property `key`: write one for "
            "the owner and each caller."
        ),
        "Callers get 401 or 403": (
            "401: no key, or none of a consumer; 403: the key of a team that is not among `api.authentication.callers`."
        ),
        "Callers get 404 or 503 at the gateway": "404: another path than `status.url`; 503: no server is ready.",
        "`copyJob` waits": (
            "`kubectl logs job/copy-…`: *AccessDenied* means that the source is none of the buckets that the platform "
            "allows to be copied from."
        ),
    },
)
