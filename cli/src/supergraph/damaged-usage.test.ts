import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trellis, type CommandRun } from '../../testing/run-command.ts';

const SCHEMA = print(gql`
  type Query {
    me: User
    other: Int
  }
  type User {
    id: ID!
    name: String
    bio: String
  }
`);
/** For speed. */
const ONE_COMPOSER = ['--composers', 'apollo'];
const FILE = '2026-11-01T08-00-00.000Z.gateway.jsonl.gz';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'damaged-usage-'));
  await mkdir(path('usage'));
  await write(
    'supergraph.yaml',
    'subgraphs: { users: { routing_url: http://u/, schema: { file: users.graphql } } }\n',
  );
  await write('users.graphql', SCHEMA);
  const config = ['--config', path('supergraph.yaml'), '--output', path('before.graphql')];
  await trellis('compose', ...config, ...ONE_COMPOSER);
});
afterEach(() => rm(folder, { recursive: true }));

const path = (name: string): string => join(folder, name);
const write = (name: string, content: string | Buffer): Promise<void> => writeFile(path(name), content);
const lineOf = (id: string, document: string): string =>
  JSON.stringify({ id, document, clients: [{ name: 'ios', requests: 9 }] });
const HEADER = '{"format":"trellis-operations/1"}';
const USED = `${lineOf('bios', 'query Bios { me { bio } }')}\n`;
const usage = (...lines: readonly string[]): Buffer =>
  gzipSync([HEADER, ...lines].map((line) => `${line}\n`).join(''));

/** Of a change that removes a field which is recorded as used, or one that is not. */
async function checkWithout(field: 'bio' | 'name', operations = path('usage')): Promise<CommandRun> {
  await write('users.graphql', SCHEMA.replace(`${field}: String`, ''));
  const base = ['--config', path('supergraph.yaml'), '--against', path('before.graphql')];
  return trellis('check', ...base, ...ONE_COMPOSER, '--operations', operations);
}

const UNKNOWN = 'unknown: User.name: FIELD_REMOVED: User.name was removed.\n';
const warned = (place: string, what: string) =>
  expect.stringContaining(
    `warning: ${place}: INVALID_OPERATIONS: ${what}. What is missing is not taken for unused.\n`,
  ) as string;

/** A folder of usage with a whole file, and one whose bytes are as given. */
async function damage(bytes: Buffer | string): Promise<void> {
  await write(`usage/${FILE.replace('gateway', 'other')}`, usage(lineOf('me', '{ me { id } }')));
  await write(`usage/${FILE}`, bytes);
}

/** Gzip without its last bytes: the checksum and more. */
function cutOff(): Buffer {
  const documents = Array.from({ length: 200 }, (_, index) =>
    lineOf(`${index * 7919}`, `{ me { a${index * 104_729}: id } }`),
  );
  const whole = usage(USED.trim(), ...documents);
  return whole.subarray(0, whole.length - 400);
}

function withWrongChecksum(): Buffer {
  const bytes = usage(USED.trim());
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 8) ^ 1, bytes.length - 8);
  return bytes;
}

describe('Of a folder of recorded operations', () => {
  it('a file that is cut off is named with its line; what it holds is used, and what is missing is unknown', async () => {
    await damage(cutOff());
    const unknown = await checkWithout('name');
    expect([unknown.status, unknown.out]).toEqual([69, expect.stringContaining(UNKNOWN)]);
    expect(unknown.error).toMatch(
      /^warning: 2026-11-01T08-00-00\.000Z\.gateway\.jsonl\.gz:\d\d\d:1: INVALID_OPERATIONS: could not be unpacked: the file is cut off\. What/m,
    );
    const used = await checkWithout('bio');
    expect([used.status, used.out]).toEqual([1, expect.stringContaining('Bios (ios)')]);
  });

  it.each<[string, Buffer | string, string, string]>([
    [
      'whose checksum alone is missing',
      usage(USED.trim()).subarray(0, -8),
      `${FILE}:3:1`,
      'could not be unpacked: the file is cut off',
    ],
    [
      'with lines that are none',
      usage('{"id":"1"}', USED.trim(), 'half of', '{"id":"2"}'),
      `${FILE}:2:1`,
      'document: Invalid input: expected string, received undefined (and 2 more)',
    ],
    [
      'without a header',
      gzipSync(`{"format":"trellis-operations/9"}\n${USED}`),
      `${FILE}:1:1`,
      'format: Invalid input: expected "trellis-operations/1"',
    ],
  ])(
    'a file %s makes an interval incomplete, and its whole lines count',
    async (_title, bytes, place, what) => {
      await damage(bytes);
      expect(await checkWithout('name')).toMatchObject({ status: 69, error: warned(place, what) });
      expect((await checkWithout('bio')).status).toBe(1);
    },
  );

  it.each<[string, Buffer | string, string]>([
    [
      'that is empty',
      '',
      'holds neither recorded operations (trellis-operations/1, OTLP) nor a manifest of Apollo or Relay',
    ],
    [
      'of zeros',
      Buffer.alloc(64),
      'holds neither recorded operations (trellis-operations/1, OTLP) nor a manifest of Apollo or Relay',
    ],
    ['with a bit that is wrong', withWrongChecksum(), 'could not be unpacked (incorrect data check)'],
  ])('a file %s makes an interval incomplete', async (_title, bytes, what) => {
    await damage(bytes);
    expect(await checkWithout('name')).toMatchObject({ status: 69, error: warned(`${FILE}:1:1`, what) });
  });

  it('a file that is gone meanwhile makes an interval incomplete', async () => {
    await damage(usage());
    await rm(path(`usage/${FILE}`));
    await symlink(path('nowhere'), path(`usage/${FILE}`));
    expect(await checkWithout('name')).toMatchObject({
      status: 69,
      error: warned(FILE, 'could not be read (ENOENT)'),
    });
  });

  it('a whole one decides, and one that is named by itself has to be whole', async () => {
    await damage(usage());
    expect(await checkWithout('name')).toMatchObject({ status: 0, error: '' });
    await damage(cutOff());
    const named = await checkWithout('name', path(`usage/${FILE}`));
    expect([named.status, named.error]).toEqual([
      1,
      expect.stringMatching(/:\d\d\d:1: INVALID_OPERATIONS: could not be unpacked: the file is cut off\n/),
    ]);
  });

  it('a damaged file is named where operations are listed and exported, and the export says that it is incomplete', async () => {
    await damage(cutOff());
    const list = await trellis('operations', 'list', '--from', path('usage'));
    expect([list.status, list.error]).toEqual([
      0,
      expect.stringMatching(/^warning: .*: the file is cut off\./),
    ]);
    expect(list.out).toContain('Intervals are missing');
    const exported = await trellis('operations', 'export', '--from', path('usage'));
    expect([exported.status, exported.error]).toEqual([0, list.error]);
    expect(exported.out).toMatch(/^\{"format":"trellis-operations\/1","complete":false\}\n/);
    expect(exported.out).toContain('query Bios');
  });

  it('an operation whose text is none is named, and what it may use is unknown', async () => {
    await damage(usage(lineOf('broken', '{ me {')));
    expect(await checkWithout('name')).toMatchObject({
      status: 69,
      error: expect.stringContaining(
        'warning: INVALID_OPERATIONS: The text of the operation broken is no GraphQL: what it uses is not known.\n',
      ) as string,
    });
  });
});
