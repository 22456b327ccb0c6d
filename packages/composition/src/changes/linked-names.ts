import { Kind, type DocumentNode } from 'graphql';
import { applied } from './applied-directives.ts';

const TAG = 'https://specs.apollo.dev/tag';

/** The name that `@tag` has in a supergraph. Undefined where it has none. */
export function tagDirectiveOf(document: DocumentNode): string | undefined {
  return linkedDirective(document, TAG, 'tag');
}

/** The name of the main directive of a specification in a supergraph: that of its `@link`. */
export function linkedDirective(document: DocumentNode, url: string, name: string): string | undefined {
  const links = document.definitions
    .filter((node) => node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.SCHEMA_EXTENSION)
    .flatMap(({ directives }) => applied(directives, 'link'));
  const link = links.find((values) => String(values['url']).startsWith(`${url}/`));
  if (!link) return undefined;
  return typeof link['as'] === 'string' ? link['as'] : (importedAs(link['import'], name) ?? name);
}

function importedAs(imports: unknown, name: string): string | undefined {
  const entries: readonly unknown[] = Array.isArray(imports) ? imports : [];
  for (const entry of entries) {
    if (typeof entry !== 'object' || entry === null) continue;
    const { name: from, as: to }: { readonly name?: unknown; readonly as?: unknown } = entry;
    if (from === `@${name}` && typeof to === 'string') return to.slice(1);
  }
  return undefined;
}
