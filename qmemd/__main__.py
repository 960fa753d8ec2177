"""``python -m qmemd`` is the ``qmemd`` command."""

from qmemd.cli import main

if __name__ == "__main__":
    main()
