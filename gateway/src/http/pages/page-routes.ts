import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Supergraph } from '../../supergraph/supergraph.ts';
import { addExplorer } from './explorer-routes.ts';
import { renderLanding, renderMissing, type LandingPage, LANDING_STYLE } from './landing-page.ts';
import { chooseTexts } from './page-texts.ts';
import { hashSource, pageHeaders, isForPage, type PageOptions } from './page.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
}; // our own file

const landingHeaders = pageHeaders({
  'style-src': [hashSource(LANDING_STYLE.text)],
  'img-src': ['data:'],
});

/** Serves pages to browsers. Without `pages.enabled`, and to other clients, nothing is at their addresses. */
export function addPages(server: FastifyInstance, options: PageOptions): void {
  const prepareExplorer = addExplorer(server, options);
  server.get('/', (request, reply) => {
    reply.header('vary', 'Accept, Accept-Language');
    if (!isForPage(request, options)) return reply.callNotFound();
    prepareExplorer(request);
    return sendLanding(request, reply, options);
  });
}

/** Responds where nothing is at an address: to browsers with a page that leads on, to all others in JSON. */
export function sendMissing(
  request: FastifyRequest,
  reply: FastifyReply,
  options: Pick<PageOptions, 'settings' | 'graphPath'>,
): FastifyReply {
  void reply.status(404);
  if (!isForPage(request, options)) {
    const message = `There is nothing at this address. GraphQL is served at ${options.graphPath}.`;
    return reply.send({ error: 'Not Found', message });
  }
  const page = renderMissing(chooseTexts(request.headers['accept-language']));
  return reply.headers(landingHeaders).header('vary', 'Accept, Accept-Language').send(page);
}

function sendLanding(request: FastifyRequest, reply: FastifyReply, options: PageOptions): FastifyReply {
  const page = landingOf(request, options);
  return reply
    .headers(landingHeaders)
    .send(renderLanding(page, chooseTexts(request.headers['accept-language'])));
}

const HASH_CHARACTERS = 12;

function landingOf(
  request: FastifyRequest,
  { graphPath, settings, services, issuer }: PageOptions,
): LandingPage {
  const { title, links, errorReference } = settings().pages;
  const supergraph = services().supergraphs.current();
  return {
    title,
    links,
    errorReference,
    version,
    endpoint: `${request.protocol}://${addressOf(request)}${graphPath}`,
    graphHash: supergraph.hash.slice(0, HASH_CHARACTERS),
    types: typesOf(supergraph),
    subgraphs: [...supergraph.subgraphs.keys()],
    issuer: issuer(),
  };
}

/** The host stands in a command that one copies: nothing but a host and a port does. */
function addressOf({ host }: FastifyRequest): string {
  return /^(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$/i.test(host) ? host : 'localhost';
}

function typesOf({ schema }: Supergraph): number {
  return Object.keys(schema.getTypeMap()).filter((name) => !name.startsWith('__')).length;
}
