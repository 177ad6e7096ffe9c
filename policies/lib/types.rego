# A value where it has the type that a rule needs, and nothing elsewhere: the schema says what is wrong with it.
# What a manifest holds is given to built-ins and iterated over only through these; engines disagree about the rest.
package crossgate.lib.types

import rego.v1

text(value) := value if is_string(value)

list(value) := value if is_array(value)

map(value) := value if is_object(value)

number(value) := value if is_number(value)
