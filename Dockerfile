# gpu-ls with a GPU of CUDA 13: no CUDA toolkit is needed, CuPy brings the compiler of kernels.
#
#   docker build -t gpu-ls-plugin .
#   docker run --rm --gpus all gpu-ls-plugin doctor
#   docker run --rm --gpus all -v "$PWD:/data" gpu-ls-plugin solve /data/rat783.tsp --seconds 10 --tour /data/rat783.tour
#
# Without --gpus it searches on the CPU. For a driver of CUDA 12: --build-arg CUDA=cuda12.
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends g++
WORKDIR /source
COPY pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY .ci/wheel .ci/wheel
COPY gpu_ls_plugin gpu_ls_plugin
COPY adapters adapters
# With the kernels of the usual calls, so that containers begin without compiling them. The build takes
# minutes for each kind of GPU: --build-arg KERNELS="--arch 90" for one, "--all" for rarer problems, too.
ARG KERNELS=""
RUN pip install --no-cache-dir ".[cuda12]" auditwheel build hatchling wheel \
    && .ci/wheel /wheels ${KERNELS}

FROM python:3.13-slim
ARG CUDA=cuda13
# The C++ compiler is for kernels of the CPU backend that are not in the wheel.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(ls /wheels/*.whl)[${CUDA},pymoo,pygad,deap,plot]" && rm -rf /wheels
# Compiled kernels are kept for as long as the container, or longer in a volume at /cache.
ENV GPU_LS_CACHE_DIR=/cache/gpu-ls CUPY_CACHE_DIR=/cache/cupy
RUN useradd --create-home searcher && install -d -m 0700 -o searcher /cache
USER searcher
WORKDIR /data
ENTRYPOINT ["gpu-ls"]
CMD ["doctor"]
