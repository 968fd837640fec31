# farlead with adb: `docker build -t farlead .`, then `docker run --rm -v "$PWD:/work" farlead check specs --app apps/notes.app`.
# docs/installing.md says how it reaches a phone.
#
# Untried: no image has been built from this file.
FROM rust:1.95-alpine AS build
# A C compiler for one of the dependencies, with the headers of musl.
RUN apk add --no-cache musl-dev
WORKDIR /source
COPY Cargo.toml Cargo.lock ./
COPY .cargo .cargo
COPY benches benches
COPY grammar grammar
COPY src src
# The system of this image is musl, so the binary depends on nothing outside of itself.
RUN cargo install --path . --locked --root /installed

FROM debian:trixie-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends adb \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /installed/bin/farlead /usr/local/bin/farlead
WORKDIR /work
ENTRYPOINT ["farlead"]
CMD ["--help"]
