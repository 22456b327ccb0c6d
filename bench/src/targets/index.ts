import { fileURLToPath } from 'node:url';
import { HEAP_FLAGS } from 'trellis/programs';
import type { MeasuredGraph, Target } from './target.ts';

const peers = fileURLToPath(new URL('../../peers/', import.meta.url));
const programs = fileURLToPath(new URL('../../', import.meta.url));

/** How our gateway runs: compiled as it is shipped, or from source where only the benchmark itself is tried. */
export type GatewayBuild = 'compiled' | 'source';

const BUILDS: Readonly<Record<GatewayBuild, { readonly flags: readonly string[]; readonly main: string }>> = {
  compiled: { flags: [], main: '../gateway/dist/main.js' },
  source: { flags: ['--conditions=trellis-source', '--import', 'tsx'], main: '../gateway/src/main.ts' },
};

/** Our gateway, started by a program of this package. */
export function ourGateway(build: GatewayBuild, program = 'bench-gateway.mjs'): Target {
  const { flags, main } = BUILDS[build];
  return {
    name: 'trellis',
    path: '/graphql',
    command: ({ supergraphFile }, port) => [
      process.execPath,
      ...HEAP_FLAGS,
      ...flags,
      `${programs}${program}`,
      supergraphFile,
      String(port),
      main,
    ],
  };
}

/** All that ours is compared with, the floor last. */
export const peerGateways: readonly Target[] = [
  peer('stock', 'stock-apollo.mjs'),
  peer('stock-undici', 'stock-apollo.mjs', 'undici'),
  peer('hive', 'hive.mjs'),
  peer('mercurius', 'mercurius.mjs'),
  peer('grafbase-rust', 'grafbase.mjs'),
  { ...peer('floor', 'floor.mjs'), path: '/' },
];

function peer(name: string, file: string, variant?: string): Target {
  return {
    name,
    path: '/graphql',
    command: (graph, port) => [
      process.execPath,
      `${peers}${file}`,
      graph.supergraphFile,
      String(port),
      variant ?? JSON.stringify(graph.subgraphUrls),
    ],
  };
}

export type { MeasuredGraph, Target };
