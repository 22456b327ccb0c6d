import { join } from 'node:path';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { format, resolveConfig } from 'prettier';
import { buildClientSchema } from 'trellis/programs';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';
import { generateSupergraph } from './supergraph-file.ts';

const path = 'docs/api.graphql';
const NOTICE =
  '# What clients of the graph see. Generated from the subgraphs\' schemas by "npm run generate"; every change of it is a change of\n# the contract, and reviewed as such.\n\n';

/**
 * docs/api.graphql: the schema as clients see it, with the directives that they may send, in alphabetical order, so that a
 * review shows what changes for them.
 *
 * @throws Error with every reason why the subgraphs don't compose
 */
export async function generateApiSchema(): Promise<GeneratedFile> {
  const { content: supergraph } = await generateSupergraph();
  const text = printSchema(lexicographicSortSchema(buildClientSchema(supergraph)));
  const options = (await resolveConfig(join(repository, path))) ?? {};
  return { path, content: await format(NOTICE + text, { ...options, parser: 'graphql' }) };
}
