"""Settings files: ``qmemd.toml`` of the user and of a workspace, beneath flags and environment."""
