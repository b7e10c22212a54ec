"""Resources that vehicles consume on their routes: load and duration."""
