"""The Generate page: runs of the generator, watched role by role, and the toolsets they are made of."""
