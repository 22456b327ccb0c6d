import type { Project } from './project.ts';

/** The gateway. */
export const gatewayRooms: Project = {
  folder: 'gateway',
  sources: 'src',
  introduction: 'The gateway, from the process down to what knows nothing of the rest.',
  rooms: {
    'main.ts': { floor: 12, purpose: 'runs the gateway as a process' },
    'index.ts': { floor: 12, purpose: 'what other programs use of the gateway' },
    app: {
      floor: 11,
      purpose: 'puts the process together: configuration, resources, services, server, workers',
    },
    http: {
      floor: 10,
      purpose: 'reads requests and writes responses',
      parts: {
        routes: 'the endpoints, and admission of their requests',
        'fast-path': 'plain POST requests, handled without the framework',
        websocket: 'graphql-transport-ws: connections, their operations and credentials',
        'event-stream': 'one stream for many operations: the single connection mode of graphql-sse',
        upload: 'requests with files, which are passed on while they arrive',
        delivery: 'responses in parts and streams, and how slowly they may be read',
        message: 'what every request and response needs: media types, headers, bodies, addresses',
        pages: 'pages for browsers: the landing page and the explorer',
      },
    },
    offline: {
      floor: 11,
      purpose: 'what the gateway makes of a supergraph and its operations, for checks that run without one',
    },
    observability: { floor: 10, purpose: 'metrics and traces of what other rooms report' },
    config: { floor: 10, purpose: 'reads, checks and watches the configuration, and fills in defaults' },
    usage: {
      floor: 9,
      purpose: 'records which operations clients send',
      parts: { 'field-search': 'who has used a field, in a thread of its own' },
    },
    variants: {
      floor: 9,
      purpose:
        'which of several supergraphs serves a request, and whether a canary is worse than the main one',
    },
    streams: { floor: 9, purpose: 'subscriptions and live queries: topics, clients, upstreams' },
    pipeline: { floor: 8, purpose: 'the stages of a request, in their order' },
    execution: {
      floor: 7,
      purpose: 'runs a plan: fetches, merges, completes, writes, delivers incrementally',
    },
    planning: {
      floor: 7,
      purpose: 'makes the plan of an operation, and warms up those that are known',
      parts: { threads: 'the query planner workers' },
    },
    'response-cache': { floor: 7, purpose: 'cached responses, and what invalidates them' },
    load: { floor: 7, purpose: 'admission, execution gate, coalescing, rates, shares of memory' },
    plan: { floor: 6, purpose: 'the compiled plan of an operation' },
    subgraphs: {
      floor: 6,
      purpose: 'one request to a subgraph: client, headers, retries, circuit breaker, hedging',
      parts: {
        http2: 'sessions over HTTP/2',
        tls: 'certificates for connections to subgraphs, and why a handshake failed',
        connections: 'which client connects to a subgraph, and with which certificates',
      },
    },
    operation: {
      floor: 5,
      purpose: 'all that is known of an operation before variables and caller',
      parts: {
        'cache-hints': 'how long its response may be cached',
        limits: 'its size and its cost',
        access: 'which of its fields a caller is denied',
        conditions: 'what decides what it asks for',
        fold: 'one walk over its selections, which asks all that the other parts want to know',
        validation: 'whether the schema allows it',
        document: 'its text, parsed; its variables and conditions',
      },
    },
    request: { floor: 4, purpose: 'what a client sent' },
    identity: { floor: 3, purpose: 'access tokens, keys, revocation, presence: who sends a request' },
    registry: { floor: 3, purpose: 'follows a registry, and serves what its signed records name' },
    concurrency: { floor: 2, purpose: 'how much is in flight at a time, in fair shares of callers' },
    caching: { floor: 2, purpose: 'caches, in memory and in Redis, with a share for each owner' },
    supergraph: { floor: 2, purpose: 'where the supergraph comes from, and the schema that it becomes' },
    settings: {
      floor: 1,
      purpose: 'every setting of gateway.yaml and of the environment, once: types, defaults, schema',
    },
    abort: { floor: 1, purpose: 'deadlines, and waiting until they pass' },
    'errors.ts': { floor: 2, purpose: 'the catalogue of errors' },
    'value-trie.ts': {
      floor: 0,
      purpose: 'leads from values, one after the other, to what belongs to them',
    },
  },
};
