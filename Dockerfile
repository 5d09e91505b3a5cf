# The image of every process. Pinned: the base by version and system, the packages by hash. What is needed to install
# (pip's cache, the sources of packages) stays in the first stage; the second runs as a user without rights.
# Pin the base by digest in your own registry: docker build --build-arg BASE=python:3.11.14-slim-bookworm@sha256:...
ARG BASE=python:3.11.14-slim-bookworm

FROM ${BASE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /pressbox
RUN python -m venv /opt/pressbox
ENV PATH=/opt/pressbox/bin:$PATH
COPY requirements/run.txt requirements/
RUN pip install --require-hashes -r requirements/run.txt
COPY . .
RUN pip install --no-deps --no-build-isolation --editable . && python -m compileall -q app workers scorer_console

FROM ${BASE}
# pg_dump and pg_restore of the server's version, for `pressbox backup`, come with the embedded PostgreSQL's package.
RUN useradd --system --uid 10001 --create-home pressbox \
 && mkdir -p /pressbox/var /srv/blobs && chown pressbox:pressbox /pressbox/var /srv/blobs
COPY --from=build /opt/pressbox /opt/pressbox
COPY --from=build /pressbox /pressbox
WORKDIR /pressbox
USER 10001
ENV PATH=/opt/pressbox/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOST=0.0.0.0
STOPSIGNAL SIGTERM
EXPOSE 8000
CMD ["python", "-m", "workers.web"]
