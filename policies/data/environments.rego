# How an environment is named.
package crossgate.lists.environments

import rego.v1

# The labels that say which one it is.
labels := ["environment", "env"]

production := {"production", "prod", "live"}

development := {"development", "dev", "test", "sandbox", "staging"}
