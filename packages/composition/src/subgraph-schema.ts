import { createReadStream } from 'node:fs';
import { fileFailure, isFileFailure } from '@trellis/runtime/file-failure';
import type { SchemaSource, SubgraphConfig } from './supergraph-config.ts';

/** A subgraph with the text of its schema. */
export interface SubgraphSchema {
  readonly name: string;
  readonly routingUrl: string;
  readonly sdl: string;
  /** What diagnostics show as the file: a path or an address. */
  readonly source: string;
}

/** What {@link loadSubgraphSchema} needs for schemas that come from an address. */
export interface LoadOptions {
  /** Milliseconds for a subgraph to answer. @default 10_000 */
  readonly timeoutMs?: number;
  /** @default globalThis.fetch */
  readonly fetch?: typeof fetch;
  /** Reads a file by its absolute path. @default from the file system */
  readonly readText?: ((file: string) => Promise<string>) | undefined;
}

/** A schema that could not be had; the message says why. */
export class SchemaNotReadable extends Error {
  override readonly name = 'SchemaNotReadable';
  readonly source: string;

  constructor(source: string, message: string) {
    super(message);
    this.source = source;
  }
}

/**
 * Reads a subgraph's schema from its file, its address (`{ _service { sdl } }`) or the configuration itself.
 *
 * @throws SchemaNotReadable
 */
export async function loadSubgraphSchema(
  { name, routingUrl, schema }: SubgraphConfig,
  options: LoadOptions = {},
): Promise<SubgraphSchema> {
  return { name, routingUrl, sdl: await readSdl(schema, options), source: sourceName(name, schema) };
}

function sourceName(name: string, schema: SchemaSource): string {
  if (schema.kind === 'file') return schema.path;
  return schema.kind === 'address' ? schema.url : `the sdl of ${name}`;
}

/** The largest schema of a subgraph, and the largest response that has one: 16 MiB. */
const MAX_BYTES = 16 * 1024 * 1024;

function readUtf8(file: string): Promise<string> {
  return readCapped(createReadStream(file));
}

/** @throws Error as soon as there are more bytes than a schema may have */
async function readCapped(source: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function readSdl(schema: SchemaSource, options: LoadOptions): Promise<string> {
  switch (schema.kind) {
    case 'text':
      return schema.sdl;
    case 'file':
      return (options.readText ?? readUtf8)(schema.file).catch((error: NodeJS.ErrnoException) => {
        throw new SchemaNotReadable(schema.path, whyUnread(error, schema.path));
      });
    case 'address':
      return askSubgraph(schema, options);
    default:
      return schema satisfies never;
  }
}

function whyUnread(error: NodeJS.ErrnoException, path: string): string {
  return isFileFailure(error)
    ? fileFailure(error, path)
    : `The file could not be read (${error.code ?? error.message}).`;
}

async function askSubgraph(
  { url, headers }: Extract<SchemaSource, { kind: 'address' }>,
  options: LoadOptions,
): Promise<string> {
  const send = options.fetch ?? fetch;
  try {
    const response = await send(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: '{ _service { sdl } }' }),
      signal: AbortSignal.timeout(options.timeoutMs ?? 10_000),
    });
    const text = response.body ? await readCapped(response.body) : '';
    return sdlOf(JSON.parse(text), response.status);
  } catch (error) {
    throw new SchemaNotReadable(
      url,
      `The subgraph did not return its schema: ${reasonOf(error).replace(/\.$/, '')}.`,
    );
  }
}

function sdlOf(result: unknown, status: number): string {
  const { data, errors } = (result ?? {}) as ServiceResponse; // checked member by member below
  const sdl = data?._service?.sdl;
  if (typeof sdl === 'string') return sdl;
  const said = errors?.[0]?.message;
  throw new Error(typeof said === 'string' ? said : `its response (status ${status}) holds no _service.sdl`);
}

interface ServiceResponse {
  readonly data?: { readonly _service?: { readonly sdl?: unknown } | null } | null;
  readonly errors?: readonly { readonly message?: unknown }[];
}

/** The cause of fetch's "fetch failed" is what an operator can act on. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
