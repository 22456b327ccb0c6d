import type { FastifyInstance, FastifyRequest } from 'fastify';
import { OAuthError } from '../errors.ts';
import { parseParameters, type Parameters } from '../parameters.ts';

const FORM = 'application/x-www-form-urlencoded';

/** A charset has no meaning for forms, so that UTF-8 alone is let pass. */
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-8"?\s*(?:;|$))/i;

/** Lets `application/x-www-form-urlencoded` in and nothing else; the text is parsed by {@link formParameters}. */
export function acceptFormsOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(FORM, { parseAs: 'buffer' }, ({ headers }, body, done) => {
    if (OTHER_CHARSET.test(headers['content-type'] ?? '')) done(otherCharset());
    else done(null, decodeUtf8(body));
  });
}

function otherCharset(): OAuthError {
  return new OAuthError('invalid_request', 'The body must be UTF-8.', { status: 415 });
}

/** The parameters of the query string. @throws OAuthError invalid_request */
export function queryParameters(request: FastifyRequest): Parameters {
  const url = request.raw.url ?? '';
  const question = url.indexOf('?');
  return parseParameters(question === -1 ? '' : url.slice(question + 1));
}

/** The parameters of the body; none when there is no body. @throws OAuthError invalid_request */
export function formParameters(request: FastifyRequest): Parameters {
  const { body } = request;
  if (body === undefined || body === null) return parseParameters('');
  if (typeof body !== 'string') throw new OAuthError('invalid_request', 'The body is not UTF-8.');
  return parseParameters(body);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** False stands for bytes that are not UTF-8, which the route rejects in its own terms. */
function decodeUtf8(body: string | Buffer): string | false {
  try {
    return utf8.decode(typeof body === 'string' ? Buffer.from(body) : body);
  } catch {
    return false;
  }
}
