import type { FastifyRequest } from 'fastify';
import { OAuthError } from '../errors.ts';

/**
 * Refuses forms that another site has sent. Under `Referrer-Policy: no-referrer` browsers send `Origin: null` with forms
 * of our own, so that value proves nothing; Sec-Fetch-Site and the form's token do.
 *
 * @throws OAuthError access_denied
 */
export function checkSameOrigin(request: FastifyRequest, issuer: string): void {
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const isForeignOrigin = origin !== undefined && origin !== 'null' && origin !== new URL(issuer).origin;
  const isForeignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (isForeignOrigin || isForeignSite) {
    throw new OAuthError('access_denied', 'The form was sent by another site.', {
      status: 403,
      redirect: false,
    });
  }
}
