import { honoursSignInAt, type AccountToday } from '../accounts/accounts.ts';
import { invalidGrant, missingParameter } from '../errors.ts';
import { nowS, type HasClock } from '../clock.ts';
import type { Client } from '../clients/client-store.ts';
import { keepsRefreshTokens } from '../clients/security-profile.ts';
import type { FoundGrant, Grant } from './grant-record.ts';
import type { RefreshTokenContents } from '../tokens/refresh-token.ts';
import type { GrantHandler } from './grant-handler.ts';
import {
  endOverGrant,
  scopesOfClient,
  writeInSession,
  type EndGrantFeatures,
  type ScopesTodayFeatures,
} from './grant-today.ts';
import { issueUserTokens, type UserTokensFeatures } from './user-tokens.ts';
import { checkResource, narrowScopes } from './requested-scopes.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { TokenFeatures } from '../tokens/token-features.ts';
import type { GrantFeatures } from './grant-features.ts';
import { isPresented } from '../tokens/token-binding.ts';

/** What this grant type works with. */
export type RefreshTokenFeatures = HasClock &
  HasSettings &
  Pick<AuditFeatures, 'audit'> &
  Pick<AccountFeatures, 'accounts'> &
  Pick<TokenFeatures, 'refreshTokens'> &
  Pick<GrantFeatures, 'grants' | 'replicated' | 'revoker'> &
  ScopesTodayFeatures &
  EndGrantFeatures &
  UserTokensFeatures;

/**
 * Continues a grant: a new access token, and the successor of the refresh token, which is used up. What is rejected for its
 * scope, resource or client does not use it up.
 *
 * @see RFC 6749 §6, RFC 9700 §4.14
 */
export const refreshTokenGrant: GrantHandler<RefreshTokenFeatures> = {
  grantType: 'refresh_token',
  handle: async ({ clientId, clientToday, parameters, presented, receivedAt, address }, features) => {
    const text = parameters.get('refresh_token');
    if (text === undefined) throw missingParameter('refresh_token');
    const token = features.refreshTokens.decode(text);
    if (!token) throw invalidGrant('not a refresh token of this server');
    const grant = await findGrant(token.grantId, clientId, features);
    if (!isPresented(grant, presented)) throw invalidGrant('other key than the grant is bound to');
    const asked = narrowScopes(grant.scopes, parameters.get('scope'));
    checkResource(grant.audience, parameters.getAll('resource'));
    const [account, client] = await Promise.all([findAccount(token.grantId, grant, features), clientToday()]);
    const allowed =
      scopesOfClient(grant, client, features) ?? (await endOverGrant(token.grantId, grant, client, features));
    const write = (): Promise<number> => rotate(token, grant, client, address, features);
    const session = { grantId: token.grantId, scopes: allowed, terms: grant, write };
    const generation = await writeInSession(session, features);
    const scopes = asked.filter((scope) => allowed.includes(scope));
    return issueUserTokens(features, {
      client,
      account,
      grantId: token.grantId,
      grant,
      scopes,
      generation,
      receivedAt,
      presented,
    });
  },
};

async function findGrant(
  grantId: string,
  clientId: string,
  { grants }: RefreshTokenFeatures,
): Promise<FoundGrant> {
  const found = await grants.findWithGeneration(grantId);
  if (!found) throw invalidGrant('grant has ended');
  const { grant } = found;
  if (grant.clientId !== clientId) throw invalidGrant('grant of another client');
  return grant;
}

/** A grant whose user may no longer sign in ends here. */
async function findAccount(
  grantId: string,
  grant: Grant,
  { accounts, revoker }: RefreshTokenFeatures,
): Promise<AccountToday> {
  const account = await accounts.findToday(grant.subject);
  if (account && honoursSignInAt(account, grant.authenticatedAt)) return account;
  await revoker.revoke(grantId, 'account_changed');
  throw invalidGrant('account is gone, disabled or has new credentials');
}

async function rotate(
  token: RefreshTokenContents,
  grant: FoundGrant,
  { metadata }: Client,
  address: string,
  features: RefreshTokenFeatures,
): Promise<number> {
  const { grants, audit, revoker, settings, replicated } = features;
  const { client_id: clientId, refresh_reuse_leeway_seconds: leewayS } = metadata;
  const outcome = await replicated(() =>
    grants.rotate({
      grantId: token.grantId,
      generation: token.generation,
      grant,
      now: nowS(features),
      idleTtlS: settings.refreshIdleTtlS,
      leewayS,
      staysTheSame: keepsRefreshTokens(metadata),
    }),
  );
  switch (outcome.kind) {
    case 'rotated':
    case 'repeated':
      return outcome.generation;
    case 'reused':
      audit.record({ event: 'refresh_token_reused', grantId: token.grantId, clientId, address });
      await revoker.publish(token.grantId, grant, 'refresh_token_reused');
      throw invalidGrant('reused');
    case 'gone':
      throw invalidGrant(outcome.kind);
    default:
      return outcome satisfies never;
  }
}
