import type { FastifyRequest } from 'fastify';
import { checkSameOrigin } from '../http/same-origin.ts';
import type { Parameters } from '../parameters.ts';
import { isMacOf, macOf } from '../secrets/secrets.ts';
import type { AuthorizationTransaction, Transaction } from '../authorize/transactions.ts';
import { pageExpired } from './page-errors.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { HttpFeatures } from '../http/http-features.ts';
import type { AuthorizeFeatures } from '../authorize/authorize-features.ts';

/** What binds forms to browsers. */
export type BoundFormFeatures = HasSettings &
  Pick<HttpFeatures, 'cookies' | 'csrfKeys'> &
  Pick<AuthorizeFeatures, 'transactions'>;

/** A transaction that is continued in the browser it was begun in. */
export interface BoundTransaction<Kind extends Transaction = Transaction> {
  /** As addresses and forms carry it. */
  readonly sealed: string;
  readonly browserHash: string;
  readonly transaction: Kind;
}

/**
 * The token that a form carries: it holds for one browser, one transaction and one user.
 *
 * @param subject who is signed in; empty while no one is
 */
export function formToken(
  features: BoundFormFeatures,
  browserHash: string,
  transactionId: string,
  subject: string,
): string {
  return macOf(features.csrfKeys[0], browserHash, transactionId, subject);
}

/** Whether a text is the token that {@link formToken} made for the same form, under any secret that still counts. */
export function isFormToken(
  features: BoundFormFeatures,
  given: string | undefined,
  browserHash: string,
  transactionId: string,
  subject: string,
): boolean {
  return isMacOf(features.csrfKeys, given ?? '', browserHash, transactionId, subject);
}

/**
 * Finds the transaction that a page is asked for.
 *
 * @throws OAuthError when there is none, or it belongs to another browser
 */
export async function findTransaction(
  features: BoundFormFeatures,
  request: FastifyRequest,
  parameters: Parameters,
): Promise<BoundTransaction> {
  const sealed = parameters.get('transaction') ?? '';
  const browserHash = features.cookies.readBrowser(request) ?? '';
  const transaction = await features.transactions.find(sealed, browserHash);
  if (!transaction) throw pageExpired('no such transaction in this browser');
  return { sealed, browserHash, transaction };
}

/** The same, for pages that only an authorization request leads to. */
export async function findAuthorization(
  features: BoundFormFeatures,
  request: FastifyRequest,
  parameters: Parameters,
): Promise<BoundTransaction<AuthorizationTransaction>> {
  const { transaction, ...bound } = await findTransaction(features, request, parameters);
  if (transaction.kind !== 'authorization') throw pageExpired('transaction of another kind');
  return { ...bound, transaction };
}

/**
 * Checks that a form was made by this server for this browser, transaction and user.
 *
 * @throws OAuthError
 */
export function checkFormToken(
  features: BoundFormFeatures,
  request: FastifyRequest,
  parameters: Parameters,
  { browserHash, transaction }: BoundTransaction,
  subject: string,
): void {
  checkSameOrigin(request, features.settings.issuer);
  if (!isFormToken(features, parameters.get('csrf'), browserHash, transaction.id, subject)) {
    throw pageExpired('wrong form token');
  }
}
