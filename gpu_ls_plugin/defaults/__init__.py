"""The default calls, whose kernels `gpu-ls warm-up` compiles and a wheel may contain ready-made."""
