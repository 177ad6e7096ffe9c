# What must have been in development before it comes to production.
package crossgate.lists.promotion

import rego.v1

# Kinds of pins: "image", "chart", "model", "engine" (versions of databases and caches) and "composition" (its revision).
pins := {"image", "chart", "model", "composition"}
