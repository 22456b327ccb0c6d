import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileFailure } from '@trellis/runtime/file-failure';
import { isMap, isScalar } from 'yaml';
import type { z } from 'zod';
import { ownCodes, type Diagnostic, type SourceLocation } from './diagnostic.ts';
import { SupergraphConfigError } from './supergraph-config-error.ts';
import type { ContractRules } from './contracts/contract-rules.ts';
import {
  parseSupergraphConfig,
  type ParsedSubgraph,
  type ParsedSupergraphConfig,
} from './supergraph-config-schema.ts';
import { parseYamlDocument, type YamlDocument, type YamlProblem } from './yaml-document.ts';

/** Where a subgraph's schema comes from. */
export type SchemaSource =
  | {
      readonly kind: 'file';
      /** As written in the configuration; what diagnostics show. */
      readonly path: string;
      /** Absolute, resolved against the folder of the configuration. */
      readonly file: string;
    }
  | { readonly kind: 'address'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'text'; readonly sdl: string };

/** One subgraph of a {@link SupergraphConfig}. */
export interface SubgraphConfig {
  readonly name: string;
  /** Where a gateway sends the subgraph's requests. */
  readonly routingUrl: string;
  readonly schema: SchemaSource;
}

/** A `supergraph.yaml`, read. */
export interface SupergraphConfig {
  /** The path that was read. */
  readonly file: string;
  /** Sorted by name, because the order in the file must not show in the supergraph. */
  readonly subgraphs: readonly SubgraphConfig[];
  /** Parts of the graph for other clients. */
  readonly contracts?: readonly ContractRules[];
  /** The version that the file pins (`=2.14.4` → `2.14.4`); absent when it asks for any 2. */
  readonly exactFederationVersion?: string;
}

/**
 * Reads a file in the format of `rover supergraph compose`.
 *
 * @throws SupergraphConfigError with every problem and its line
 */
export async function readSupergraphConfig(file: string): Promise<SupergraphConfig> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const message = fileFailure(error, file);
    throw new SupergraphConfigError([invalid({ message, location: { source: file } })]);
  });
  return parseSupergraphConfigText(text, file);
}

/**
 * Reads the text of such a file.
 *
 * @param file where it is: schemas are found relative to it
 * @throws SupergraphConfigError with every problem and its line
 */
export function parseSupergraphConfigText(text: string, file: string): SupergraphConfig {
  const document = parseYamlDocument(text, file);
  if (document.problems.length > 0) throw new SupergraphConfigError(document.problems.map(invalid));
  const parsed = parseSupergraphConfig(document.value);
  if (!parsed.success)
    throw new SupergraphConfigError(
      parsed.error.issues.flatMap((issue) => describeIssue(issue, (path) => locate(document, path))),
    );
  return toConfig(parsed.data, file);
}

function toConfig(parsed: ParsedSupergraphConfig, file: string): SupergraphConfig {
  const folder = dirname(resolve(file));
  const exact = /^=(.+)$/.exec(String(parsed.federation_version ?? ''))?.[1];
  const subgraphs = Object.entries(parsed.subgraphs)
    .map(([name, subgraph]) => toSubgraph(name, subgraph, folder))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const contracts =
    parsed.contracts && Object.entries(parsed.contracts).map(([name, rules]) => ({ name, ...rules }));
  return {
    file,
    subgraphs,
    ...(contracts && { contracts }),
    ...(exact !== undefined && { exactFederationVersion: exact }),
  };
}

function toSubgraph(name: string, { routing_url, schema }: ParsedSubgraph, folder: string): SubgraphConfig {
  const routingUrl = routing_url ?? schema.subgraph_url ?? ''; // the schema demands one of them
  if (schema.file !== undefined) {
    const file = resolve(folder, schema.file);
    return { name, routingUrl, schema: { kind: 'file', path: schema.file, file } };
  }
  if (schema.subgraph_url !== undefined) {
    const headers = schema.introspection_headers ?? {};
    return { name, routingUrl, schema: { kind: 'address', url: schema.subgraph_url, headers } };
  }
  return { name, routingUrl, schema: { kind: 'text', sdl: schema.sdl ?? '' } };
}

function invalid({ message, location }: YamlProblem): Diagnostic {
  return { code: ownCodes.INVALID_CONFIG, message, locations: [location] };
}

type Path = readonly PropertyKey[];

/** An issue about several unknown keys becomes one problem a key. */
function describeIssue(
  issue: z.core.$ZodIssue,
  locateAt: (path: Path) => SourceLocation,
): readonly Diagnostic[] {
  const paths =
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
  const message = issue.code === 'unrecognized_keys' ? 'is not known here' : messageOf(issue);
  return paths.map((path) =>
    invalid({
      message: path.length === 0 ? `the file ${message}` : `${path.map(String).join('.')} ${message}`,
      location: locateAt(path),
    }),
  );
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  return issue.input === undefined && issue.code === 'invalid_type' ? 'is required' : issue.message;
}

/** The position of a key, or of the nearest existing mapping around it. */
function locate(document: YamlDocument, path: Path): SourceLocation {
  for (let length = path.length; length > 0; length -= 1) {
    const offset = keyOffset(document, path.slice(0, length));
    if (offset !== undefined) return document.locationAt(offset);
  }
  return document.locationAt();
}

function keyOffset({ nodes }: YamlDocument, path: Path): number | undefined {
  const parent: unknown = nodes.getIn(path.slice(0, -1), true);
  if (!isMap(parent)) return undefined;
  const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(path.at(-1)));
  return pair && isScalar(pair.key) ? pair.key.range?.[0] : undefined;
}
