import type { IncomingHttpHeaders } from 'node:http';
import { refused } from '../../errors.ts';

const JSON_BODY = /^application\/json[ \t]*(?:;(.*))?$/i;
const UTF8_PARAMETER = /^charset ?= ?(?:utf-?8|"utf-?8")$/i;

/** Whether a body is declared as `application/json`: a media type for which browsers ask before sending it across origins. */
export function isJsonBody(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type'] ?? '';
  return type === 'application/json' || JSON_BODY.test(type);
}

/**
 * Refuses bodies that are not plain `application/json` in UTF-8. Compressed ones are refused as well: what they hold is
 * small, and what they can be blown up to is not.
 *
 * @throws RequestRefused UNSUPPORTED_MEDIA_TYPE
 */
export function assertReadableBody(headers: IncomingHttpHeaders): void {
  if (headers['content-type'] !== 'application/json') assertReadableType(headers);
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== '')
    throw refused('UNSUPPORTED_MEDIA_TYPE', 'The body may not be compressed.');
}

function assertReadableType(headers: IncomingHttpHeaders): void {
  const match = JSON_BODY.exec(headers['content-type'] ?? '');
  if (!match) throw refused('UNSUPPORTED_MEDIA_TYPE', 'The body has to be application/json.');
  const parameters = (match[1] ?? '').split(';').map((parameter) => parameter.trim());
  if (!parameters.every((parameter) => parameter === '' || UTF8_PARAMETER.test(parameter)))
    throw refused('UNSUPPORTED_MEDIA_TYPE', 'The only parameter of application/json is charset=utf-8.');
}
