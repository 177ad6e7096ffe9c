"""The platform's catalogue: one API a file, the building blocks they share (``blocks``) and the framework under both (``core``)."""
