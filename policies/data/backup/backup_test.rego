package crossgate.data.backup_test

import rego.v1

import data.crossgate.data.backup

paths(documents) := {array.slice(finding.path, 4, 9) | some finding in backup.deny with input as [{"path": "a.yaml", "contents": document} | some document in documents]}

managed(version, kind, settings) := {
	"apiVersion": version,
	"kind": kind,
	"metadata": {"name": "a", "labels": {"environment": "production"}},
	"spec": {"forProvider": settings},
}

sql(config) := managed("sql.gcp.upbound.io/v1beta2", "DatabaseInstance", {"settings": config})

test_refuses if {
	every config in [{}, [{}], {"backupConfiguration": {"enabled": false}}, [{"backupConfiguration": [{"startTime": "02:00"}]}]] {
		paths([sql(config)]) == {["settings", "backupConfiguration", "enabled"]}
	}
	paths([sql({"backupConfiguration": {"enabled": true}})]) == {["settings", "backupConfiguration", "pointInTimeRecoveryEnabled"]}
	paths([managed("rds.aws.upbound.io/v1beta1", "Instance", {"backupRetentionPeriod": 0})]) == {["backupRetentionPeriod"]}
	paths([managed("elasticache.aws.upbound.io/v1beta2", "ReplicationGroup", {})]) == {["snapshotRetentionLimit"]}
	paths([managed("dbforpostgresql.azure.upbound.io/v1beta1", "FlexibleServer", {"backupRetentionDays": 1})]) == {["backupRetentionDays"]}
}

test_lets_pass if {
	paths([
		sql({"backupConfiguration": {"enabled": true, "pointInTimeRecoveryEnabled": true}}),
		sql([{"backupConfiguration": [{"enabled": true, "pointInTimeRecoveryEnabled": true}]}]),
		managed("rds.aws.upbound.io/v1beta1", "Instance", {"backupRetentionPeriod": 7}),
		managed("elasticache.aws.upbound.io/v1beta2", "ReplicationGroup", {"snapshotRetentionLimit": 3}),
		managed("dbforpostgresql.azure.upbound.io/v1beta1", "FlexibleServer", {}),
		managed("eks.aws.upbound.io/v1beta2", "Cluster", {}),
	]) == set()
}

test_lets_other_environments_pass if {
	paths([object.union(sql({}), {"metadata": {"labels": {"environment": "dev"}}})]) == set()
}

test_silent_about_documents if count(backup.deny) == 0 with input as sql({})

test_bypass_with_a_backup_that_is_none if {
	every period in ["7", 0, -1, null, true, [7]] {
		count(paths([managed("rds.aws.upbound.io/v1beta1", "Cluster", {"backupRetentionPeriod": period})])) == 1
	}
	every enabled in ["true", 1, null, {}] {
		count(paths([sql([{"backupConfiguration": [{"enabled": enabled}]}])])) == 1
	}
	count(paths([object.union(sql({}), {"metadata": {"labels": {"environment": "Live"}}})])) == 1
}
