import { fileURLToPath } from 'node:url';
import type { MeasuredGraph, Target } from './target.ts';

const peers = fileURLToPath(new URL('../../peers/', import.meta.url));
const gatewayMain = fileURLToPath(new URL('../../bench-gateway.mjs', import.meta.url));

/** All that is measured, ours first, the floor last. */
export const targets: readonly Target[] = [
  {
    name: 'trellis',
    path: '/graphql',
    command: ({ supergraphFile }, port) => [
      process.execPath,
      '--max-semi-space-size=32', // as `npm run gateway` and the container image have it
      gatewayMain,
      supergraphFile,
      String(port),
    ],
  },
  peer('stock', 'stock-apollo.mjs'),
  peer('stock-undici', 'stock-apollo.mjs', 'undici'),
  peer('hive', 'hive.mjs'),
  peer('mercurius', 'mercurius.mjs'),
  peer('grafbase-rust', 'grafbase.mjs'),
  { ...peer('floor', 'floor.mjs'), path: '/' },
];

function peer(name: string, program: string, variant?: string): Target {
  return {
    name,
    path: '/graphql',
    command: (graph, port) => [
      process.execPath,
      `${peers}${program}`,
      graph.supergraphFile,
      String(port),
      variant ?? JSON.stringify(graph.subgraphUrls),
    ],
  };
}

export type { MeasuredGraph, Target };
