// Every key at the top of gateway.yaml, by its name.
export { admission, traffic } from './traffic.ts';
export { authentication, authorization } from './identity.ts';
export { cost } from './cost.ts';
export { extensions, telemetry } from './telemetry.ts';
export { headers } from './headers.ts';
export { http } from './http.ts';
export { introspection, onError, overridePercents } from './setting-schema.ts';
export { limits } from './limits.ts';
export { live, subscriptions } from './streams.ts';
export { pages } from './pages.ts';
export { persistedQueries } from './persisted-queries.ts';
export { planning } from './planning.ts';
export { rateLimits } from './rate-limits.ts';
export { responseCache } from './response-cache.ts';
export { subgraphConnections } from './subgraph-connections.ts';
export { subgraphErrors } from './subgraph-errors.ts';
export { timeouts } from './timeouts.ts';
export { uploads } from './uploads.ts';
