import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { CALLBACK_PROTOCOL, type CallbackSubscriptions } from '../../streams/callback-subscriptions.ts';
import { MAX_EVENT_BYTES } from '../../streams/upstream-transport.ts';

/** For a callback to arrive, milliseconds. */
const REQUEST_MS = 30_000;
const MAX_CONNECTIONS = 4_096;

/** The server that takes what subgraphs send by Apollo's HTTP callback protocol. */
export interface CallbackServer {
  close(): Promise<void>;
}

/**
 * Opens the port.
 *
 * @param address as in `10.0.0.7:4005` or `[::]:4005`
 * @throws Error where it can't listen
 */
export async function openCallbackServer(
  address: string,
  callbacks: Pick<CallbackSubscriptions, 'receive' | 'rejectionOf'>,
): Promise<CallbackServer> {
  const server = createServer((request, response) => {
    takeCallback(request, response, callbacks).catch(() => request.destroy()); // the subgraph has disconnected
  });
  server.requestTimeout = REQUEST_MS;
  server.headersTimeout = REQUEST_MS;
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, address);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, address: string): Promise<void> {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port: Number(address.slice(colon + 1)) }, resolve);
  });
}

/** What is sent to an id that is none is not held. */
async function takeCallback(
  request: IncomingMessage,
  response: ServerResponse,
  callbacks: Pick<CallbackSubscriptions, 'receive' | 'rejectionOf'>,
): Promise<void> {
  const id = /([^/?]*)(?:\?|$)/.exec(request.url ?? '')?.[1] ?? '';
  if (request.method !== 'POST')
    return respond(response, 405, 'Callbacks are sent by POST.', { allow: 'POST' });
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    return respond(response, 415, 'Callbacks are application/json.');
  const rejection = callbacks.rejectionOf(id);
  if (rejection) return respond(response, rejection.status, rejection.message);
  const text = await readBody(request);
  if (text === undefined) return respond(response, 413, `A callback has at most ${MAX_EVENT_BYTES} bytes.`);
  const { status, message } = callbacks.receive(id, text);
  respond(response, status, message);
}

/** @returns nothing where it is too large */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_EVENT_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_EVENT_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function respond(
  response: ServerResponse,
  status: number,
  message?: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.req.resume(); // what is not read is let go, for as long as a request may take
  response.writeHead(status, {
    'subscription-protocol': CALLBACK_PROTOCOL,
    ...headers,
    ...(message !== undefined && { 'content-type': 'text/plain' }),
  });
  response.end(message);
}
