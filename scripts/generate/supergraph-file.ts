import { join } from 'node:path';
import { composeSupergraph, formatDiagnostic, readSupergraphConfig } from '@trellis/composition';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';

/**
 * graph/supergraph.graphql, composed from supergraph.yaml.
 *
 * @throws Error with every reason why the subgraphs don't compose
 */
export async function generateSupergraph(): Promise<GeneratedFile> {
  const composition = await composeSupergraph(
    await readSupergraphConfig(join(repository, 'supergraph.yaml')),
  );
  if (composition.kind === 'failed') throw new Error(composition.errors.map(formatDiagnostic).join('\n'));
  return { path: 'graph/supergraph.graphql', content: composition.supergraphSdl };
}
