import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ClientFeatures } from '../clients/client-features.ts';
import { missingParameter, OAuthError } from '../errors.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { queryParameters } from '../http/request-parameters.ts';
import type { PageFeatures } from '../pages/language.ts';
import { paths } from '../paths.ts';

/** What pictures are served from. */
export type ImageFeatures = Pick<PageFeatures, 'theme'> & Pick<ClientFeatures, 'clients' | 'clientLogos'>;

const DAY = 'public, max-age=86400';
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The pictures of the pages: the operator's, and logos of clients, fetched by this server. */
export function addImageRoutes(server: FastifyInstance, features: ImageFeatures): void {
  const { logo, darkLogo } = features.theme;
  const ofTheme = new Map([logo, darkLogo].flatMap((image) => (image ? [[image.name, image] as const] : [])));
  addEndpoint(server, paths.assets, {
    GET: (request, reply) => {
      const name = queryParameters(request).get('name');
      if (name === undefined) throw missingParameter('name');
      return sendImage(ofTheme.get(name), FOR_EVER, reply);
    },
  });
  addEndpoint(server, paths.clientLogo, {
    GET: async (request, reply) => {
      const clientId = queryParameters(request).get('client_id');
      if (clientId === undefined) throw missingParameter('client_id');
      const client = await features.clients.find(clientId);
      return sendImage(client && (await features.clientLogos.find(client.metadata)), DAY, reply);
    },
  });
}

/** Opened by itself a picture is a document of this origin, so nothing in it may run, and it is of no use to other sites. */
function sendImage(
  image: { readonly bytes: Buffer; readonly type: string } | undefined,
  cacheControl: string,
  reply: FastifyReply,
): FastifyReply {
  if (!image) throw new OAuthError('not_found', 'There is no picture.');
  return reply
    .headers({
      'content-type': image.type,
      'cache-control': cacheControl,
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
    })
    .send(image.bytes);
}
