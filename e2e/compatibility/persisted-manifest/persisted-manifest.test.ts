import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { generatePersistedQueryIdsFromManifest } from '@apollo/persisted-query-lists';
import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../../documentation/code-blocks.ts';
import { startGateway, type GatewayProcess } from '../../harness/gateway-process.ts';
import { cell } from '../cell.ts';

const run = promisify(execFile);
const package_ = createRequire(import.meta.url).resolve(
  '@apollo/generate-persisted-query-manifest/package.json',
);
const { bin } = JSON.parse(readFileSync(package_, 'utf8')) as { bin: Readonly<Record<string, string>> };
const LISTED = 'query Kind { __schema { queryType { name } } }';

interface Manifest {
  readonly format: string;
  readonly operations: {
    readonly id: string;
    readonly name: string;
    readonly type: 'query';
    readonly body: string;
  }[];
}

describe("Apollo's persisted query manifest", () => {
  let directory: TemporaryDirectory;
  let manifest: Manifest;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    directory = createTemporaryDirectory();
    const folder = directory.path;
    symlinkSync(join(repository, 'e2e/node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/app.ts'), `import { gql } from '@apollo/client';\ngql\`${LISTED}\`;\n`);
    const program = join(package_, '..', Object.values(bin)[0] ?? '');
    await run(process.execPath, [program], { cwd: folder });
    manifest = JSON.parse(readFileSync(join(folder, 'persisted-query-manifest.json'), 'utf8')) as Manifest;
    writeFileSync(
      join(folder, 'gateway.yaml'),
      'persistedQueries: { mode: safelist, manifests: [persisted-query-manifest.json] }',
    );
    gateway = await startGateway({
      supergraph: join(repository, 'graph/supergraph.graphql'),
      environment: { CONFIG: join(folder, 'gateway.yaml') },
    });
  });
  afterAll(async () => {
    await gateway.stop();
    directory.remove();
  });

  it(cell("Apollo's persisted query manifest", 'compiler'), async () => {
    expect(manifest).toMatchObject({
      format: 'apollo-persisted-query-manifest',
      operations: [{ name: 'Kind' }],
    });
  });

  it(cell("Apollo's persisted query manifest", 'persisted query'), async () => {
    const ids = generatePersistedQueryIdsFromManifest({ loadManifest: () => Promise.resolve(manifest) });
    const link = new PersistedQueryLink(ids).concat(new HttpLink({ uri: gateway.graph }));
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    expect((await client.query({ query: gql(LISTED) })).data).toMatchObject({ __schema: {} });
    const unlisted = new ApolloClient({
      link: new HttpLink({ uri: gateway.graph }),
      cache: new InMemoryCache(),
    });
    await expect(unlisted.query({ query: gql('query Other { __schema { __typename } }') })).rejects.toThrow(
      /safelist/,
    );
    client.stop();
    unlisted.stop();
  });
});
