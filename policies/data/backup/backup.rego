# METADATA
# title: Databases of production are backed up
# description: >-
#   Every database and cache of production has backups, and databases can go back to a point in time.
# related_resources:
# - https://cloud.google.com/sql/docs/postgres/backup-recovery/backups
# custom:
#   severity: error
#   reason: NO_BACKUP
#   input: related
#   remediation: Turn backups on (Cloud SQL - settings.backupConfiguration; RDS - backupRetentionPeriod; ElastiCache - snapshotRetentionLimit).
package crossgate.data.backup

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.objects
import data.crossgate.lib.types

kinds := {"DatabaseInstance", "Instance", "Cluster", "ReplicationGroup", "FlexibleServer"}

first_look := estate.production_in_text

deny contains {"msg": sprintf("%v of production has %v", [found[1].kind, missing[0]]), "path": estate.path(found[0], array.concat(["spec", "forProvider"], missing[1]))} if {
	some found in estate.of(kinds)
	some missing in faults(found[1], found[1].spec.forProvider)
	estate.production(found[1])
}

faults(found, settings) := cloud_sql(settings) if {
	regex.match(`^sql\.gcp\.`, types.text(found.apiVersion))
} else := rds(settings) if {
	regex.match(`^rds\.aws\.`, types.text(found.apiVersion))
} else := cache(settings) if {
	regex.match(`^elasticache\.aws\.`, types.text(found.apiVersion))
	found.kind == "ReplicationGroup"
} else := azure(settings) if {
	found.kind == "FlexibleServer"
} else := set()

cloud_sql(settings) := {["no backups", ["settings", "backupConfiguration", "enabled"]] | not backed_up(settings)} | {["no recovery to a point in time", ["settings", "backupConfiguration", "pointInTimeRecoveryEnabled"]] |
	backed_up(settings)
	not in_time(settings)
}

configuration(settings) := objects.one(objects.at(settings, ["settings", "backupConfiguration"]))

backed_up(settings) if configuration(settings).enabled == true

in_time(settings) if {
	some field in ["pointInTimeRecoveryEnabled", "binaryLogEnabled"]
	configuration(settings)[field] == true
}

rds(settings) := {["no backups", ["backupRetentionPeriod"]] | not keeps(settings, "backupRetentionPeriod")}

cache(settings) := {["no snapshots", ["snapshotRetentionLimit"]] | not keeps(settings, "snapshotRetentionLimit")}

keeps(settings, field) if types.number(settings[field]) > 0

azure(settings) := {["backups for less than a week", ["backupRetentionDays"]] | types.number(settings.backupRetentionDays) < 7}
