import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repository } from '../programs/run-program.ts';

/** A service of docker-compose.yml. */
export interface ComposeService {
  readonly build?: { readonly args: { readonly DEPLOYABLE: string } };
  readonly image?: string;
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: object;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly read_only?: boolean;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

/** docker-compose.yml: its text, and its services by name. */
export interface ComposeFile {
  readonly text: string;
  readonly services: Readonly<Record<string, ComposeService>>;
}

/** Reads it, with what its services have in common filled in. */
export async function readComposeFile(): Promise<ComposeFile> {
  const text = await readFile(join(repository, 'docker-compose.yml'), 'utf8');
  const { services } = parse(text, { merge: true }) as Pick<ComposeFile, 'services'>; // as Compose reads it
  return { text, services };
}

/**
 * The environment that a service gets.
 *
 * @param given what is set around it
 * @throws Error when something is not set that has to be
 */
export function environmentIn(
  { environment = {} }: ComposeService,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(environment).map(([name, value]) => [name, interpolate(value, given)]);
  return Object.fromEntries(entries) as Record<string, string>; // texts
}

/** `${NAME}`, `${NAME:-default}` and `${NAME:?reason}`, as Compose replaces them. */
export function interpolate(value: string, environment: Readonly<Record<string, string>>): string {
  return value.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_all, name: string, operator, rest: string) => {
    const given = environment[name];
    if (given !== undefined) return given;
    if (operator === '-') return rest;
    throw new Error(`${name} is not set: ${rest}`);
  });
}
