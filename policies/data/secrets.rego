# What secrets look like: the names of fields that hold them, and forms that tell without a name.
package crossgate.lists.secrets

import rego.v1

# Fields and variables that hold a secret, by the end of their name.
names := `(?i)(password|passwd|passphrase|pwd|token|api_?key|apikey|access_?key|private_?key|client_?secret|auth_?secret|secret_?access_?key|connection_?string|credentials)$`

# A first look for the names in a whole document (lower case).
hint := `password|passwd|passphrase|pwd|token|apikey|api_key|accesskey|access_key|privatekey|private_key|clientsecret|client_secret|authsecret|auth_secret|connectionstring|connection_string|credentials`

# A second look, for such a name with a value in a whole document (lower case).
names_in_text := `(password|passwd|passphrase|pwd|token|api_?key|access_?key|private_?key|client_?secret|auth_?secret|connection_?string|credentials)["\\]*\s*[:=,]`

# Values that are no secret: templates, references, paths and addresses, switches.
not_secret := `^$|\{\{|\$\{|\$\(|^/|^[a-z][a-z0-9+.-]*://[^@]*$|^(?i:true|false|none|null|disabled|enabled|auto|random|generated?)$`

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

# First looks for a form in a whole document, and for an address with a password.
forms_in_text := `PRIVATE KEY|AKIA|ASIA|AIza|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk-|eyJ`
