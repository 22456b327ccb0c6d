import { request as httpRequest } from 'node:http';
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
import { startTestGateway } from '../../testing/test-gateway.ts';

let stage: UploadStage;
let pictures: UploadStage['pictures'];
let sounds: UploadStage['sounds'];
let gateway: UploadStage['gateway'];
let withoutUploads: UploadStage['withoutUploads'];
let send: UploadStage['send'];
beforeAll(async () => {
  stage = await startUploadStage();
  ({ pictures, sounds, gateway, withoutUploads, send } = stage);
});
beforeEach(() => stage.forget());
afterAll(() => stage.close());

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
