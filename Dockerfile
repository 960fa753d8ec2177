# The daemon in a container. Build: docker build -t qmemd .
# Run, and more: docs/operations.md
FROM python:3.13-slim AS build
WORKDIR /src
COPY . .
RUN pip wheel --no-cache-dir --wheel-dir /wheels ".[metrics]"

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links /wheels "qmemd[metrics]" \
 && rm -r /wheels \
 && useradd --uid 1000 --create-home qmemd \
 && install -d -m 0700 -o qmemd -g qmemd /memory /state /work
USER qmemd
# Beyond loopback everything needs the token, /health as well. It is made at the first start and
# kept in /state/token, unless QMEMD_TOKEN says another one.
ENV QMEMD_HOSTNAME=0.0.0.0 \
    QMEMD_WORKSPACE=/work \
    QMEMD_STATE_DIR=/state \
    QWEN_CODE_MEMORY_BASE_DIR=/memory
VOLUME ["/memory", "/state"]
EXPOSE 4170
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["qmemd", "status"]
ENTRYPOINT ["qmemd", "serve"]
