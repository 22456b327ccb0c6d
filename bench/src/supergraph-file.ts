import { writeFileSync } from 'node:fs';
import { composeServices } from '@apollo/composition';
import { subgraphs } from './subgraphs/index.ts';

/**
 * Composes the measured supergraph with the subgraphs' real addresses and writes it to a file.
 *
 * @param urls name → URL
 */
export function writeSupergraph(file: string, urls: Readonly<Record<string, string>>): void {
  const definitions = subgraphs.map(({ name, typeDefs }) => ({
    name,
    url: urls[name] ?? '',
    typeDefs,
  }));
  const { supergraphSdl, errors } = composeServices(definitions);
  if (supergraphSdl === undefined) throw new Error(errors?.map(({ message }) => message).join('\n'));
  writeFileSync(file, supergraphSdl);
}
