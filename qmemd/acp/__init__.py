"""The pipe between daemon and child: JSON-RPC 2.0 messages, one object a line."""
