import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join, normalize } from 'node:path';
import { isLoopbackHost } from '@trellis/runtime';
import { toWebFile, type WebFile } from '../read-web-files.ts';
import { listen, pageHeaders, sendFile, sendText, type WebAddress, type WebServer } from '../serve-files.ts';
import { buildDocumentationSite, builtSite } from './build-documentation-site.ts';
import { unbuiltPage, type BuildState } from './unbuilt-page.ts';

/** Settings of {@link startDocumentationSite}. */
export interface DocumentationSiteOptions extends WebAddress {
  /** Prints that a build has failed. */
  readonly print: (line: string) => void;
  /** The folder of the built site. @default the one of this checkout */
  readonly folder?: string;
  /** Builds the site into the folder. @default as `npm run docs` does */
  readonly build?: (signal: AbortSignal) => Promise<void>;
}

/**
 * Serves the documentation site. While it is not built, each address is a page that says so, with a button that builds it: nothing
 * is installed and no processor is used before someone wants to read.
 *
 * @throws Error when it can't listen
 */
export async function startDocumentationSite(options: DocumentationSiteOptions): Promise<WebServer> {
  const { folder = builtSite } = options;
  const ending = new AbortController();
  const builder = createBuilder(options, ending.signal);
  const server = createServer((request, response) => {
    if (!existsSync(join(folder, 'index.html'))) return respondUnbuilt(builder, request, response);
    respond(folder, request, response).catch(() => sendText(response, 500, 'The file could not be read.'));
  });
  return listen(server, options, ending);
}

interface Builder {
  readonly state: () => BuildState;
  readonly start: () => void;
}

/** At most one build at a time. */
function createBuilder(options: DocumentationSiteOptions, signal: AbortSignal): Builder {
  const { print, build = buildDocumentationSite } = options;
  let state: BuildState = { kind: 'unbuilt' };
  const start = (): void => {
    if (state.kind === 'building') return;
    state = { kind: 'building' };
    build(signal).then(
      () => (state = { kind: 'unbuilt' }), // should someone remove it
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        state = { kind: 'failed', message };
        if (!signal.aborted) print(message);
      },
    );
  };
  return { state: () => state, start };
}

/** A build is started by the button of this server's own page, and by no other page. */
function respondUnbuilt(builder: Builder, request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '/', headers } = request;
  if (method === 'POST') {
    if (headers['sec-fetch-site'] !== 'same-origin' || !isOfThisMachine(request))
      return sendText(response, 403, 'Use the button of the page, at localhost.');
    builder.start();
    return void response.writeHead(303, { location: url.replace(/^\/{2,}/, '/') }).end();
  }
  if (method !== 'GET' && method !== 'HEAD') return sendText(response, 405, 'Only GET and HEAD.');
  const { html, style } = unbuiltPage(builder.state());
  const policy = {
    'default-src': "'none'",
    'style-src': hashOf(style),
    'form-action': "'self'",
    ...NO_FRAMES,
  };
  response.setHeaders(new Map(Object.entries(pageHeaders(policy))));
  response.writeHead(503, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  response.end(method === 'HEAD' ? undefined : html);
}

/** By its sender, and by its host: a site whose name leads to this machine is its own origin here, and has a host of its own. */
function isOfThisMachine({ headers: { host = '' }, socket }: IncomingMessage): boolean {
  const address = `http://${host}`;
  const sender = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  return isLoopbackHost(sender) && URL.canParse(address) && isLoopbackHost(new URL(address).hostname);
}

async function respond(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '/' } = request;
  if (method !== 'GET' && method !== 'HEAD') return sendText(response, 405, 'Only GET and HEAD.');
  const path = readPath(url);
  const found = path && (await readIn(folder, path));
  const file = found || (await readIn(folder, '/404.html'));
  if (!file) return sendText(response, 404, 'There is no such page.');
  sendFile(file, sitePolicy(file), request, response, found ? 200 : 404);
}

/** The path of a file below the folder; undefined when the address is none. */
function readPath(url: string): string | undefined {
  try {
    const path = normalize(decodeURIComponent(url.replace(/[?#].*$/s, '')));
    if (!path.startsWith('/') || path.includes('\0')) return undefined;
    return path.endsWith('/') ? `${path}index.html` : path;
  } catch {
    return undefined; // not a URI
  }
}

async function readIn(folder: string, path: string): Promise<WebFile | undefined> {
  const body = await readFile(join(folder, path)).catch(() => undefined);
  return body && toWebFile(path, body);
}

const NO_FRAMES = { 'base-uri': "'none'", 'frame-ancestors': "'none'" };

/** Everything from here; of what stands in a page itself, exactly what the site's builder has put there. */
function sitePolicy({ type, body }: WebFile): Readonly<Record<string, string>> {
  const html = type.startsWith('text/html') ? body.toString() : '';
  const scripts = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g)].map(([, text = '']) =>
    hashOf(text),
  );
  const styles = [...html.matchAll(/\sstyle="([^"]*)"/g)].map(([, text = '']) => hashOf(text));
  return pageHeaders({
    'default-src': "'none'",
    'script-src': ["'self'", ...new Set(scripts)].join(' '),
    'style-src': ["'self'", ...(styles.length > 0 ? ["'unsafe-hashes'"] : []), ...new Set(styles)].join(' '),
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'form-action': "'none'",
    ...NO_FRAMES,
  });
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
