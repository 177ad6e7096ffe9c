"""GitOps manifest generator and policy gate for Crossplane and Argo CD."""
