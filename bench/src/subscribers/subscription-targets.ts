import { fileURLToPath } from 'node:url';
import { HEAP_FLAGS } from '@trellis/gateway/heap-flags';
import type { Target } from '../targets/index.ts';

const programs = fileURLToPath(new URL('../../', import.meta.url));

/** The gateways whose subscriptions are measured, ours first, the floor last. */
export const subscriptionTargets: readonly Target[] = [
  {
    name: 'trellis',
    path: '/graphql',
    command: program('subscribers-gateway.mjs', ...HEAP_FLAGS),
  },
  { name: 'hive', path: '/graphql', command: program('peers/hive-subscriptions.mjs') },
  { name: 'floor', path: '/graphql', command: program('subscribers-floor.mjs') },
];

function program(file: string, ...flags: readonly string[]): Target['command'] {
  return (graph, port) => [
    process.execPath,
    ...flags,
    `${programs}${file}`,
    graph.supergraphFile,
    String(port),
    JSON.stringify(graph.subgraphUrls),
  ];
}
