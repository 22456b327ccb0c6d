import type { FastifyInstance } from 'fastify';
import { OAuthError } from '../errors.ts';

/** JSON in place of forms. */
export function acceptJson(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? undefined : (JSON.parse(String(body)) as unknown));
    } catch {
      done(new OAuthError('invalid_request', 'The body is not JSON.'));
    }
  });
}
