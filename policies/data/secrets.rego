# What secrets look like: the names of fields that hold them, and forms that tell without a name.
package crossgate.lists.secrets

import rego.v1

# Fields and variables that hold a secret, by the end of their name.
names := concat("", ["(?i)(", endings, ")$"])

endings := `password|passwd|passphrase|pwd|(?:^|[_.-])pass|(?-i:[a-z]Pass)|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|auth[_-]?secret|connection[_-]?string|credentials`

# Variables of programs (JWT_SECRET) that hold one, or the name of a Secret.
perhaps := `^[A-Z0-9_]*SECRET(_KEY)?(_BASE)?$|^[A-Z0-9_]+_(SIGNING|SESSION|HMAC|MASTER|COOKIE)_KEY$`

# What may be a number and a secret still.
numbers := `(?i)(password|passwd|passphrase|pwd)$`

# Such a name with a value, in the text of a document: a member with a text, a number or a list, a name with its value
# beside it, a line, an option or an element in a text, an option with its value as the next item.
names_in_text := concat("", [
	`(?i:`, replace(endings, "(?:^|[_.-])pass", `[_."-]pass`), `|(?-i:SECRET(?:_KEY)?(?:_BASE)?|_KEY))`,
	`(?:":(?:"[^"/]|\[|[0-9])|",(?s:.*)"value":"[^"/]|(?:\\+"|')?[ \t]*[:=]|","[^"]*"[,\]]|>|\\u003e)`,
	`|--[a-zA-Z._-]*(?i:`, replace(endings, "(?:^|[_.-])pass", "[_.-]pass"), `)[ \t]`,
])

# Values that are no secret: templates, references, paths and addresses, switches.
not_secret := `^$|^\$[A-Za-z_][A-Za-z0-9_]*$|\{\{|\$\{|\$\(|^/|^[a-z][a-z0-9+.-]*://[^@]*$|^(?i:true|false|none|null|disabled|enabled|auto|random|generated?)$`

# Maps of this name hold names of Secrets, and such names.
maps_of_names := `(?i)[a-z0-9_-](secrets|secret_?(names?|refs?|key_?refs?))$`

secret_name := `^([a-z]+|[a-z0-9]+([.-][a-z0-9]+)+)$`

# Forms that are a secret wherever they stand.
forms := {
	"a private key": `-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY( BLOCK)?-----`,
	"an AWS access key": `\b(AKIA|ASIA)[0-9A-Z]{16}\b`,
	"a Google API key": `\bAIza[0-9A-Za-z_-]{35}\b`,
	"a GitHub token": `\b(gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{22,})`,
	"a GitLab token": `\bglpat-[0-9A-Za-z_-]{20}`,
	"a Slack token": `\bxox[abprs]-[0-9A-Za-z-]{10,}`,
	"an OpenAI key": `\bsk-(proj-)?[0-9A-Za-z_-]{32,}`,
	"a signed token": `\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}`,
	"a private key in Base64": `LS0tLS1CRUdJTi(BQUklWQVRF|BSU0EgUFJJVkFUR|BFQyBQUklWQVRF|BEU0EgUFJJVkFUR|BPUEVOU1NIIFBSSVZBVE|BFTkNSWVBURUQgUFJJVkFUR)`,
	"an address with a password": `\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s:/@"']*:[^\s:/@"'{$<]+@`,
}

# The same in the text of a document.
forms_in_text := concat("|", [form | some _, form in forms])
