import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSupergraphConfig } from '@trellis/composition';
import { expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';

it('the example of docs/composition.md is a configuration that can be read', async () => {
  const page = await readFile(join(repository, 'docs/composition.md'), 'utf8');
  const [, example = ''] = /^```yaml supergraph\n([^]*?)^```$/m.exec(page) ?? [];
  const folder = await mkdtemp(join(tmpdir(), 'supergraph-example-'));
  await writeFile(join(folder, 'supergraph.yaml'), example);
  const { subgraphs } = await readSupergraphConfig(join(folder, 'supergraph.yaml'));
  await rm(folder, { recursive: true });
  expect(subgraphs.map(({ name, schema }) => [name, schema.kind])).toEqual([
    ['comments', 'address'],
    ['posts', 'file'],
    ['users', 'file'],
  ]);
});
