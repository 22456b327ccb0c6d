import { readFile } from 'node:fs/promises';
import {
  FileProblems,
  loadSubgraphSchema,
  SchemaNotReadable,
  type SubgraphSchema,
} from '@trellis/composition';
import { RegistryError } from '@trellis/registry';

/** How a command line says what runs. */
export interface RunningOptions {
  /** `posts=posts.graphql`, each. */
  readonly deployed?: readonly string[];
  /** Ask each subgraph at its routing URL. */
  readonly introspect?: boolean;
}

/**
 * The schemas of the subgraphs that run: those of `--deployed`, then what `--introspect` reads, then what was published.
 *
 * @param published the subgraphs of the head
 * @returns undefined where the command line says nothing of it
 * @throws FileProblems where a subgraph does not return its schema; Error with a system call for files
 */
export async function readRunningSubgraphs(
  { deployed = [], introspect = false }: RunningOptions,
  published: readonly SubgraphSchema[],
): Promise<ReadonlyMap<string, string> | undefined> {
  if (deployed.length === 0 && !introspect) return undefined;
  const named = new Map(await Promise.all(deployed.map(readDeployed)));
  const others = published.filter(({ name }) => !named.has(name));
  const rest = introspect ? await Promise.all(others.map(askSchema)) : others;
  return new Map([...rest.map(({ name, sdl }) => [name, sdl] as const), ...named]);
}

async function readDeployed(text: string): Promise<readonly [name: string, sdl: string]> {
  const [, name, file] = /^([A-Za-z][A-Za-z0-9_-]{0,63})=(.+)$/s.exec(text) ?? [];
  if (name === undefined || file === undefined)
    throw new RegistryError('INVALID_NAME', `--deployed takes NAME=FILE, not ${JSON.stringify(text)}.`);
  return [name, await readFile(file, 'utf8')];
}

async function askSchema({ name, routingUrl }: SubgraphSchema): Promise<SubgraphSchema> {
  try {
    return await loadSubgraphSchema({
      name,
      routingUrl,
      schema: { kind: 'address', url: routingUrl, headers: {} },
    });
  } catch (error) {
    if (!(error instanceof SchemaNotReadable)) throw error;
    throw new FileProblems([
      { code: 'SCHEMA_NOT_READABLE', message: error.message, locations: [{ source: error.source }] },
    ]);
  }
}
