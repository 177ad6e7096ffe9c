# What a sketch leaves where a secret belongs, as regular expressions.
package crossgate.lists.placeholders

import rego.v1

# CHANGE_ME, change-me, changeMe123, REPLACE.ME, FIXME_PASSWORD, change%5Fme, your-token-here …
words := concat("|", [
	`(please[_.\-]?)?(change|replace|fill)([_.\-]|%5f|%2d|\\+u005f|\\+u002d|\\+x5f|(?:&|\\+u0026)#95;)*me(please|now|later)?`,
	`(change|replace)([_.\-]|%5f|%2d|\\+u005f|\\+u002d)*this`,
	`changeit`,
	`(todo|fixme)[_\-]?(password|secret|token|key)`,
	`insert[_\-]?(your[_\-]?)?(password|secret|token|key)([_\-]?here)?`,
	`your[_\-](password|secret|token|api[_\-]?key)([_\-]here)?`,
])

# They tell anywhere in a value, but not inside a longer word ("exchange messages").
anywhere := concat("", [`(?i)(^|[^a-z])(`, words, `)([^a-z]|$)`])

# Telling only as the whole value, or as the value in a line of a text: "change me", "<password>".
alone := `(?im)(^|[:=])[ \t]*["'(]?((change|replace)[ \t]+me|<[^<>]*(password|secret|token|placeholder|change|your)[^<>]*>)["')]?[ \t]*[.!]*$`

# A first look for the above in a whole document (lower case).
alone_in_text := `(change|replace)\s+me|(<|\\u003c)[^<>"]*(password|secret|token|placeholder|change|your)`

# A first look for the Base64 of "change" and "replace" in any case, at each of the three offsets.
encoded_in_text := `[QY][02]h[Bh]|[QY][UW]5[Hn]|[Sa][EG]F[Ou]|[Uc][km]V[Qw]|[RZ][VX]B[Ms]|[Uc][EG]x[Bh]`
