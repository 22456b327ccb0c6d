import { loadSubgraphSchema, problemOfSubgraph, SchemaNotReadable } from '@trellis/composition';
import { headersFor, whatWasNotSent, type SchemaCredentials } from './schema-credentials.ts';

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

/** The longest schema that a registry takes. */
export const MAX_SCHEMA_LENGTH: number = 8 * 1024 * 1024;
/** Each has that long to respond. */
const TIMEOUT_MS = 10_000;
/** So many are asked at a time. */
const MAX_REQUESTS = 8;

/**
 * Asks subgraphs for the schemas that they run with. One that does not respond, or with a text that is no schema, is unknown.
 *
 * @param credentials may be secrets, so no redirection is followed
 */
export async function askSchemas(
  asked: readonly AskedSubgraph[],
  credentials: SchemaCredentials,
): Promise<RunningSubgraphs> {
  const responses = await askAll(asked, credentials);
  const schemas = responses.flatMap(({ name, sdl }) => (sdl === undefined ? [] : [[name, sdl] as const]));
  const unknown = responses.flatMap(({ name, problem }) =>
    problem === undefined
      ? []
      : [`${name} may run as published before, and as it will be: ${problem.replace(/\.?$/, '.')}`],
  );
  return { schemas: new Map(schemas), unknown };
}

interface AskedSchema {
  readonly name: string;
  readonly sdl?: string;
  readonly problem?: string;
}

/** @returns in the order of `asked` */
async function askAll(
  asked: readonly AskedSubgraph[],
  credentials: SchemaCredentials,
): Promise<readonly AskedSchema[]> {
  const responses: AskedSchema[] = [];
  const left = asked.entries();
  const askOneByOne = async (): Promise<void> => {
    for (const [index, subgraph] of left) responses[index] = await askSchema(subgraph, credentials);
  };
  await Promise.all(Array.from({ length: MAX_REQUESTS }, askOneByOne));
  return responses;
}

async function askSchema(
  { name, routingUrl }: AskedSubgraph,
  credentials: SchemaCredentials,
): Promise<AskedSchema> {
  try {
    const headers = headersFor(credentials, routingUrl);
    const schema = { kind: 'address', url: routingUrl, headers } as const;
    const options = { timeoutMs: TIMEOUT_MS, fetch: withoutRedirections };
    const { sdl } = await loadSubgraphSchema({ name, routingUrl, schema }, options);
    if (sdl.length > MAX_SCHEMA_LENGTH) return { name, problem: 'Its schema has more than 8 MiB.' };
    const problem = problemOfSubgraph(sdl);
    return problem === undefined ? { name, sdl } : { name, problem: `Its schema is invalid: ${problem}` };
  } catch (error) {
    if (!(error instanceof SchemaNotReadable)) throw error;
    const notSent = whatWasNotSent(credentials, routingUrl);
    return { name, problem: notSent === undefined ? error.message : `${error.message} ${notSent}` };
  }
}

const withoutRedirections: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });
