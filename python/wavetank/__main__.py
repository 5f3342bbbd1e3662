"""``python -m wavetank``."""

from .cli import main

if __name__ == "__main__":
    main()
