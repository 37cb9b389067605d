# SPDX-License-Identifier: Apache-2.0
# docker build --build-arg REVISION=$(git rev-parse HEAD) --build-arg CREATED=$(date -u +%FT%TZ) .
# With buildah or podman add --format docker: OCI images have no HEALTHCHECK.
ARG BASE=docker.io/library/debian:bookworm-slim

FROM ${BASE} AS build
COPY deploy/install_packages.sh /src/deploy/
RUN /src/deploy/install_packages.sh build
COPY . /src
WORKDIR /src
ARG REVISION=unknown
RUN cmake --preset release -DCKPT_BUILD_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr \
      -DCKPT_REVISION="${REVISION}" \
 && cmake --build --preset release \
 && cd build/release && cpack -G DEB && mkdir /package && mv ./*.deb /package/

FROM ${BASE}
# The package brings the libraries it needs, as apt and image scanners know them.
RUN --mount=type=bind,from=build,source=/package,target=/package \
    apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends ca-certificates /package/*.deb \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/* /var/log/*.log /var/log/apt \
 # libpq asks for the name of the user it runs as, which a bare number lacks.
 && echo 'nonroot:x:65532:65532:nonroot:/nonexistent:/usr/sbin/nologin' >>/etc/passwd \
 && echo 'nonroot:x:65532:' >>/etc/group

ARG REVISION=unknown
ARG CREATED=unknown
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="pgcheckpoint_exporter" \
      org.opencontainers.image.description="Prometheus exporter for PostgreSQL checkpoints" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
EXPOSE 10432
STOPSIGNAL SIGTERM
# By number, so that Kubernetes' runAsNonRoot can tell.
USER 65532:65532
HEALTHCHECK --interval=15s --timeout=5s --start-period=10s \
  CMD ["/usr/bin/pgcheckpoint_exporter", "healthcheck"]
ENTRYPOINT ["/usr/bin/pgcheckpoint_exporter"]
