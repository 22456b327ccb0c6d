import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  brief,
  file,
  mapOf,
  one,
  ONE,
  operations,
  startUploadStage,
  type Part,
  type UploadStage,
} from '../../testing/upload-stage.ts';
import { readGatewayResponse } from '../../testing/test-gateway.ts';

let stage: UploadStage;
let pictures: UploadStage['pictures'];
let sounds: UploadStage['sounds'];
let gateway: UploadStage['gateway'];
let send: UploadStage['send'];
beforeAll(async () => {
  stage = await startUploadStage();
  ({ pictures, sounds, gateway, send } = stage);
});
beforeEach(() => stage.forget());
afterAll(() => stage.close());

describe('what can not be passed on is rejected before anything is executed', () => {
  const both = 'mutation ($a: Upload, $b: Upload!) { pictures(file: $a) sounds(file: $b) }';
  const two = { a: null, b: null };

  it.each<[string, readonly Part[], readonly [number, string]]>([
    ['files before the map', [one[0], file('a'), one[1]], [400, 'UPLOAD_OUT_OF_ORDER']],
    ['a map before the operations', [one[1], one[0], file('a')], [400, 'UPLOAD_OUT_OF_ORDER']],
    ['no map', [one[0]], [400, 'UPLOAD_OUT_OF_ORDER']],
    [
      'a map in another order than the mutation',
      [operations(both, two), mapOf({ b: ['variables.b'], a: ['variables.a'] }), file('b'), file('a')],
      [400, 'UPLOAD_OUT_OF_ORDER'],
    ],
    [
      'a file of two subgraphs',
      [
        operations('mutation ($a: Upload!) { pictures(file: $a) sounds(file: $a) }', { a: null }),
        mapOf({ a: ['variables.a'] }),
        file('a'),
      ],
      [400, 'UPLOAD_NOT_FORWARDABLE'],
    ],
    [
      'a file of two variables of two subgraphs',
      [operations(both, two), mapOf({ a: ['variables.a', 'variables.b'] }), file('a')],
      [400, 'UPLOAD_NOT_FORWARDABLE'],
    ],
    [
      'a batch',
      [
        ['operations', JSON.stringify([{ query: ONE, variables: { file: null } }])],
        mapOf({ a: ['0.variables.file'] }),
        file('a'),
      ],
      [400, 'UPLOAD_NOT_FORWARDABLE'],
    ],
    [
      'a query',
      [operations('query ($file: Upload) { picture(file: $file) }', { file: null }), one[1], file('a')],
      [400, 'UPLOAD_NOT_FORWARDABLE'],
    ],
    [
      'a subscription',
      [
        operations('subscription ($file: Upload) { watched(file: $file) }', { file: null }),
        one[1],
        file('a'),
      ],
      [400, 'BAD_REQUEST'],
    ],
    ['a place that is not null', [operations(ONE, { file: 'x' }), one[1], file('a')], [400, 'BAD_REQUEST']],
    ['a place that does not exist', [operations(ONE, {}), one[1], file('a')], [400, 'BAD_REQUEST']],
    [
      'a place in the prototype',
      [operations(ONE, { file: null }), mapOf({ a: ['variables.__proto__.x'] }), file('a')],
      [400, 'BAD_REQUEST'],
    ],
    [
      'a map that is none',
      [operations(ONE, { file: null }), mapOf([['variables.file']]), file('a')],
      [400, 'BAD_REQUEST'],
    ],
    [
      'a map that is no JSON',
      [operations(ONE, { file: null }), ['map', '{'], file('a')],
      [400, 'BAD_REQUEST'],
    ],
    [
      'a text that no request may hold',
      [operations(ONE, { file: null, note: 'a\u0000b' }), one[1], file('a')],
      [400, 'BAD_REQUEST'],
    ],
    [
      'variables that nest too deep',
      [
        ['operations', `{"query":"{a}","variables":{"a":${'['.repeat(500)}${']'.repeat(500)}}}`],
        one[1],
        file('a'),
      ],
      [400, 'BAD_REQUEST'],
    ],
    [
      'a name that is too long',
      [one[0], mapOf({ ['a'.repeat(101)]: ['variables.file'] })],
      [400, 'BAD_REQUEST'],
    ],
    ['operations that are no JSON', [['operations', '{'], one[1], file('a')], [400, 'BAD_REQUEST']],
    [
      'a variable that takes no file',
      [
        operations('mutation ($any: JSON) { pictures(any: $any) }', { any: { deep: null } }),
        mapOf({ a: ['variables.any.deep'] }),
        file('a'),
      ],
      [200, 'BAD_USER_INPUT'],
    ],
    [
      'a text where a file is',
      [
        operations('mutation ($note: String) { pictures(note: $note) }', { note: null }),
        mapOf({ a: ['variables.note'] }),
        file('a'),
      ],
      [200, 'BAD_USER_INPUT'],
    ],
    ['no operation', [operations('', { file: null }), one[1], file('a')], [400, 'BAD_REQUEST']],
  ])('%s', async (_, parts, expected) => {
    expect(brief(await send(parts))).toEqual(expected);
    await pause(20);
    expect([pictures.uploads, sounds.uploads, pictures.broken(), sounds.broken()]).toEqual([[], [], 0, 0]);
  });

  it('a body that is not multipart/form-data after all', async () => {
    const headers = { 'content-type': 'multipart/form-data' };
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { ...headers, 'content-type': type },
        body: '{}',
      });
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(416);
    }
  });

  it('the connection can be used again', async () => {
    for (let index = 0; index < 3; index += 1)
      expect(
        brief(
          await send([
            operations('query ($file: Upload) { picture(file: $file) }', { file: null }),
            one[1],
            file('a', 'x'.repeat(300_000)),
          ]),
        )[0],
      ).toBe(400);
    expect((await send([...one, file('a')])).body.data).toEqual({ pictures: 'a.txt' });
  });
});

describe('what is found out while files arrive ends the request to the subgraph before its end', () => {
  const query = 'mutation ($files: [Upload!]) { pictures(files: $files) }';
  const begin: readonly Part[] = [
    operations(query, { files: [null, null] }),
    mapOf({ a: ['variables.files.0'], b: ['variables.files.1'] }),
  ];

  it.each<[string, readonly Part[], string, string]>([
    ['a file is missing', [file('a')], 'UPLOAD_MISSING', 'The file "b" of the map is missing.'],
    [
      'files are out of order',
      [file('b'), file('a')],
      'UPLOAD_OUT_OF_ORDER',
      'The file "b" is out of order: "a" comes before it in the map.',
    ],
    [
      'a file comes twice',
      [file('a'), file('a'), file('b')],
      'UPLOAD_OUT_OF_ORDER',
      'The file "a" is out of order: "b" comes before it in the map.',
    ],
    ['a file is not in the map', [file('a'), file('c')], 'BAD_REQUEST', 'The part "c" is not in the map.'],
    [
      'a part is no file',
      [file('a'), ['b', 'text']],
      'BAD_REQUEST',
      'A part behind "operations" and "map" is no file: it has no filename.',
    ],
  ])('%s', async (_, files, code, message) => {
    const response = await send([...begin, ...files]);
    expect([...brief(response), response.body.errors?.[0]?.message]).toEqual([400, code, message]);
    expect(response.body.data).toBeUndefined();
    expect(pictures.uploads).toEqual([]);
  });
});

describe('what a file is called', () => {
  /** As `FormData` would not write it. @param head of the file's part, from its name on */
  async function sendFile(head: string) {
    const part = (name: string, rest: string) =>
      `--x\r\ncontent-disposition: form-data; name="${name}"${rest}\r\n`;
    const body = [
      part('operations', `\r\n\r\n${JSON.stringify({ query: ONE, variables: { file: null } })}`),
      part('map', '\r\n\r\n{"a":["variables.file"]}'),
      part('a', `${head}\r\n\r\ntext`),
      '--x--\r\n',
    ].join('');
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    return readGatewayResponse(await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body }));
  }

  it.each([
    ['NUL', "; filename*=utf-8''a%00.txt"],
    ['NUL as it is', '; filename="a\0.txt"'],
    ['an override', "; filename*=utf-8''a%E2%80%AEgpj.exe"],
    ['an isolate as it is', '; filename="a\u2066b.txt"'],
    ['a control', "; filename*=utf-8''a%1B.txt"],
    ['an override in its media type', '; filename="a.txt"\r\ncontent-type: text/pl\u202eain'],
  ])('L1: reaches no subgraph with %s', async (_, head) => {
    expect(brief(await sendFile(head))).toEqual([400, 'BAD_REQUEST']);
    expect(pictures.uploads).toEqual([]);
  });

  it('may hold quotes, blanks, letters of any script and marks of direction', async () => {
    const { body } = await sendFile("; filename*=utf-8''%E2%80%8F%D9%84%20%22x%22.txt");
    expect(body.data).toEqual({ pictures: '\u200fل %22x%22.txt' });
  });

  it('is nothing where it has no file name: then it is no file, whatever its media type', async () => {
    const response = await sendFile('\r\ncontent-type: application/octet-stream');
    expect([...brief(response), response.body.errors?.[0]?.message]).toEqual([
      400,
      'BAD_REQUEST',
      'A part behind "operations" and "map" is no file: it has no filename.',
    ]);
  });
});
