import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Busboy } from '@fastify/busboy';
import { gql } from 'graphql-tag';
import type { SubgraphServer } from './subgraph-server.ts';
import {
  readGatewayResponse,
  startTestGateway,
  type GatewayResponse,
  type TestGateway,
} from './test-gateway.ts';

/** What a subgraph has received of a multipart request. */
interface ReceivedUpload {
  readonly operations: { readonly query: string; readonly variables: unknown };
  readonly map: unknown;
  readonly files: Record<string, { filename: string; mediaType: string; bytes: number; text: string }>;
}

export interface UploadSubgraph extends SubgraphServer {
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

/** A gateway that takes files, and one that does not, over two subgraphs that read them. */
export interface UploadStage {
  readonly pictures: UploadSubgraph;
  readonly sounds: UploadSubgraph;
  readonly gateway: TestGateway;
  readonly withoutUploads: TestGateway;
  /** Sends a multipart request. @param to the gateway that takes files by default */
  send(parts: readonly Part[], headers?: Record<string, string>, to?: TestGateway): Promise<GatewayResponse>;
  /** Everything is as at the start. */
  forget(): void;
  close(): Promise<void>;
}

/** Starts it on free ports. */
export async function startUploadStage(): Promise<UploadStage> {
  const pictures = await startUploadSubgraph('pictures', PICTURES);
  const sounds = await startUploadSubgraph('sounds', SOUNDS);
  const subgraphs = [pictures, sounds];
  const gateway = await startTestGateway({
    subgraphs,
    settings: 'uploads: { files: 3, fileBytes: 67108864, partBytes: 2000 }\ntraffic: { timeoutMs: 60000 }',
  });
  const withoutUploads = await startTestGateway({ subgraphs });
  return {
    pictures,
    sounds,
    gateway,
    withoutUploads,
    async send(parts, headers = {}, to = gateway) {
      const body = formOf(parts);
      return readGatewayResponse(await fetch(`${to.url}/graphql`, { method: 'POST', headers, body }));
    },
    forget() {
      for (const subgraph of subgraphs) {
        subgraph.forget();
        subgraph.onRequest = undefined;
      }
    },
    async close() {
      await Promise.all([gateway.close(), withoutUploads.close()]);
      await Promise.all([pictures.close(), sounds.close()]);
    },
  };
}

export type Part = readonly [name: string, content: string | Blob, filename?: string];

function formOf(parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const [name, content, filename] of parts) {
    if (typeof content === 'string') form.append(name, content);
    else form.append(name, content, filename ?? `${name}.txt`);
  }
  return form;
}

export const operations = (query: string, variables: unknown): Part => [
  'operations',
  JSON.stringify({ query, variables }),
];
export const mapOf = (map: unknown): Part => ['map', JSON.stringify(map)];
export const file = (name: string, text = `text of ${name}`): Part => [
  name,
  new Blob([text], { type: 'text/plain' }),
];
export const brief = ({ status, body }: GatewayResponse) => [status, body.errors?.[0]?.extensions['code']];

export const ONE = 'mutation ($file: Upload) { pictures(file: $file) }';
export const one: readonly [Part, Part] = [operations(ONE, { file: null }), mapOf({ a: ['variables.file'] })];
