import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { print, type DocumentNode } from 'graphql';
import { gql } from 'graphql-tag';
import {
  FolderStore,
  generateRecordKey,
  parseLogName,
  readRelease,
  TrustedKeys,
  verifyLog,
} from '@trellis/registry';
import { createTemporaryDirectory } from '@trellis/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { OwnRelease, OwnSubgraph } from '../platform/own-release.ts';
import { describePublished, describeUnpublished } from '../platform/describe-registry.ts';
import { publishOwnRelease } from './publish-own-release.ts';

const users = subgraph(
  'users',
  gql`
    type Query {
      me: String
      you: String
    }
  `,
);
const posts = subgraph(
  'posts',
  gql`
    type Query {
      post: String
    }
  `,
);
const less = subgraph(
  'users',
  gql`
    type Query {
      me: String
    }
  `,
);

let dataDirectory: string;
const { signal } = new AbortController(); // never aborted: the limit of each test is its deadline

beforeEach(() => {
  const temporary = createTemporaryDirectory();
  onTestFinished(() => temporary.remove());
  dataDirectory = join(temporary.path, 'data');
});

describe('publishOwnRelease', () => {
  it('publishes once what stays as it is, signed with a key for its owner alone', async () => {
    const first = await publish([users, posts]);
    await expect(publish([posts, users])).resolves.toEqual({ ...first, sequence: 1 });
    expect(statSync(join(dataDirectory, 'registry-signing-key.json')).mode & 0o777).toBe(0o600);
    expect(statSync(dataDirectory).mode & 0o777).toBe(0o700);
    expect(readFileSync(first.trust, 'utf8')).not.toContain('"d"');
    await expect(versions()).resolves.toEqual({ posts: '1.2.3', users: '1.2.3' });
  });

  it('appends a change that no check would let through, and an address that has moved', async () => {
    await publish([users, posts]);
    await expect(publish([less, posts])).resolves.toMatchObject({ sequence: 2 });
    await expect(publish([{ ...less, routingUrl: 'http://b/graphql' }])).resolves.toMatchObject({
      sequence: 3,
    });
    await expect(versions()).resolves.toEqual({ posts: '1.2.3', users: '1.2.3' });
  });

  it('checks in production, with the key that is given', async () => {
    const signingKey = JSON.stringify(await generateRecordKey());
    const given = { graph: 'content@production', isChecked: true, signingKey };
    await publish([users], given);
    expect(readdirSync(dataDirectory)).toEqual(['registry', 'registry-trust.json']);
    await expect(publish([less], given)).rejects.toThrow('Clients may break: FIELD_REMOVED Query.you.');
  });

  it('says in one sentence why subgraphs do not compose', async () => {
    const error = await failureOf([
      subgraph(
        'users',
        gql`
          type Query {
            me: Missing
          }
        `,
      ),
    ]);
    expect(error).toMatch(/^The registry .+ stays as it is, and .+: The subgraphs do not compose: .*Missing/);
  });

  it.each([
    ['the mark', 'registry/registry.json'],
    ['a record', 'registry/graphs/content/environments/development/log/00000001.jws'],
    ['the key', 'registry-signing-key.json'],
  ])('changes nothing where %s is damaged', async (_what, file) => {
    await publish([users]);
    writeFileSync(join(dataDirectory, file), '{"');
    expect(await failureOf([less])).not.toContain('\n');
    expect(readFileSync(join(dataDirectory, file), 'utf8')).toBe('{"');
  });
});

describe('describePublished', () => {
  it('quotes paths for a shell', () => {
    const paths = { registry: '/it’s here/registry', trust: "/it's/trust.json", sequence: 7 };
    expect(describePublished({ graph: 'content@development' }, paths)).toEqual([
      'Registry    content@development 7; its history:',
      String.raw`            npx trellis history --registry '/it’s here/registry' --trust '/it'\''s/trust.json' --graph content@development`,
    ]);
  });
});

function subgraph(name: string, typeDefs: DocumentNode): OwnSubgraph {
  return { name, sdl: print(typeDefs), version: '1.2.3', routingUrl: `http://${name}/graphql` };
}

function publish(subgraphs: readonly OwnSubgraph[], given: Partial<OwnRelease> = {}) {
  const development = { graph: 'content@development', signingKey: undefined, isChecked: false };
  return publishOwnRelease({ dataDirectory, ...development, ...given, subgraphs }, signal);
}

async function failureOf(subgraphs: readonly OwnSubgraph[]): Promise<string> {
  const error: unknown = await publish(subgraphs).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  return describeUnpublished(dataDirectory, error);
}

/** What the newest record has. */
async function versions(): Promise<Record<string, string | undefined>> {
  const store = new FolderStore(join(dataDirectory, 'registry'));
  const trust = await TrustedKeys.parse(readFileSync(join(dataDirectory, 'registry-trust.json'), 'utf8'));
  const head = await verifyLog(store, parseLogName('content@development'), trust, { signal });
  if (!head) throw new Error('The log is empty.');
  const { subgraphs } = await readRelease(store, head.record.release, signal);
  return Object.fromEntries(subgraphs.map(({ name, version }) => [name, version]));
}
