import { Kind, type DocumentNode } from 'graphql';
import { applied } from '../changes/applied-directives.ts';

const FEDERATION = 'https://specs.apollo.dev/federation/';

/** A directive of Apollo Federation. */
export type FederationDirective =
  'key' | 'requires' | 'provides' | 'external' | 'fromContext' | 'interfaceObject';

/** The name that a subgraph's schema has for a directive of Apollo Federation. */
export type FederationNames = (directive: FederationDirective) => string;

/** Reads from the `@link` of a schema how it names the directives; Federation 1 names them as they are. */
export function federationNames(document: DocumentNode): FederationNames {
  const links = document.definitions
    .filter((node) => node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.SCHEMA_EXTENSION)
    .flatMap(({ directives }) => applied(directives, 'link'));
  const link = links.find(({ url }) => String(url).startsWith(FEDERATION));
  if (!link) return (directive) => directive;
  const prefix = typeof link['as'] === 'string' ? link['as'] : 'federation';
  const imported = new Map(importsOf(link['import']));
  return (directive) => imported.get(`@${directive}`)?.slice(1) ?? `${prefix}__${directive}`;
}

function importsOf(value: unknown): readonly [from: string, to: string][] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  return entries.map((entry): [string, string] => {
    if (typeof entry !== 'object' || entry === null) return [String(entry), String(entry)];
    const { name, as }: { readonly name?: unknown; readonly as?: unknown } = entry;
    return [String(name), typeof as === 'string' ? as : String(name)];
  });
}
