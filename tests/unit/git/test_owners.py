"""CODEOWNERS, by the examples of GitHub's documentation and the cases around them."""

from __future__ import annotations

import pytest

from crossgate.git.owners import Owners

TEXT = """
# a comment
*               @everyone
*.js            @js
/build/logs/    @doctocat
docs/*          docs@example.com
apps/           @octocat
/scripts/       @doctocat @octocat
**/logs         @logs
/apps/github
/policies/**/*.rego @security # the rules
with\\ space.txt @space
"""


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("README", ("@everyone",)),
        ("a/b/x.js", ("@js",)),
        ("build/logs/x/y", ("@logs",)),
        ("docs/getting-started.md", ("docs@example.com",)),
        ("docs/build-app/troubleshooting.md", ("@everyone",)),
        ("some/apps/x", ("@octocat",)),
        ("scripts/a.sh", ("@doctocat", "@octocat")),
        ("deep/logs/x", ("@logs",)),
        ("apps/github/x", ()),
        ("policies/a/b/c.rego", ("@security",)),
        ("policies/c.rego", ("@security",)),
        ("with space.txt", ("@space",)),
    ],
)
def test_the_last_line_that_matches_decides(path: str, owners: tuple[str, ...]) -> None:
    assert Owners.parse(TEXT).owners(path) == owners


def test_a_section_of_gitlab_gives_owners_to_lines_without() -> None:
    owners = Owners.parse("[Policies][2] @sec\npolicies/\n^[Docs]\ndocs/ @writers\n")
    assert owners.owners("policies/a.rego") == ("@sec",)
    assert owners.owners("docs/a.md") == ("@writers",)
    assert owners.together(["policies/a", "docs/b", "policies/c"]) == ("@sec", "@writers")
