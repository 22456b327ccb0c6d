import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, proof } from '@trellis/testkit';
import { gql } from 'graphql-tag';
import { compose } from '../src/testing/compose.ts';
import { startGatewayProcess, type GatewayProcess } from '../test-fixtures/gateway-process.ts';

const SIZES = {
  small: { fileBytes: 40_000_000, atOnce: 2 },
  full: { fileBytes: 200_000_000, atOnce: 4 },
} as const;

const CHUNK_BYTES = 65_536;
const WARM_UP_BYTES = 10_000_000;
/** What a runtime has not collected yet of the chunks that have gone through it; of one file and of many the same. */
const MAX_GROWN_BYTES = 100_000_000;
const SAMPLE_MS = 20;
const BOUNDARY = 'boundary-of-the-proof';

/** Files go through the gateway without being held. */
proof({
  name: 'uploads',
  description:
    'Files of 200 MB, four at once, reach a subgraph while the gateway grows by less than half of one.',
  async run({ size }) {
    const { fileBytes, atOnce } = SIZES[size];
    const stage = await openStage(fileBytes);
    try {
      await stage.upload(WARM_UP_BYTES);
      const { residentBytes } = stage.gateway;
      const before = residentBytes();
      let most = before;
      const sampling = setInterval(() => (most = Math.max(most, residentBytes())), SAMPLE_MS);
      const texts = await Promise.all(Array.from({ length: atOnce }, () => stage.upload(fileBytes)));
      clearInterval(sampling);
      const expected = `{"data":{"count":${fileBytes}}}`;
      return {
        passed: texts.every((text) => text === expected) && most - before < MAX_GROWN_BYTES,
        figures: {
          fileMb: Math.round(fileBytes / 1e6),
          atOnce,
          grownMb: Math.round((most - before) / 1e6),
          allArrived: texts.every((text) => text === expected) ? 'yes' : 'no',
        },
      };
    } finally {
      await stage.close();
    }
  },
});

interface Stage {
  readonly gateway: GatewayProcess;
  /** @returns the text of the response */
  upload(bytes: number): Promise<string>;
  close(): Promise<void>;
}

/** A subgraph that counts the bytes of its requests, but for the few around the file. */
async function openStage(fileBytes: number): Promise<Stage> {
  const directory = createTemporaryDirectory();
  const subgraph = createServer((request, response) => {
    let count = 0;
    request.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === FILE_BYTE) count += 1;
    });
    request.on('end', () => response.end(JSON.stringify({ data: { count } })));
  });
  await new Promise<void>((resolve) => {
    subgraph.listen(0, '127.0.0.1', resolve);
  });
  const { port } = subgraph.address() as AddressInfo; // it listens on TCP
  const typeDefs = gql`
    scalar Upload
    type Query {
      none: Int
    }
    type Mutation {
      count(file: Upload!): Float
    }
  `;
  const file = join(directory.path, 'supergraph.graphql');
  writeFileSync(file, compose([{ name: 'files', url: `http://127.0.0.1:${port}/graphql`, typeDefs }]));
  const settings = join(directory.path, 'gateway.yaml');
  const times = 'timeouts: { requestMs: 200000 }, traffic: { timeoutMs: 200000 }';
  writeFileSync(settings, `{ uploads: { fileBytes: ${fileBytes} }, ${times} }`);
  const gateway = await startGatewayProcess({ SUPERGRAPH: file, CONFIG: settings });
  return {
    gateway,
    upload: (bytes) => upload(gateway.url, bytes),
    async close() {
      await gateway.stop();
      subgraph.closeAllConnections();
      await new Promise((resolve) => subgraph.close(resolve));
      directory.remove();
    },
  };
}

/** Occurs in nothing else that is sent. */
const FILE_BYTE = 0x01;
const QUERY = 'mutation ($file: Upload!) { count(file: $file) }';

function upload(url: string, bytes: number): Promise<string> {
  const head = (name: string, more = ''): string =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const operations = JSON.stringify({ query: QUERY, variables: { file: null } });
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    const request = sendRequest(`${url}/graphql`, { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(text));
    });
    request.on('error', reject);
    request.write(`${head('operations')}${operations}\r\n${head('map')}{"0":["variables.file"]}\r\n`);
    request.write(head('0', '; filename="file"'));
    void writeFile(request, bytes).then(() => request.end(`\r\n--${BOUNDARY}--\r\n`), reject);
  });
}

async function writeFile(request: ReturnType<typeof sendRequest>, bytes: number): Promise<void> {
  const chunk = Buffer.alloc(CHUNK_BYTES, FILE_BYTE);
  for (let left = bytes; left > 0; left -= chunk.length) {
    const hasRoom = request.write(left >= chunk.length ? chunk : chunk.subarray(0, left));
    if (!hasRoom) await new Promise((resolve) => request.once('drain', resolve));
  }
}
