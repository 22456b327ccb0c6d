import { unfitTextIn } from '@trellis/runtime/admission';
import type { FastifyInstance } from 'fastify';
import { OAuthError } from '../errors.ts';

/** JSON in place of forms. Its texts are names, addresses and the like: none may hold what changes the direction of text. */
export function acceptJson(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? undefined : parseFit(String(body)));
    } catch (error) {
      done(error instanceof OAuthError ? error : new OAuthError('invalid_request', 'The body is not JSON.'));
    }
  });
}

/** @throws OAuthError invalid_request */
function parseFit(body: string): unknown {
  const value = JSON.parse(body) as unknown;
  const unfit = unfitTextIn(value, 'token');
  if (unfit) throw new OAuthError('invalid_request', `${unfit.path || 'The body'}: ${unfit.problem}`);
  return value;
}
