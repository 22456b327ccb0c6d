import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger, createMetrics } from '@trellis/runtime';
import { createUserContextVerifier } from '@trellis/subgraph-protocol';
import { createTestUserContext, type TestUserContext } from '@trellis/testkit';
import { createLocalJWKSet } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildSubgraphServer, type SubgraphServer } from './build-subgraph-server.ts';
import { uploadScalar, type UploadedFile, type UploadOptions } from './uploads.ts';

const RESOLVER_TIMEOUT_MS = 100;

let keys: TestUserContext;
let server: SubgraphServer;
let url: string;
/** What became of each file that a resolver has read. */
const read: string[] = [];
/** Files that a resolver has begun with. */
const opened: string[] = [];

async function store(file: UploadedFile): Promise<string> {
  const { filename, mediaType, bytes } = await file.open();
  opened.push(filename);
  let size = 0;
  if (filename === 'slow.png') await pause(2 * RESOLVER_TIMEOUT_MS);
  try {
    for await (const chunk of bytes) size += (chunk as Buffer).length;
  } catch (error) {
    read.push(`${filename} failed`);
    throw error;
  }
  read.push(`${filename} ${mediaType} ${size}`);
  return read.at(-1) ?? '';
}

const resolvers = {
  Upload: uploadScalar,
  Mutation: {
    store: (_: unknown, { file }: { file: UploadedFile }) => store(file),
    storeAlbum: async (_: unknown, { album }: { album: { files: readonly UploadedFile[] } }) => {
      for (const file of album.files) await store(file);
      return read.join(', ');
    },
    ignore: () => 'ignored',
  },
};

async function build(uploads?: UploadOptions): Promise<SubgraphServer> {
  const built = await buildSubgraphServer({
    logger: createLogger({ service: 'pictures', destination: { write: () => undefined } }),
    metrics: createMetrics('pictures'),
    verifier: createUserContextVerifier({
      subgraph: 'pictures',
      keys: createLocalJWKSet({ keys: [...keys.jwks.keys] }),
    }),
    typeDefs: new URL('fixtures/pictures.graphql', import.meta.url),
    resolvers,
    createContext: ({ userContext }) => ({ userContext }),
    development: false,
    resolverTimeoutMs: RESOLVER_TIMEOUT_MS,
    ...(uploads && { uploads }),
  });
  await built.listen({ port: 0, host: '127.0.0.1' });
  return built;
}

function addressOf(built: SubgraphServer): string {
  const { port } = built.server.address() as AddressInfo; // it listens on a port
  return `http://127.0.0.1:${port}/graphql`;
}

beforeAll(async () => {
  keys = await createTestUserContext();
  server = await build({ files: 2, fileBytes: 2_000_000, timeoutMs: 5_000 });
  url = addressOf(server);
});
beforeEach(() => void read.splice(0));
afterAll(() => server.close());

type Part = readonly [name: string, value: string | Blob, filename?: string];

const operations = (query: string, variables: object): readonly [string, string] => [
  'operations',
  JSON.stringify({ query, variables }),
];
const mapOf = (map: unknown): readonly [string, string] => ['map', JSON.stringify(map)];
const file = (name: string, bytes = 10): Part => [
  name,
  new Blob(['x'.repeat(bytes)], { type: 'image/png' }),
  `${name}.png`,
];

const STORE = 'mutation ($file: Upload!) { store(file: $file) }';
const OPERATIONS = operations(STORE, { file: null });
const MAP = mapOf({ 0: ['variables.file'] });
const one = [OPERATIONS, MAP];

async function send(parts: readonly Part[], address = url, isSigned = true) {
  const body = new FormData();
  for (const [name, value, filename] of parts)
    if (typeof value === 'string') body.append(name, value);
    else body.append(name, value, filename);
  const context = isSigned ? { 'trellis-user-context': await keys.sign('pictures', { scopes: [] }) } : {};
  const response = await fetch(address, { method: 'POST', headers: context, body });
  const text = await response.text();
  return {
    status: response.status,
    ...(JSON.parse(text) as { data?: unknown; errors?: readonly { message: string }[] }),
  };
}

describe('A subgraph that takes uploads', () => {
  it('gives a resolver a file with name, type and bytes, and more time than others have', async () => {
    const slow = [operations(STORE, { file: null }), mapOf({ slow: ['variables.file'] })];
    expect(await send([...slow, file('slow', 2_000_000)])).toEqual({
      status: 200,
      data: { store: 'slow.png image/png 2000000' },
    });
  });

  it('gives it files within inputs, one behind the other', async () => {
    const query = 'mutation ($album: Album!) { storeAlbum(album: $album) }';
    const map = { a: ['variables.album.files.0'], b: ['variables.album.files.1'] };
    const album = { title: 'Two', files: [null, null] };
    const { data } = await send([operations(query, { album }), mapOf(map), file('a', 500_000), file('b')]);
    expect(data).toEqual({ storeAlbum: 'a.png image/png 500000, b.png image/png 10' });
  });

  it('responds when a resolver has left a file unread', async () => {
    const query = 'mutation ($file: Upload) { ignore(file: $file) }';
    const parts = [operations(query, { file: null }), mapOf({ 0: ['variables.file'] }), file('0', 1_900_000)];
    expect(await send(parts)).toEqual({ status: 200, data: { ignore: 'ignored' } });
  });

  it.each<[string, readonly Part[], string]>([
    [
      'larger than allowed',
      [...one, file('0', 2_000_001)],
      'The file "0" is too large. The maximum is 2000000 bytes.',
    ],
    ['missing', one, 'The file "0" of the map is missing.'],
    ['not in the map', [...one, file('1')], 'The part "1" is not in the map.'],
  ])('fails the field of a file that is %s', async (_, parts, message) => {
    const { data, errors } = await send(parts);
    expect([data, errors?.[0]?.message, read.filter((line) => !line.endsWith('failed'))]).toEqual([
      { store: null },
      message,
      [],
    ]);
  });

  it.each<[string, readonly Part[], number, string]>([
    [
      'a map of more files than allowed',
      [OPERATIONS, mapOf({ 0: ['variables.file'], 1: ['variables.file'], 2: ['variables.file'] })],
      413,
      'The map has 3 files. The maximum is 2.',
    ],
    [
      'files before the map',
      [OPERATIONS, file('0'), MAP],
      400,
      'The parts of the body are "operations", "map" and then the files, in this order.',
    ],
    [
      'a place in the prototype',
      [OPERATIONS, mapOf({ 0: ['variables.__proto__.x'] }), file('0')],
      400,
      'A place in the part "map" is not null in the part "operations".',
    ],
    [
      'operations that are a list',
      [['operations', '[]'], mapOf({})],
      400,
      'The part "operations" is a JSON object: one operation.',
    ],
    [
      'no file for an argument that needs one',
      [operations(STORE, { file: 'x' }), mapOf({})],
      400,
      'Variable "$file" got invalid value "x"; A file comes in a part of a multipart request.',
    ],
  ])('rejects %s', async (_, parts, status, message) => {
    const response = await send(parts);
    expect([response.status, response.errors?.[0]?.message]).toEqual([status, message]);
    expect(read).toEqual([]);
  });

  it('never takes a file that stands in two places for an empty one', async () => {
    const query = 'mutation ($album: Album!) { storeAlbum(album: $album) }';
    const album = { title: 'Twice', files: [null, null] };
    const map = { a: ['variables.album.files.0', 'variables.album.files.1'] };
    const { data, errors } = await send([operations(query, { album }), mapOf(map), file('a')]);
    expect([data, errors?.[0]?.message]).toEqual([{ storeAlbum: null }, 'The file "a" was opened before.']);
    expect(read).toEqual(['a.png image/png 10']);
  });

  it('fails a file whose resolver takes longer than it may, so that what it stored is deleted', async () => {
    const hasty = await build({ timeoutMs: RESOLVER_TIMEOUT_MS });
    const slow = [operations(STORE, { file: null }), mapOf({ slow: ['variables.file'] })];
    const { errors } = await send([...slow, file('slow', 1_900_000)], addressOf(hasty));
    expect(errors?.[0]?.message).toContain('took longer than');
    await expect.poll(() => read).toEqual(['slow.png failed']);
    await hasty.close();
  });

  it.each<[string, string, string | undefined]>([
    ['as it is', 'a.png', undefined],
    ['with an override', 'a\u202egnp.exe', 'must not hold characters that change the direction of text'],
    ['with the character zero', 'a\0.png', 'must be well-formed Unicode without the character zero'],
  ])('L1: takes the name of a file %s, or no file', async (_, filename, problem) => {
    const { errors } = await send([...one, ['0', new Blob(['x']), filename]]);
    expect(errors?.[0]?.message).toBe(problem && `The name of a file ${problem}.`);
    expect(read.filter((line) => !line.endsWith('failed'))).toHaveLength(problem === undefined ? 1 : 0);
  });

  it('reads no body without a valid user context', async () => {
    const { status, errors } = await send([...one, file('0')], url, false);
    expect([status, errors?.length, read]).toEqual([401, 1, []]);
  });

  /** Sends what is written, and is cut off when a resolver has begun with the file: so the gateway takes a request back. */
  async function sendCut(operation: string, map: string, files: string): Promise<void> {
    const request = httpRequest(url, {
      method: 'POST',
      headers: {
        'content-type': 'multipart/form-data; boundary=x',
        'trellis-user-context': await keys.sign('pictures', { scopes: [] }),
      },
    });
    request.on('error', () => undefined); // it is destroyed below
    request.write(`${head('operations')}${operation}\r\n${head('map')}${map}\r\n${files}`);
    await expect.poll(() => opened).toContain('cut.png');
    request.destroy();
  }

  const head = (name: string, more = ''): string =>
    `--x\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;

  it('fails a file whose request is cut off', async () => {
    await sendCut(OPERATIONS[1], MAP[1], `${head('0', '; filename="cut.png"')}${'x'.repeat(100_000)}`);
    await expect.poll(() => read).toEqual(['cut.png failed']);
  });

  it('takes none unless it is said', async () => {
    const without = await build();
    const { status } = await send([...one, file('0')], addressOf(without));
    await without.close();
    expect([status, read]).toEqual([415, []]);
  });
});
