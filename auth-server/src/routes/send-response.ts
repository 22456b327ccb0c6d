import type { FastifyReply } from 'fastify';
import type { AuthorizationRequest, RedirectTarget } from '../authorize/authorization-request.ts';
import type { AuthorizationResponse } from '../authorize/authorization-response.ts';
import { formActionSource, withQuery } from '../clients/redirect-uri.ts';
import { sendPage } from '../http/send-page.ts';
import { textsFor } from '../http/texts-for.ts';
import { renderFormPost, submitScriptSource } from '../pages/pages.ts';

/** Where a response goes, and the languages that the user prefers, where they are known. */
type Destination = RedirectTarget & Partial<Pick<AuthorizationRequest, 'uiLocales'>>;

/** Sends an authorization response to the client in the mode that it asked for. */
export function sendResponse(
  destination: Destination,
  response: AuthorizationResponse,
  reply: FastifyReply,
): FastifyReply {
  return destination.responseMode === 'form_post'
    ? sendForm(destination, response, reply)
    : redirect(reply, withQuery(destination.redirectUri, response));
}

/** 303, so that what was posted is never posted on. RFC 9700 §4.12 */
export function redirect(reply: FastifyReply, url: string): FastifyReply {
  return reply.status(303).header('location', url).header('cache-control', 'no-store').send();
}

/**
 * A page whose form posts the response: by its one script, or by its button where scripts are off. It can lead nowhere but
 * to the redirect URI.
 *
 * @see OAuth 2.0 Form Post Response Mode §2
 */
function sendForm(
  { redirectUri, uiLocales }: Destination,
  response: AuthorizationResponse,
  reply: FastifyReply,
): FastifyReply {
  const texts = textsFor(reply.request, uiLocales);
  const hidden = Object.entries(response).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const { host } = new URL(redirectUri);
  return sendPage(reply, renderFormPost({ action: redirectUri, destination: host, hidden }, texts), {
    formTarget: formActionSource(redirectUri),
    leavesOnly: true,
    script: submitScriptSource,
  });
}
