import type { FastifyRequest } from 'fastify';
import type { ErrorWriter } from '../http/error-handler.ts';
import { formParameters, queryParameters } from '../http/request-parameters.ts';
import { OAuthError } from '../errors.ts';
import { textsFor } from '../http/texts-for.ts';
import { renderError } from '../pages/pages.ts';
import { sendPage } from '../http/send-page.ts';
import type { AuthorizeFeatures } from '../authorize/authorize-features.ts';
import type { ClientFeatures } from '../clients/client-features.ts';
import type { HttpFeatures } from '../http/http-features.ts';
import type { Parameters } from '../parameters.ts';
import { wayBackTo } from './client-on-page.ts';

/** What error pages are made with. */
export type PageErrorFeatures = Pick<ClientFeatures, 'clients'> &
  Pick<HttpFeatures, 'cookies'> &
  Pick<AuthorizeFeatures, 'transactions'>;

/** Shows errors to users, with a way back to the application that they come from. */
export function createPageErrorWriter(features: PageErrorFeatures): ErrorWriter {
  return (error, request, reply) => {
    const clientId = clientIdOf(features, request);
    // Remembered only: the error may be that the store is unavailable.
    const client = clientId === undefined ? undefined : features.clients.findRemembered(clientId);
    const context = { requestId: request.id, client: client && wayBackTo(client.metadata) };
    return sendPage(reply, renderError(error, context, textsFor(request)), { status: error.status });
  };
}

/** The client of the request, or of the authorization request that it belongs to: also one that is over. */
function clientIdOf(features: PageErrorFeatures, request: FastifyRequest): string | undefined {
  try {
    const all: readonly Parameters[] = [queryParameters(request), formParameters(request)];
    const read = (name: string): string | undefined => all.flatMap((each) => each.get(name) ?? [])[0];
    const sealed = read('transaction');
    if (sealed === undefined) return read('client_id');
    const transaction = features.transactions.open(sealed, features.cookies.readBrowser(request) ?? '');
    return transaction?.kind === 'authorization' ? transaction.request.clientId : undefined;
  } catch {
    return undefined; // it is what the error is about
  }
}

/** A page is used after its time, twice, or in another browser than the one it was made for. */
export function pageExpired(detail: string): OAuthError {
  return new OAuthError('access_denied', 'The page is no longer valid here.', {
    status: 403,
    redirect: false,
    detail,
  });
}
