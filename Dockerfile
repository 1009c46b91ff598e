# docker build --tag recollect .
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --ignore-scripts --workspaces=false --no-audit --no-fund
COPY src ./src
RUN node src/bootstrap.mjs --build && npm prune --omit=dev --ignore-scripts --workspaces=false --no-audit --no-fund

FROM node:22-bookworm-slim
# Programs for recordings and for pictures of rare kinds: --build-arg PROGRAMS="ffmpeg tesseract-ocr"
ARG PROGRAMS=""
RUN if [ -n "$PROGRAMS" ]; then \
      apt-get update && apt-get install -y --no-install-recommends $PROGRAMS && rm -rf /var/lib/apt/lists/*; \
    fi
ENV NODE_ENV=production \
    RECOLLECT_DATA_DIR=/data \
    RECOLLECT_HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN mkdir /data && chown node:node /data && chmod 700 /data
USER node
VOLUME /data
EXPOSE 6767
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.RECOLLECT_PORT || 6767}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["serve"]
