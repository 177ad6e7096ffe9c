# What secrets look like: the names of fields that hold them, and forms that tell without a name.
package crossgate.lists.secrets

import rego.v1

# Fields and variables that hold a secret, by the end of their name.
names := `(?i)(password|passwd|passphrase|pwd|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|auth[_-]?secret|connection[_-]?string|credentials)$`

# Such a name with a value, in the text of a document: a member with a text or a list, a name with its value beside
# it, a line or an option in a text, an option with its value as the next item.
names_in_text := `(?i:password|passwd|passphrase|pwd|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|auth[_-]?secret|connection[_-]?string|credentials)(?:":(?:"[^"/]|\[)|",(?s:.)*"value":"[^"/]|(?:\\+"|')?[ \t]*[:=]|","[^"]*"[,\]])`

# Values that are no secret: templates, references, paths and addresses, switches.
not_secret := `^$|\{\{|\$\{|\$\(|^/|^[a-z][a-z0-9+.-]*://[^@]*$|^(?i:true|false|none|null|disabled|enabled|auto|random|generated?)$`

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
	"an address with a password": `\b[a-z][a-z0-9+.-]*://[^\s:/@"']+:[^\s:/@"'{$<]+@`,
}

# The same in the text of a document.
forms_in_text := concat("|", [form | some _, form in forms])
