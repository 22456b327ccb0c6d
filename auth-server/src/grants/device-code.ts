import { honoursSignInAt } from '../accounts/accounts.ts';
import { DEVICE_CODE_GRANT } from '../clients/client-metadata.ts';
import { invalidGrant, missingParameter, OAuthError } from '../errors.ts';
import type { Client } from '../clients/client-store.ts';
import type { PollOutcome } from './device-store.ts';
import type { Grant } from './grant-record.ts';
import { parseGrantCode, type GrantCode } from '../tokens/grant-code.ts';
import type { GrantHandler } from './grant-handler.ts';
import { endOverGrant, scopesOfClient, type EndGrantFeatures } from './grant-today.ts';
import { issueUserTokens, type UserTokensFeatures } from './user-tokens.ts';
import { refreshBinding } from './key-binding.ts';
import { checkResource } from './requested-scopes.ts';
import type { HasClock } from '../clock.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { GrantFeatures } from './grant-features.ts';
import type { TokenBinding } from '../tokens/token-binding.ts';

/** What this grant type works with. */
export type DeviceCodeFeatures = HasClock &
  HasSettings &
  Pick<AuditFeatures, 'audit'> &
  Pick<AccountFeatures, 'accounts'> &
  Pick<GrantFeatures, 'devices' | 'replicated'> &
  EndGrantFeatures &
  UserTokensFeatures;

/** Answers a device that asks for its tokens. RFC 8628 §3.4, §3.5 */
export const deviceCodeGrant: GrantHandler<DeviceCodeFeatures> = {
  grantType: DEVICE_CODE_GRANT,
  handle: async ({ clientToday, parameters, presented, receivedAt, address }, features) => {
    const text = parameters.get('device_code');
    if (text === undefined) throw missingParameter('device_code');
    const code = parseGrantCode('dc', text);
    if (!code) throw invalidGrant('not a device code');
    const client = await clientToday();
    const grant = grantOf(await poll(code, client, presented, features));
    checkResource(grant.audience, parameters.getAll('resource'));
    const account = await features.accounts.findToday(grant.subject);
    if (!account || !honoursSignInAt(account, grant.authenticatedAt)) throw invalidGrant('account is gone');
    const { grantId } = code;
    const scopes =
      scopesOfClient(grant, client, features) ?? (await endOverGrant(grantId, grant, client, features));
    const { subject, clientId } = grant;
    features.audit.record({ event: 'grant_begun', grantId, subject, clientId, scopes, address });
    const generation = client.metadata.grant_types.includes('refresh_token') ? 1 : undefined;
    return issueUserTokens(features, {
      client,
      account,
      grantId,
      grant,
      scopes,
      generation,
      receivedAt,
      presented,
    });
  },
};

function poll(
  code: GrantCode,
  client: Client,
  presented: TokenBinding,
  { devices, settings, clock, replicated }: DeviceCodeFeatures,
): Promise<PollOutcome> {
  const { metadata } = client;
  const isRefreshable = metadata.grant_types.includes('refresh_token');
  return replicated(() =>
    devices.poll({
      ...code,
      clientId: metadata.client_id,
      ...refreshBinding(client, presented),
      now: clock(),
      idleTtlS: isRefreshable ? settings.refreshIdleTtlS : settings.accessTokenTtlS,
    }),
  );
}

function grantOf(outcome: PollOutcome): Grant {
  switch (outcome.kind) {
    case 'allowed':
      return outcome.grant;
    case 'pending':
      throw new OAuthError('authorization_pending', 'The user has not decided yet.');
    case 'hasty':
      throw new OAuthError('slow_down', 'Wait 5 seconds longer between two questions.');
    case 'denied':
      throw new OAuthError('access_denied', 'The user denied the request.');
    case 'expired':
      throw new OAuthError('expired_token', 'The device code has expired.');
    case 'unknown':
      throw invalidGrant('unknown or used device code');
    default:
      return outcome satisfies never;
  }
}
