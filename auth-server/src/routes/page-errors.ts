import type { ErrorWriter } from '../http/error-handler.ts';
import { OAuthError } from '../errors.ts';
import { chooseTexts } from '../pages/language.ts';
import { renderError } from '../pages/pages.ts';
import { sendPage } from '../http/send-page.ts';

/** Shows an error to a user. */
export const writePageError: ErrorWriter = (error, request, reply) => {
  const texts = chooseTexts(undefined, request.headers['accept-language']);
  return sendPage(reply, renderError(error, texts), { status: error.status });
};

/** A page is used after its time, twice, or in another browser than the one it was made for. */
export function pageExpired(detail: string): OAuthError {
  return new OAuthError('access_denied', 'The page is no longer valid here.', {
    status: 403,
    redirect: false,
    detail,
  });
}
