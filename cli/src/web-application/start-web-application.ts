import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buildWebApplication } from './build-web-application.ts';
import { readWebFiles, toWebFile, type WebFile } from './read-web-files.ts';

/** What the sample application has to know of the platform, at `/config.json`. */
export interface WebConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** The gateway's endpoint. */
  readonly graph: string;
}

/** Settings of {@link startWebApplication}. */
export interface WebApplicationOptions {
  readonly port: number;
  readonly host: string;
  readonly config: WebConfig;
  /** Prints that the build has failed. */
  readonly print: (line: string) => void;
}

/** The sample application while it is served. */
export interface WebApplication {
  close(): Promise<void>;
}

type Files = ReadonlyMap<string, WebFile>;

const CONFIG_PATH = '/config.json';

/**
 * Serves the sample application. It listens at once and builds meanwhile: requests wait for the build, which takes a second or
 * two the first time, and the platform does not.
 *
 * @throws Error when it can't listen
 */
export async function startWebApplication(options: WebApplicationOptions): Promise<WebApplication> {
  const ending = new AbortController();
  const files = loadFiles(options, ending.signal);
  const headers = securityHeaders(options.config);
  const server = createServer((request, response) => {
    files.then(
      (built) => respond(built, headers, request, response),
      () => sendText(response, 500, 'The sample application could not be built; the platform printed why.'),
    );
  });
  try {
    await listen(server, options);
  } catch (error) {
    ending.abort();
    throw error;
  }
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

async function listen(server: Server, { port, host }: WebApplicationOptions): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

function loadFiles({ config, print }: WebApplicationOptions, signal: AbortSignal): Promise<Files> {
  const loading = buildWebApplication(signal).then((folder) => {
    const body = Buffer.from(JSON.stringify(config));
    return new Map([...readWebFiles(folder), [CONFIG_PATH, toWebFile(CONFIG_PATH, body)] as const]);
  });
  loading.catch((error: unknown) => {
    if (!signal.aborted) print(error instanceof Error ? error.message : String(error));
  });
  return loading;
}

/** A path without a file is a page of the application, which finds out by itself what to show there. */
function respond(
  files: Files,
  headers: Readonly<Record<string, string>>,
  { method, url = '/', headers: asked }: IncomingMessage,
  response: ServerResponse,
): void {
  if (method !== 'GET' && method !== 'HEAD') return sendText(response, 405, 'Only GET and HEAD.');
  const path = url.replace(/[?#].*$/s, '');
  const file = files.get(path) ?? (/\.\w+$/.test(path) ? undefined : files.get('/index.html'));
  if (!file) return sendText(response, 404, 'There is no such file.');
  const isCompressed = file.compressed !== undefined && /\bgzip\b/.test(String(asked['accept-encoding']));
  const body = isCompressed && file.compressed ? file.compressed : file.body;
  response.setHeaders(new Map(Object.entries(headers)));
  response.setHeader('cache-control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  response.setHeader('etag', file.etag);
  response.setHeader('vary', 'accept-encoding');
  if (asked['if-none-match'] === file.etag) return void response.writeHead(304).end();
  if (isCompressed) response.setHeader('content-encoding', 'gzip');
  response.writeHead(200, { 'content-type': file.type, 'content-length': body.length });
  response.end(method === 'HEAD' ? undefined : body);
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${text}\n`);
}

/** Scripts, styles and pictures of this origin alone, and no other server than the two that the application talks to. */
function securityHeaders({ issuer, graph }: WebConfig): Readonly<Record<string, string>> {
  const [signIn, api] = [new URL(issuer).origin, new URL(graph).origin];
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self'",
    'connect-src': `'self' ${signIn} ${api} ${api.replace(/^http/, 'ws')}`,
    'form-action': `'self' ${signIn}`, // the auth-server redirects back here
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
  };
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
