# The image runs what `make install` makes, as nobody in particular, with its data in /data.
FROM python:3.13-bookworm AS build
WORKDIR /data
WORKDIR /src
COPY pyproject.toml constraints.txt Makefile README.md LICENSE ./
COPY policies policies
COPY proxy proxy
RUN make install PREFIX=/opt/handrail

FROM python:3.13-slim-bookworm
LABEL org.opencontainers.image.title="Handrail" \
      org.opencontainers.image.description="A sidecar proxy for LLM API traffic that makes tool calling reliable" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/handrail /opt/handrail
COPY --from=build --chown=10001:10001 /data /data
# Inside a container both ports are reached from outside; publish them only where callers may be. Beyond health and
# metrics the admin port asks for HANDRAIL_ADMIN_TOKEN.
ENV PATH=/opt/handrail/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HANDRAIL_HOST=0.0.0.0 \
    HANDRAIL_PORT=8080 \
    HANDRAIL_ADMIN_HOST=0.0.0.0 \
    HANDRAIL_ADMIN_PORT=8081 \
    HANDRAIL_DATA=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080 8081
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"HANDRAIL_ADMIN_PORT\"]}/healthz', timeout=2)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["handrail"]
CMD ["serve"]
