"""The steps of the pipeline: one public function a file, named like the file."""
