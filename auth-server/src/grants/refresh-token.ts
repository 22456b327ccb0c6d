import { honoursSignInAt, type Account } from '../accounts/accounts.ts';
import { invalidGrant, missingParameter } from '../errors.ts';
import { nowS } from '../clock.ts';
import type { Services } from '../app/services.ts';
import type { Client } from '../clients/client-store.ts';
import type { FoundGrant, Grant } from './grant-record.ts';
import type { RefreshTokenContents } from '../tokens/refresh-token.ts';
import type { GrantHandler } from './grant-handler.ts';
import { requireScopesToday, writeInSession } from './grant-today.ts';
import { issuePersonTokens } from './person-tokens.ts';
import { checkResource, narrowScopes } from './requested-scopes.ts';

/**
 * Continues a grant: a new access token, and the successor of the refresh token, which is used up. What is refused for its
 * scope, resource or client does not use it up.
 *
 * @see RFC 6749 §6, RFC 9700 §4.14
 */
export const refreshTokenGrant: GrantHandler = {
  grantType: 'refresh_token',
  handle: async ({ clientId, clientToday, parameters, keyThumbprint, receivedAt, address }, services) => {
    const text = parameters.get('refresh_token');
    if (text === undefined) throw missingParameter('refresh_token');
    const token = services.refreshTokens.decode(text);
    if (!token) throw invalidGrant('not a refresh token of this server');
    const grant = await findGrant(token.grantId, clientId, services);
    if (grant.keyThumbprint !== undefined && grant.keyThumbprint !== keyThumbprint) {
      throw invalidGrant('other key than the grant is bound to');
    }
    const asked = narrowScopes(grant.scopes, parameters.get('scope'));
    checkResource(grant.audience, parameters.getAll('resource'));
    const [account, client] = await Promise.all([findAccount(token.grantId, grant, services), clientToday()]);
    const allowed = await requireScopesToday(token.grantId, grant, client, services);
    const generation = await writeInSession(
      token.grantId,
      { ...grant, scopes: allowed },
      () => rotate(token, grant, client, address, services),
      services,
    );
    const scopes = asked.filter((scope) => allowed.includes(scope));
    return issuePersonTokens(services, {
      client,
      account,
      grantId: token.grantId,
      grant,
      scopes,
      generation,
      receivedAt,
      keyThumbprint,
    });
  },
};

async function findGrant(grantId: string, clientId: string, { grants }: Services): Promise<FoundGrant> {
  const grant = await grants.find(grantId);
  if (!grant) throw invalidGrant('grant has ended');
  if (grant.clientId !== clientId) throw invalidGrant('grant of another client');
  return grant;
}

/** A grant whose person may no longer sign in ends here. */
async function findAccount(grantId: string, grant: Grant, { accounts, revoker }: Services): Promise<Account> {
  const account = await accounts.findById(grant.subject);
  if (account && honoursSignInAt(account, grant.authenticatedAt)) return account;
  await revoker.revoke(grantId, 'account_changed');
  throw invalidGrant('account is gone, disabled or has new credentials');
}

async function rotate(
  token: RefreshTokenContents,
  grant: FoundGrant,
  { metadata: { client_id: clientId, refresh_reuse_leeway_seconds: leewayS } }: Client,
  address: string,
  services: Services,
): Promise<number> {
  const { grants, audit, revoker, settings, replicated } = services;
  const outcome = await replicated(() =>
    grants.rotate({
      ...token,
      grant,
      now: nowS(services),
      idleTtlS: settings.refreshIdleTtlS,
      leewayS,
    }),
  );
  switch (outcome.kind) {
    case 'rotated':
    case 'repeated':
      return outcome.generation;
    case 'reused':
      audit.record({ event: 'refresh_token_reused', grantId: token.grantId, clientId, address });
      await revoker.announce(token.grantId, grant, 'refresh_token_reused');
      throw invalidGrant('reused');
    case 'gone':
      throw invalidGrant(outcome.kind);
    default:
      return outcome satisfies never;
  }
}
