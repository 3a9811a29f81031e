"""The protocol for other programs (PROTOCOL.md): JSON-RPC messages, methods, and the sessions that
they act on."""
