"""Draw HTML pages: one look, one way to fill a template, and the charts that several pages share."""
