# Scores CSV files with a model file: Python, NumPy and the compiled kernel, about 200 MB.
#   docker build -f recipe/worker.Dockerfile -t pulps-worker .
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "numpy>=2" \
    && pip install --no-cache-dir --no-deps /wheels/*.whl \
    && rm -r /wheels \
    && useradd --create-home worker
USER worker
ENTRYPOINT ["python", "-m", "pulps.score"]
