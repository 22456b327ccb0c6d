# syntax=docker/dockerfile:1
# One image for each deployable:
#   docker build --build-arg DEPLOYABLE=gateway --tag trellis-gateway .
# DEPLOYABLE is gateway, auth-server, users, posts, comments or search.

FROM node:24-slim AS build
WORKDIR /build
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
RUN npx -y pnpm@12.21.0 fetch
COPY . .
RUN npx -y pnpm@12.21.0 install --frozen-lockfile --offline
RUN npx --no-install tsc -b
RUN node packages/explorer/dist/build.js
ARG DEPLOYABLE
RUN npx -y pnpm@12.21.0 --filter "@trellis/${DEPLOYABLE:?}" deploy --prod /image

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 OPERATIONS_HOST=0.0.0.0 OPERATIONS_PORT=9464
WORKDIR /app
COPY --from=build /image ./
USER node
EXPOSE 8080 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
