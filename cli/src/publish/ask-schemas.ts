import { loadSubgraphSchema, problemOfSubgraph, SchemaNotReadable } from '@trellis/composition';
import { RegistryError } from '@trellis/registry';
import { INTROSPECTION_SECRET_HEADER } from '@trellis/subgraph-protocol';
import type { Environment } from '../registry/registry-access.ts';

/** A subgraph and where it runs. */
export interface AskedSubgraph {
  readonly name: string;
  readonly routingUrl: string;
}

/** What is known of the subgraphs that run. */
export interface RunningSubgraphs {
  /** Their schemas. Of other subgraphs both versions may run: that of the environment, and that of the release. */
  readonly schemas: ReadonlyMap<string, string>;
  /** Subgraphs that were asked in vain, a sentence each. */
  readonly unknown: readonly string[];
}

/** Each has that long to respond. */
const TIMEOUT_MS = 10_000;

/**
 * Asks subgraphs for the schemas that they run with. One that does not respond, or with a text that is no schema, is unknown.
 *
 * @param headers of each request; they may be secrets, so no redirection is followed
 */
export async function askSchemas(
  asked: readonly AskedSubgraph[],
  headers: Readonly<Record<string, string>>,
): Promise<RunningSubgraphs> {
  const responses = await Promise.all(asked.map((subgraph) => askSchema(subgraph, headers)));
  const schemas = responses.flatMap(({ name, sdl }) => (sdl === undefined ? [] : [[name, sdl] as const]));
  const unknown = responses.flatMap(({ name, problem }) =>
    problem === undefined
      ? []
      : [`${name} may run as published before, and as it will be: ${problem.replace(/\.?$/, '.')}`],
  );
  return { schemas: new Map(schemas), unknown };
}

/**
 * The headers that subgraphs are asked with: those of the command line, and the secret of `TRELLIS_INTROSPECTION_SECRET`.
 *
 * @param given `NAME=VALUE`, each
 * @throws RegistryError INVALID_NAME; it does not name the value
 */
export function headersOf(given: readonly string[], env: Environment): Readonly<Record<string, string>> {
  const secret = env['TRELLIS_INTROSPECTION_SECRET'];
  const own = secret ? [[INTROSPECTION_SECRET_HEADER, secret] as const] : [];
  const named = given.map((text) => {
    const [, name = '', value = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    return [name.toLowerCase(), value] as const;
  });
  const all = [...own, ...named];
  // The error of fetch would show the value.
  if (!all.every(([name, value]) => isHeader(name, value)))
    throw new RegistryError(
      'INVALID_NAME',
      '--header takes NAME=VALUE, and TRELLIS_INTROSPECTION_SECRET a value, as HTTP has headers.',
    );
  return Object.fromEntries(all);
}

function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]+$/.test(value);
}

interface AskedSchema {
  readonly name: string;
  readonly sdl?: string;
  readonly problem?: string;
}

async function askSchema(
  { name, routingUrl }: AskedSubgraph,
  headers: Readonly<Record<string, string>>,
): Promise<AskedSchema> {
  try {
    const schema = { kind: 'address', url: routingUrl, headers } as const;
    const options = { timeoutMs: TIMEOUT_MS, fetch: withoutRedirections };
    const { sdl } = await loadSubgraphSchema({ name, routingUrl, schema }, options);
    const problem = problemOfSubgraph(sdl);
    return problem === undefined ? { name, sdl } : { name, problem: `Its schema is invalid: ${problem}` };
  } catch (error) {
    if (error instanceof SchemaNotReadable) return { name, problem: error.message };
    throw error;
  }
}

const withoutRedirections: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });
