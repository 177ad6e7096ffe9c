# Limits for stored data.
package crossgate.lists.storage

import rego.v1

# A bucket that deletes everything this soon holds nothing that versions would bring back.
temporary_days := 90
