import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, startProgram, type ProgramName } from './running-program.ts';

/** A registry in a folder, and the command line for its graph in production. */
export interface RegistryFolder {
  /** The section `registry` of a gateway.yaml that follows it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Runs a command of `trellis` on it. @throws Error with the output of a command that failed */
  run(command: ProgramName, ...args: readonly string[]): Promise<void>;
}

/** A registry in a folder, to which the command line publishes the platform's own graph. */
export interface PublishedFolder extends Pick<RegistryFolder, 'settings'> {
  /** Publishes the subgraph of users with one field more. */
  publishField(field: string): Promise<void>;
}

const GRAPH = 'content@production';
const DEADLINE_MS = 120_000;

/**
 * Makes a registry without records, and a key that signs them.
 *
 * @param directory an empty folder
 * @throws Error with the output of the command that failed
 */
export async function makeRegistry(directory: string): Promise<RegistryFolder> {
  const at = (name: string): string => join(directory, name);
  writeFileSync(at('trust.json'), await trellis('keys', ['new', '--file', at('signing-key.json')], {}));
  const environment = {
    TRELLIS_REGISTRY: at('registry'),
    TRELLIS_GRAPH: GRAPH,
    TRELLIS_SIGNING_KEY: at('signing-key.json'),
    TRELLIS_REGISTRY_TRUST: at('trust.json'),
  };
  await trellis('registry', ['init'], environment);
  return {
    settings: {
      source: at('registry'),
      graph: GRAPH,
      trust: at('trust.json'),
      directory: at('copy'),
    },
    async run(command, ...args) {
      await trellis(command, args, environment);
    },
  };
}

/**
 * Makes a registry, and publishes the platform's graph as its first record.
 *
 * @param directory an empty folder
 * @throws Error with the output of the command that failed
 */
export async function publishToFolder(directory: string): Promise<PublishedFolder> {
  const { settings, run } = await makeRegistry(directory);
  await run('publish', '--config', join(root, 'supergraph.yaml'));
  return {
    settings,
    async publishField(field) {
      const schema = readFileSync(join(root, 'services/users/src/schema.graphql'), 'utf8');
      const changed = schema.replace('  "What the user is called."', `  "New."\n  ${field}\n$&`);
      const file = join(directory, 'users.graphql');
      writeFileSync(file, changed);
      await run('publish', '--subgraph', 'users', '--schema', file);
    },
  };
}

/** @returns the standard output */
async function trellis(
  command: ProgramName,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const program = startProgram(command, { args, environment });
  const { code } = await program.ended(DEADLINE_MS);
  if (code !== 0) throw new Error(`trellis ${command} ended with ${code}:\n${program.output.all}`);
  return program.output.standard;
}
