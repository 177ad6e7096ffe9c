"""Building blocks of Compositions: one concept a module (bucket, cluster, …), in it one function per cloud."""
