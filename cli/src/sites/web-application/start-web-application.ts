import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buildWebApplication } from './build-web-application.ts';
import { readWebFiles, toWebFile, type WebFile } from '../read-web-files.ts';
import { listen, pageHeaders, sendFile, sendText, type WebServer } from '../serve-files.ts';

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
export type WebApplication = WebServer;

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
    return await listen(server, options, ending);
  } catch (error) {
    ending.abort();
    throw error;
  }
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
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { method, url = '/' } = request;
  if (method !== 'GET' && method !== 'HEAD') return sendText(response, 405, 'Only GET and HEAD.');
  const path = url.replace(/[?#].*$/s, '');
  const file = files.get(path) ?? (/\.\w+$/.test(path) ? undefined : files.get('/index.html'));
  if (!file) return sendText(response, 404, 'There is no such file.');
  sendFile(file, headers, request, response);
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
  return pageHeaders(policy);
}
