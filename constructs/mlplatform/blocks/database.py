"""Databases with a private address only."""

from __future__ import annotations

from mlplatform.core import Composition, Ref, Template
from mlplatform.core import transforms as t

from .managed import managed, owned
from .protection import PRODUCTION, kept

PORT = 5432
PASSWORD = "password"  # noqa: S105 - the name of a key
"""Key, in the Secret that holds it, of the password of the database's user."""

_INSTANCE = {"instanceSelector": {"matchControllerRef": True}}


def gcp_postgres(
    composition: Composition,
    *,
    region: Ref,
    network: Ref,
    tier: str,
    disk_gb: int,
    backup_at: str,
    point_in_time: bool,
    database: str,
    suffix: str,
    secret: str,
    secret_namespace: str,
) -> Template:
    """Add a PostgreSQL 14 of Cloud SQL called ``<name>-<hash>-<suffix>``, a database in it, and the user of the same name.

    Its address is one of ``network``'s, reached through the network's peering with Google's services; it has no other, and connections are
    encrypted. The user's password is in the Secret ``secret`` of the namespace that the format ``secret_namespace`` names.
    """
    instance = composition.add(
        "database",
        managed(
            "sql.gcp.upbound.io/v1beta2",
            "DatabaseInstance",
            {
                "databaseVersion": "POSTGRES_14",
                "settings": {
                    "edition": "ENTERPRISE",  # the only one with custom machines
                    "tier": tier,
                    "availabilityType": "ZONAL",
                    "diskSize": disk_gb,
                    "diskType": "PD_SSD",
                    "diskAutoresize": True,
                    "backupConfiguration": {
                        "enabled": True,
                        "startTime": backup_at,
                        "pointInTimeRecoveryEnabled": point_in_time,
                        "transactionLogRetentionDays": 7,
                        "backupRetentionSettings": {"retainedBackups": 14, "retentionUnit": "COUNT"},
                    },
                    "ipConfiguration": {"ipv4Enabled": False, "sslMode": "ENCRYPTED_ONLY"},
                    "insightsConfig": {"queryInsightsEnabled": True},
                    "maintenanceWindow": {"day": 7, "hour": 3, "updateTrack": "stable"},
                },
            },
        ),
    ).named(f"%s-%s-{suffix}")
    instance.patch(region, "spec.forProvider.region")
    instance.patch(network, "spec.forProvider.settings.ipConfiguration.privateNetwork", required=True)
    environment = composition.api.metadata.labels["environment"]
    two_zones = t.match([(PRODUCTION, "REGIONAL")], otherwise="ZONAL")
    instance.patch(environment, "spec.forProvider.settings.availabilityType", t.change("ToLower"), two_zones)
    kept(instance, "spec.forProvider.deletionProtection", "spec.forProvider.settings.deletionProtectionEnabled")
    owned(instance, "spec.forProvider.settings.userLabels")

    inside = managed("sql.gcp.upbound.io/v1beta1", "Database", {**_INSTANCE, "deletionPolicy": "ABANDON"})
    inside["metadata"] = {"annotations": {"crossplane.io/external-name": database}}
    composition.add("database-schema", inside).named(f"%s-%s-{suffix}-{database}")

    # Postgres lets no user go that owns something; both go with the instance
    login = managed("sql.gcp.upbound.io/v1beta2", "User", {**_INSTANCE, "deletionPolicy": "ABANDON", "type": "BUILT_IN"})
    login["metadata"] = {"annotations": {"crossplane.io/external-name": database}}
    login["spec"]["forProvider"]["passwordSecretRef"] = {"name": secret, "key": PASSWORD}
    user = composition.add("database-user", login).named(f"%s-%s-{suffix}-{database}")
    user.named(secret_namespace, to="spec.forProvider.passwordSecretRef.namespace")
    return instance
