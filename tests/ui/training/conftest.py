"""A team's project and ann's way to it, as in the workbench."""

from tests.ui.workbench.conftest import operations as operations
from tests.ui.workbench.conftest import team as team
