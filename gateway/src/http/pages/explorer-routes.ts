import { randomBytes } from 'node:crypto';
import { AssetsMissing, loadExplorer, type AssetFile, type ExplorerAssets } from '@trellis/explorer';
import { choosePreferred } from '@trellis/http1/fields';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { gatewayErrorCodes } from '../../errors.ts';
import { readExamples, renderExplorer, explorerScopes } from './explorer-page.ts';
import { addGraphEvents, GRAPH_EVENTS_PATH, isOfThisMachine } from './graph-events.ts';
import { addFieldUsers, FIELD_USERS_PATH } from './field-users-route.ts';
import { chooseTexts } from './page-texts.ts';
import { pageHeaders, SAFE_CONTENT, isForPage, type PageOptions } from './page.ts';

const EXPLORER_PATH = '/explorer';
const ASSETS_PATH = `${EXPLORER_PATH}/assets`;

/** Where the page is: itself, and where the issuer leads back to. */
const PAGE_PATHS = [EXPLORER_PATH, `${EXPLORER_PATH}/callback`, `${EXPLORER_PATH}/signed-out`];

/**
 * Serves the explorer and its files, which are read at the first request.
 *
 * @returns what reads the files ahead of it: visitors of the landing page come to the explorer next
 */
export function addExplorer(
  server: FastifyInstance,
  options: PageOptions,
): (request: FastifyRequest) => void {
  if (options.isDevelopment) {
    addGraphEvents(server, options);
    addFieldUsers(server, options);
  }
  const assets = createAssetReader();
  for (const path of PAGE_PATHS)
    server.get(path, async (request, reply) => {
      reply.header('vary', 'Accept, Accept-Language');
      if (!isForPage(request, options)) return reply.callNotFound();
      const found = await assets().catch((error: unknown) => reportMissing(error, request));
      if (!found) return reply.status(503).type('text/plain').send(NOT_BUILT);
      return sendPage(found, request, reply, options);
    });
  server.get<{ Params: { file: string } }>(`${ASSETS_PATH}/:file`, async (request, reply) => {
    if (!options.settings().pages.enabled) return reply.callNotFound();
    const found = await assets().catch((error: unknown) => reportMissing(error, request));
    const file = found?.files.get(request.params.file);
    return file ? sendAsset(file, request, reply) : reply.callNotFound();
  });
  return (request) => void assets().catch((error: unknown) => reportMissing(error, request));
}

const NOT_BUILT = 'The explorer is not built: "npm run build" does it.';

/** Where a browser goes that wants a page of the graph's address: the explorer, with the query that the address holds. */
export function explorerOf(options: PageOptions): (request: FastifyRequest) => string | undefined {
  return (request) => {
    if (!isForPage(request, options)) return undefined;
    const { search } = new URL(request.url, 'http://localhost');
    return EXPLORER_PATH + search;
  };
}

/** Reads the files once. What failed is tried again with the next request: a developer may have mended it. */
function createAssetReader(): () => Promise<ExplorerAssets> {
  let reading: Promise<ExplorerAssets> | undefined;
  return () => {
    reading ??= loadExplorer().catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

function reportMissing(error: unknown, request: FastifyRequest): undefined {
  const message = error instanceof AssetsMissing ? 'explorer is not built' : 'building the explorer failed';
  request.log.error({ err: error }, message);
  return undefined;
}

const errorMeanings = Object.fromEntries(
  Object.entries(gatewayErrorCodes).map(([code, { summary }]) => [code, summary]),
);

const NONCE_BYTES = 18;

async function sendPage(
  { script, style }: ExplorerAssets,
  request: FastifyRequest,
  reply: FastifyReply,
  options: PageOptions,
): Promise<FastifyReply> {
  const { graphPath, streamPath, services, issuer: issuerOf } = options;
  const { title, clientId, scopes, examples, errorReference } = options.settings().pages;
  const issuer = issuerOf();
  const isLocal = isOfThisMachine({ headers: { host: request.headers.host } }); // whatever page has led here
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  const settings = {
    title,
    graphPath,
    streamPath,
    issuer,
    clientId,
    scopes: scopes ?? explorerScopes(services().supergraphs.current()),
    errorMeanings,
    ...(options.isDevelopment && isLocal && { eventsPath: GRAPH_EVENTS_PATH }),
    ...(services().usage?.usersOf && isLocal && { fieldUsersPath: FIELD_USERS_PATH }),
    errorReference,
    examples: examples === undefined ? [] : await readExamples(examples, request.log),
  };
  const servers = ["'self'", ...(issuer === undefined ? [] : [new URL(issuer).origin])];
  const sources = {
    'script-src': ["'self'"],
    'style-src': ["'self'", `'nonce-${nonce}'`],
    'connect-src': servers,
    'img-src': ['data:'],
  };
  const headers = pageHeaders(sources, servers); // signing out is a form, which leads back here
  const page = { settings, nonce, script: `${ASSETS_PATH}/${script}`, style: `${ASSETS_PATH}/${style}` };
  return reply.headers(headers).send(renderExplorer(page, chooseTexts(request.headers['accept-language'])));
}

const CODINGS = ['br', 'gzip', 'identity'] as const;

/** A file is named by its content: what a browser has of it is right for ever. RFC 8246 */
function sendAsset(
  { contentType, content, compressed }: AssetFile,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const coding = choosePreferred(headers['accept-encoding'] ?? '', CODINGS) ?? 'identity';
  void reply.headers({
    ...SAFE_CONTENT,
    'content-type': contentType,
    'cache-control': 'public, max-age=31536000, immutable',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'Accept-Encoding',
  });
  if (coding === 'identity') return reply.send(content);
  return reply.header('content-encoding', coding).send(compressed[coding]);
}
