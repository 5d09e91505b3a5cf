FROM python:3.11-slim
WORKDIR /pressbox
COPY requirements/run.txt requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/run.txt
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation --editable . \
 && useradd --system --create-home pressbox && mkdir -p /pressbox/var /srv/blobs && chown pressbox /pressbox/var /srv/blobs
USER pressbox
ENV HOST=0.0.0.0
CMD ["python", "-m", "workers.web"]
