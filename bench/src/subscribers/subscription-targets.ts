import { fileURLToPath } from 'node:url';
import { ourGateway, type GatewayBuild, type Target } from '../targets/index.ts';

const programs = fileURLToPath(new URL('../../', import.meta.url));

/** The gateways whose subscriptions are measured, ours first, the floor last. */
export function subscriptionTargets(build: GatewayBuild): readonly Target[] {
  return [
    ourGateway(build, 'subscribers-gateway.mjs'),
    { name: 'hive', path: '/graphql', command: program('peers/hive-subscriptions.mjs') },
    { name: 'floor', path: '/graphql', command: program('subscribers-floor.mjs') },
  ];
}

function program(file: string): Target['command'] {
  return (graph, port) => [
    process.execPath,
    `${programs}${file}`,
    graph.supergraphFile,
    String(port),
    JSON.stringify(graph.subgraphUrls),
  ];
}
