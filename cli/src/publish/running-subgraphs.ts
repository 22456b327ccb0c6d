import { RegistryError } from '@trellis/registry';
import type { Environment } from '../registry/registry-access.ts';
import { readNamedFile } from '../supergraph/named-file.ts';
import { askSchemas, type AskedSubgraph, type RunningSubgraphs } from './ask-schemas.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { PublicationRejected } from './publication-rejected.ts';
import { rejection } from './run-registry-action.ts';
import { schemaCredentials, type CredentialOptions } from './schema-credentials.ts';

/** How a command line says what runs. */
export interface RunningOptions extends CredentialOptions {
  /** `posts=posts.graphql`, each. */
  readonly deployed?: readonly string[];
  /** Ask each other subgraph at its address. */
  readonly introspect?: boolean;
}

/**
 * The schemas of the subgraphs that run: those of `--deployed`, then what `--introspect` reads.
 *
 * @param asked the subgraphs that run; called where they are asked
 * @returns undefined where the command line says nothing of what runs
 * @throws RegistryError INVALID_NAME for an option that is none; Error with a system call for files
 */
export async function readRunningSubgraphs(
  { deployed = [], introspect = false, header = [], introspectOrigins }: RunningOptions,
  env: Environment,
  asked: () => Promise<readonly AskedSubgraph[]>,
): Promise<RunningSubgraphs | undefined> {
  if (!introspect && (header.length > 0 || introspectOrigins !== undefined))
    throw new RegistryError(
      'INVALID_NAME',
      '--header and --introspect-origins go with --introspect: they are for what that asks.',
    );
  if (deployed.length === 0 && !introspect) return undefined;
  const named = new Map(await Promise.all(deployed.map(readDeployed)));
  if (!introspect) return { schemas: named, unknown: [] };
  const credentials = schemaCredentials(
    { header, ...(introspectOrigins !== undefined && { introspectOrigins }) },
    env,
  );
  const { schemas, unknown } = await askSchemas(
    (await asked()).filter(({ name }) => !named.has(name)),
    credentials,
  );
  return { schemas: new Map([...schemas, ...named]), unknown };
}

/** Has a change made, and says of whom it is not known what runs. */
export async function withUnknown(
  running: RunningSubgraphs | undefined,
  change: () => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const unknown = running?.unknown ?? [];
  if (unknown.length === 0) return change();
  const outcome = await change().catch((error: unknown) => {
    if (error instanceof PublicationRejected) return rejection(error);
    throw error;
  });
  const lines = [...unknown.map((one) => `unknown: ${one}`), ...outcome.lines];
  return { ...outcome, lines, document: { ...outcome.document, unknown } };
}

async function readDeployed(text: string): Promise<readonly [name: string, sdl: string]> {
  const [, name, file] = /^([A-Za-z][A-Za-z0-9_-]{0,63})=(.+)$/s.exec(text) ?? [];
  if (name === undefined || file === undefined)
    throw new RegistryError('INVALID_NAME', `--deployed takes NAME=FILE, not ${JSON.stringify(text)}.`);
  return [name, await readNamedFile(file)];
}
