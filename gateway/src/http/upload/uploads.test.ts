import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Busboy } from '@fastify/busboy';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SubgraphServer } from '../../testing/subgraph-server.ts';
import {
  readResponse,
  startTestGateway,
  type GraphResponse,
  type TestGateway,
} from '../../testing/test-gateway.ts';

/** What a subgraph has received of a multipart request. */
interface ReceivedUpload {
  readonly operations: { readonly query: string; readonly variables: unknown };
  readonly map: unknown;
  readonly files: Record<string, { filename: string; mediaType: string; bytes: number; text: string }>;
}

interface UploadSubgraph extends SubgraphServer {
  readonly uploads: ReceivedUpload[];
  /** Requests whose body has not come to its end. */
  broken(): number;
  /** How a request is read; by default to its end. */
  onRequest: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

/** Reads multipart requests as any server does, and answers whatever it is asked with the names of its files. */
async function startUploadSubgraph(
  name: string,
  typeDefs: SubgraphServer['typeDefs'],
): Promise<UploadSubgraph> {
  const uploads: ReceivedUpload[] = [];
  let broken = 0;
  const server = createServer((request, response) => {
    request.on('close', () => {
      if (!request.readableEnded) broken += 1;
    });
    request.on('error', () => undefined);
    if (subgraph.onRequest) return subgraph.onRequest(request, response);
    if (!request.headers['content-type']?.startsWith('multipart/form-data')) {
      request.resume().on('end', () => response.end(JSON.stringify({ data: { [name]: 'no files' } })));
      return;
    }
    const fields: Record<string, unknown> = {};
    const files: ReceivedUpload['files'] = {};
    const parser = new Busboy({ headers: { 'content-type': request.headers['content-type'] } });
    parser.on('field', (field, value) => void (fields[field] = JSON.parse(value)));
    parser.on('file', (field, stream, filename, _encoding, mediaType) => {
      const file = (files[field] = { filename, mediaType, bytes: 0, text: '' });
      stream.on('data', (chunk: Buffer) => {
        file.bytes += chunk.length;
        if (file.text.length < 100) file.text += chunk.toString('utf8').slice(0, 100);
      });
    });
    parser.on('finish', () => {
      uploads.push({ ...(fields as Pick<ReceivedUpload, 'operations' | 'map'>), files });
      const data = {
        [name]: Object.values(files)
          .map((file) => file.filename)
          .join(),
      };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data }));
    });
    request.pipe(parser);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const subgraph: UploadSubgraph = {
    name,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    typeDefs,
    received: [],
    uploads,
    broken: () => broken,
    onRequest: undefined,
    aborted: () => broken,
    forget: () => {
      uploads.splice(0);
      broken = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return subgraph;
}

const PICTURES = gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  scalar Upload
  scalar JSON
  type Query {
    picture(file: Upload): String
  }
  type Mutation {
    pictures(file: Upload, files: [Upload!], input: PictureInput, note: String, any: JSON): String
    pictureOf: Album
  }
  type Subscription {
    watched(file: Upload): String
  }
  input PictureInput {
    file: Upload!
    title: String
  }
  type Album @key(fields: "id") {
    id: ID!
    cover(file: Upload): String
  }
`;
const SOUNDS = gql`
  scalar Upload
  type Query {
    sound: String
  }
  type Mutation {
    sounds(file: Upload!): String
  }
`;

let pictures: UploadSubgraph;
let sounds: UploadSubgraph;
let gateway: TestGateway;
let withoutUploads: TestGateway;
beforeAll(async () => {
  pictures = await startUploadSubgraph('pictures', PICTURES);
  sounds = await startUploadSubgraph('sounds', SOUNDS);
  const subgraphs = [pictures, sounds];
  gateway = await startTestGateway({
    subgraphs,
    settings: 'uploads: { files: 3, fileBytes: 67108864, partBytes: 2000 }\ntraffic: { timeoutMs: 60000 }',
  });
  withoutUploads = await startTestGateway({ subgraphs });
});
afterAll(async () => {
  await Promise.all([gateway.close(), withoutUploads.close()]);
  await Promise.all([pictures.close(), sounds.close()]);
});
beforeEach(() => {
  for (const subgraph of [pictures, sounds]) {
    subgraph.forget();
    subgraph.onRequest = undefined;
  }
});

type Part = readonly [name: string, content: string | Blob, filename?: string];

function formOf(parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const [name, content, filename] of parts) {
    if (typeof content === 'string') form.append(name, content);
    else form.append(name, content, filename ?? `${name}.txt`);
  }
  return form;
}

async function send(
  parts: readonly Part[],
  headers: Record<string, string> = {},
  to = gateway,
): Promise<GraphResponse> {
  return readResponse(await fetch(`${to.url}/graphql`, { method: 'POST', headers, body: formOf(parts) }));
}

const operations = (query: string, variables: unknown): Part => [
  'operations',
  JSON.stringify({ query, variables }),
];
const mapOf = (map: unknown): Part => ['map', JSON.stringify(map)];
const file = (name: string, text = `text of ${name}`): Part => [
  name,
  new Blob([text], { type: 'text/plain' }),
];
const brief = ({ status, body }: GraphResponse) => [status, body.errors?.[0]?.extensions['code']];

const ONE = 'mutation ($file: Upload) { pictures(file: $file) }';
const one: readonly [Part, Part] = [operations(ONE, { file: null }), mapOf({ a: ['variables.file'] })];

describe('GraphQL multipart request specification', () => {
  it('a file reaches the subgraph that its mutation is of, as a multipart request', async () => {
    const { status, body } = await send([...one, file('a')]);
    expect([status, body]).toEqual([200, { data: { pictures: 'a.txt' } }]);
    expect(pictures.uploads).toEqual([
      {
        operations: { query: expect.stringContaining('pictures(file:$file)'), variables: { file: null } },
        map: { 0: ['variables.file'] },
        files: { 0: { filename: 'a.txt', mediaType: 'text/plain', bytes: 9, text: 'text of a' } },
      },
    ]);
  });

  it('files stand in lists and inputs, and beside other variables', async () => {
    const query = `mutation ($files: [Upload!], $input: PictureInput, $note: String) {
      pictures(files: $files, input: $input, note: $note) }`;
    const variables = { files: [null, null], input: { file: null, title: 'T' }, note: 'n' };
    const map = { x: ['variables.files.0'], y: ['variables.files.1'], z: ['variables.input.file'] };
    const { body } = await send([operations(query, variables), mapOf(map), file('x'), file('y'), file('z')]);
    expect(body).toEqual({ data: { pictures: 'x.txt,y.txt,z.txt' } });
    expect(pictures.uploads[0]).toMatchObject({
      operations: { variables },
      map: { 0: ['variables.files.0'], 1: ['variables.files.1'], 2: ['variables.input.file'] },
    });
  });

  it('one file may stand in two places, and in a list that the client did not write as one', async () => {
    const query = 'mutation ($file: Upload, $files: [Upload!]) { pictures(file: $file, files: $files) }';
    const map = { a: ['variables.file', 'variables.files'] };
    await send([operations(query, { file: null, files: null }), mapOf(map), file('a')]);
    expect(pictures.uploads[0]).toMatchObject({
      operations: { variables: { file: null, files: [null] } },
      map: { 0: ['variables.file', 'variables.files.0'] },
    });
  });

  it('each subgraph gets the files of its own mutation, one after the other', async () => {
    const query = 'mutation ($a: Upload, $b: Upload!) { pictures(file: $a) sounds(file: $b) }';
    const map = { a: ['variables.a'], b: ['variables.b'] };
    const { body } = await send([operations(query, { a: null, b: null }), mapOf(map), file('a'), file('b')]);
    expect(body).toEqual({ data: { pictures: 'a.txt', sounds: 'b.txt' } });
    expect(Object.keys(pictures.uploads[0]?.files ?? {})).toEqual(['0']);
    expect(sounds.uploads[0]?.files['0']?.text).toBe('text of b');
  });

  it('a file whose field is left out is dropped, and those behind it arrive', async () => {
    const query = `mutation ($a: Upload, $b: Upload!, $no: Boolean!) { pictures(file: $a) @include(if: $no) sounds(file: $b) }`;
    const map = { a: ['variables.a'], b: ['variables.b'] };
    const { body } = await send([
      operations(query, { a: null, b: null, no: false }),
      mapOf(map),
      file('a', 'x'.repeat(1_000_000)),
      file('b'),
    ]);
    expect(body).toEqual({ data: { sounds: 'b.txt' } });
    expect(pictures.uploads).toEqual([]);
  });

  it('a subgraph that wants no more of a file does not stop those behind it', async () => {
    pictures.onRequest = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify({ data: { pictures: null }, errors: [{ message: 'Full.' }] }));
    };
    const query = 'mutation ($a: Upload, $b: Upload!) { pictures(file: $a) sounds(file: $b) }';
    const map = { a: ['variables.a'], b: ['variables.b'] };
    const { body } = await send([
      operations(query, { a: null, b: null }),
      mapOf(map),
      file('a', 'x'.repeat(5_000_000)),
      file('b'),
    ]);
    expect(body.data).toEqual({ pictures: null, sounds: 'b.txt' });
  });

  it('names of files are passed on as browsers write them', async () => {
    await send([...one, ['a', new Blob(['x']), 'a "quoted"\r\nnäme.txt']]);
    expect(pictures.uploads[0]?.files['0']?.filename).toContain('näme.txt');
    expect(Object.keys(pictures.uploads[0]?.files ?? {})).toHaveLength(1);
  });

  it('a multipart request without files is an ordinary one', async () => {
    const { body } = await send([operations('mutation { pictures(note: "n") }', {}), mapOf({})]);
    expect(body).toEqual({ data: { pictures: 'no files' } });
  });
});

describe('bounds', () => {
  it('off by default: the media type is not supported', async () => {
    expect(brief(await send([...one, file('a')], {}, withoutUploads))).toEqual([
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ]);
  });

  it('a web page can’t make a browser send one without asking', async () => {
    const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://other.example' };
    expect(brief(await send([...one, file('a')], crossSite))).toEqual([400, 'CSRF_PREVENTED']);
    const asked = await send([...one, file('a')], { ...crossSite, 'apollo-require-preflight': '1' });
    expect(asked.body.data).toEqual({ pictures: 'a.txt' });
  });

  it('a file that is larger than allowed', async () => {
    const small = await startTestGateway({
      subgraphs: [pictures, sounds],
      settings: 'uploads: { fileBytes: 1000 }',
    });
    const exactly = await send([...one, file('a', 'x'.repeat(1_000))], {}, small);
    expect(exactly.body.data).toEqual({ pictures: 'a.txt' });
    pictures.forget();
    const response = await send([...one, file('a', 'x'.repeat(1_001))], {}, small);
    expect([...brief(response), response.body.errors?.[0]?.message]).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
      'The file "a" is too large. The maximum is 1000 bytes.',
    ]);
    const late = await send([...one, file('a', 'x'.repeat(20_000_000))], {}, small);
    expect(brief(late)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    await pause(50);
    expect(pictures.uploads).toEqual([]); // it has never seen the end of a request
    await small.close();
  });

  it.each<[string, readonly Part[], string]>([
    [
      'operations',
      [['operations', `{"query":"${'#'.repeat(2_000)}"}`], mapOf({})],
      'The part "operations" is too large. The maximum is 2000 bytes.',
    ],
    [
      'map',
      [operations(ONE, { file: null }), mapOf({ a: ['x'.repeat(2_000)] })],
      'The part "map" is too large. The maximum is 2000 bytes.',
    ],
    [
      'files',
      [
        operations(ONE, { file: null }),
        mapOf(Object.fromEntries([1, 2, 3, 4].map((n) => [n, ['variables.file']]))),
      ],
      'The map has 4 files. The maximum is 3.',
    ],
  ])('too much of %s', async (_, parts, message) => {
    const response = await send(parts);
    expect([...brief(response), response.body.errors?.[0]?.message]).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
      message,
    ]);
  });

  it('a body that says itself that it is too large is not read', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': '999999999' };
      const request = httpRequest(`${gateway.url}/graphql`, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject);
      request.write('--x');
    });
    expect(status).toBe(413);
  });

  it('holds no file: a subgraph that does not read stops the client', async () => {
    let release = (): void => undefined;
    pictures.onRequest = (request, response) => {
      request.pause();
      release = () => {
        request.resume().on('end', () => response.end(JSON.stringify({ data: { pictures: 'late' } })));
      };
    };
    const size = 60_000_000;
    const boundary = 'x';
    const head = (name: string, more = '') =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
    const body = httpRequest(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    });
    const answered = new Promise<string>((resolve, reject) => {
      body.on('error', reject);
      body.on('response', (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => (text += chunk))
          .on('end', () => resolve(text));
      });
    });
    body.write(
      `${head('operations')}${JSON.stringify({ query: ONE, variables: { file: null } })}\r\n${head('map')}{"a":["variables.file"]}\r\n`,
    );
    body.write(head('a', '; filename="a"'));
    const chunk = Buffer.alloc(100_000, 'x');
    let sent = 0;
    const pump = async (): Promise<void> => {
      for (; sent < size; sent += chunk.length)
        if (!body.write(chunk)) await new Promise((resolve) => body.once('drain', resolve));
      body.end(`\r\n--${boundary}--\r\n`);
    };
    const pumped = pump();
    let before = -1;
    while (before !== sent) {
      before = sent;
      await pause(500);
    }
    // What the sockets of both connections hold, and little more.
    expect(sent).toBeLessThan(size / 2);
    release();
    await pumped;
    expect(await answered).toBe('{"data":{"pictures":"late"}}');
  });
});

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
