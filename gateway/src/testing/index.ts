// What tests of other packages take of those of the gateway. It is no part of the published package.
export { startEventGraph, type EventGraph } from './event-graph.ts';
export { startPaymentsSubgraph } from './payments-subgraph.ts';
export { RawSocket } from './raw-socket.ts';
export { startSubgraph, type SubgraphServer } from './subgraph-server.ts';
export { startTestGateway, type TestGateway } from './test-gateway.ts';
export { createTokenIntrospection } from '../identity/introspect-token.ts';
export { createKeySet, fetchKeySet } from '../identity/key-set.ts';
export { tokenRulesOf } from '../identity/token-rules.ts';
