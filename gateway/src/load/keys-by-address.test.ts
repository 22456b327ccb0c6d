import { fileURLToPath } from 'node:url';
import { testKeysByAddress } from '@trellis/testkit/shares';

testKeysByAddress({
  folder: fileURLToPath(new URL('..', import.meta.url)),
  reads: {
    'http/message/client-address.ts': 'of requests that the framework does not see',
    'http/message/client-certificate.ts': 'whether it is a proxy whose header is trusted',
    'http/message/http-connections.ts': 'of a connection',
    'http/routes/admit-requests.ts': 'before anything of a request is read',
    'http/routes/bound-bodies.ts': 'before its body is read',
    'http/routes/request-exchange.ts': 'for all that comes after it',
  },
  keys: {
    'caching/cache-redis-problems.ts': 'addresses of Redis',
    'identity/caller.ts': 'remembers the networks of an address',
    'streams/upstream-transports.ts': 'addresses of subgraphs',
  },
  networks: {
    'http/fast-path/plain-first.ts': 'bytes that clients do not read',
    'http/message/client-address.ts': 'nothing: it writes an address in one way',
    'http/message/http-connections.ts': 'connections',
    'http/message/http-exchange.ts': 'bytes that clients do not read',
    'http/routes/event-stream-route.ts': 'event streams',
    'http/routes/respond-on-route.ts': 'bytes that clients do not read',
    'http/routes/send-response.ts': 'bytes that clients do not read',
    'http/websocket/websocket-server.ts': 'WebSocket connections',
    'identity/caller.ts':
      'requests in flight, requests to subgraphs and issuers, jobs, milliseconds and turns',
    'load/rate-limiter.ts': 'operations at a rate',
    'operation/operation-cache.ts': 'documents that are remembered',
    'pipeline/persisted-query.ts': 'persisted queries',
    'response-cache/response-cache.ts': 'stored responses',
    'streams/stream-quota.ts': 'streams',
    'variants/sticky-caller.ts': 'nothing: it says which variant a caller gets',
  },
});
