import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { GatewayBuild, Target } from '../targets/index.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** A checkout of this repository whose servers are measured. */
export interface Checkout {
  readonly directory: string;
  /** Arguments of Node that start its auth-server. */
  readonly authServer: readonly string[];
  /** Its gateway, started by a program of its `bench/`; by ours where it has none of that name. */
  readonly target: (program: string) => Target;
}

/** How a server is started: from what, and with which conditions. */
const BUILDS: Readonly<Record<GatewayBuild, { readonly flags: readonly string[]; readonly main: string }>> = {
  compiled: { flags: [], main: 'dist/main.js' },
  source: { flags: ['--conditions=trellis-source', '--import', 'tsx'], main: 'src/main.ts' },
};

/**
 * Opens a checkout that is compiled. Its gateway runs with the flags that it has itself.
 *
 * @param directory of this repository by default
 * @throws Error when there is no compiled gateway or auth-server in it
 */
export async function openCheckout(
  directory: string = repository,
  build: GatewayBuild = 'compiled',
): Promise<Checkout> {
  const root = resolve(directory);
  const { flags, main } = BUILDS[build];
  for (const server of ['gateway', 'auth-server'])
    if (!existsSync(join(root, server, main)))
      throw new Error(`${root} has no compiled ${server}. In it: npm run build`);
  const heapFlags = await heapFlagsOf(root, build);
  return {
    directory: root,
    authServer: [...flags, join(root, 'auth-server', main)],
    target: (program) => ({
      name: root,
      path: '/graphql',
      command: ({ supergraphFile }, port) => [
        process.execPath,
        ...heapFlags,
        ...flags,
        programOf(root, program),
        supergraphFile,
        String(port),
        pathToFileURL(join(root, 'gateway', main)).href,
      ],
    }),
  };
}

function programOf(root: string, program: string): string {
  const own = join(root, 'bench', program);
  return existsSync(own) ? own : join(repository, 'bench', program);
}

async function heapFlagsOf(root: string, build: GatewayBuild): Promise<readonly string[]> {
  const text = readFileSync(join(root, 'gateway/package.json'), 'utf8');
  const { exports } = JSON.parse(text) as { exports: Record<string, Record<string, string>> }; // of our own package
  const file = exports['./heap-flags']?.[build === 'source' ? 'trellis-source' : 'default'];
  if (file === undefined) return [];
  const { HEAP_FLAGS } = (await import(pathToFileURL(join(root, 'gateway', file)).href)) as {
    HEAP_FLAGS: readonly string[];
  };
  return HEAP_FLAGS;
}
