import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { WebFile } from './read-web-files.ts';

/** A server of files while it serves. */
export interface WebServer {
  close(): Promise<void>;
}

/** Where a server of files listens. */
export interface WebAddress {
  readonly port: number;
  readonly host: string;
}

/**
 * Listens.
 *
 * @param ending is aborted when the server is closed
 * @throws Error when it can't listen
 */
export async function listen(
  server: Server,
  { port, host }: WebAddress,
  ending: AbortController,
): Promise<WebServer> {
  server.listen(port, host);
  await once(server, 'listening');
  return {
    close: async () => {
      ending.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Responds with a file: compressed where the browser takes it, and not at all where the browser has it. @param status 404 for a page that says so */
export function sendFile(
  file: WebFile,
  headers: Readonly<Record<string, string>>,
  { method, headers: asked }: IncomingMessage,
  response: ServerResponse,
  status = 200,
): void {
  const isCompressed = file.compressed !== undefined && /\bgzip\b/.test(String(asked['accept-encoding']));
  const body = isCompressed && file.compressed ? file.compressed : file.body;
  response.setHeaders(new Map(Object.entries(headers)));
  response.setHeader('cache-control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  response.setHeader('etag', file.etag);
  response.setHeader('vary', 'accept-encoding');
  if (asked['if-none-match'] === file.etag) return void response.writeHead(304).end();
  if (isCompressed) response.setHeader('content-encoding', 'gzip');
  response.writeHead(status, { 'content-type': file.type, 'content-length': body.length });
  response.end(method === 'HEAD' ? undefined : body);
}

/** Responds with a sentence. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${text}\n`);
}

/** The headers of pages. @param policy sources by directive: CSP Level 3 */
export function pageHeaders(policy: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return {
    'content-security-policy': Object.entries(policy)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}
