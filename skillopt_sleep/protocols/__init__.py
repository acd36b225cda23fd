"""The seams: the protocols a night needs from the world, and the Crew that fills them."""
