import { honoursSignInAt, type AccountToday } from '../accounts/accounts.ts';
import { invalidGrant, missingParameter } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import { verifierMatches } from './pkce.ts';
import { nowS, type HasClock } from '../clock.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { CodeContents, FoundCode } from './code-store.ts';
import { isPkceExempt } from '../clients/registration-today.ts';
import type { Client } from '../clients/client-store.ts';
import type { Grant } from './grant-record.ts';
import { grantOfCode } from './grant-of-code.ts';
import { parseGrantCode, type GrantCode } from '../tokens/grant-code.ts';
import { equalsConstantTime } from '../secrets/secrets.ts';
import type { GrantHandler } from './grant-handler.ts';
import {
  endOverGrant,
  scopesOfClient,
  writeInSession,
  type EndGrantFeatures,
  type ScopesTodayFeatures,
} from './grant-today.ts';
import { issueUserTokens, type UserTokensFeatures } from './user-tokens.ts';
import { refreshBinding } from './key-binding.ts';
import { checkResource } from './requested-scopes.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { GrantFeatures } from './grant-features.ts';
import { isPresented } from '../tokens/token-binding.ts';

/** What this grant type works with. */
export type AuthorizationCodeFeatures = HasClock &
  HasSettings &
  Pick<AuditFeatures, 'audit'> &
  Pick<AccountFeatures, 'accounts'> &
  Pick<GrantFeatures, 'codes' | 'replicated' | 'revoker'> &
  ScopesTodayFeatures &
  EndGrantFeatures &
  UserTokensFeatures;

/**
 * Exchanges a code for tokens, once. Everything is checked before the code is consumed, so that a request with a wrong
 * client, verifier or redirect URI neither burns the code nor, on a replay, revokes anything.
 *
 * @see RFC 6749 §4.1.3, RFC 7636 §4.6, RFC 9700 §2.1.1
 */
export const authorizationCodeGrant: GrantHandler<AuthorizationCodeFeatures> = {
  grantType: 'authorization_code',
  handle: async ({ clientId, clientToday, parameters, presented, receivedAt, address }, features) => {
    const code = readCode(parameters);
    const found = await features.codes.find(code.grantId);
    const { contents, hasGrant } = checkCode(code, found, clientId, parameters);
    if (!isPresented({ keyThumbprint: contents.keyThumbprint }, presented)) {
      throw invalidGrant('other key than dpop_jkt');
    }
    const [account, client] = await Promise.all([findAccount(contents, features), clientToday()]);
    if (contents.codeChallenge === undefined && !isPkceExempt(client)) {
      throw invalidGrant('exemption from PKCE was withdrawn');
    }
    const binding = refreshBinding(client, presented);
    const grant = grantOfCode(contents, binding, features.settings);
    const isExpected =
      binding.keyThumbprint === contents.keyThumbprint && binding.certificateThumbprint === undefined;
    const isStored = hasGrant && isExpected;
    const scopes =
      scopesOfClient(grant, client, features) ?? (await endOverGrant(code.grantId, grant, client, features));
    const write = (): Promise<void> => consume({ code, grant, isStored, client, address }, features);
    await writeInSession({ grantId: code.grantId, scopes, terms: grant, write }, features);
    return issueUserTokens(features, {
      client,
      account,
      grantId: code.grantId,
      grant,
      scopes,
      generation: isRefreshable(client) ? 1 : undefined,
      nonce: contents.nonce,
      receivedAt,
      presented,
    });
  },
};

function readCode(parameters: Parameters): GrantCode {
  const text = parameters.get('code');
  if (text === undefined) throw missingParameter('code');
  const code = parseGrantCode('ac', text);
  if (!code) throw invalidGrant('not a code');
  return code;
}

function checkCode(
  code: GrantCode,
  stored: FoundCode | undefined,
  clientId: string,
  parameters: Parameters,
): FoundCode {
  if (!stored || !equalsConstantTime(stored.secretHash, code.secretHash)) throw invalidGrant('unknown code');
  const { contents } = stored;
  if (contents.clientId !== clientId) throw invalidGrant('code of another client');
  const redirectUri = parameters.get('redirect_uri');
  if (redirectUri !== undefined && redirectUri !== contents.redirectUri)
    throw invalidGrant('other redirect_uri');
  checkVerifier(parameters.get('code_verifier'), contents.codeChallenge);
  checkResource(contents.audience, parameters.getAll('resource'));
  return stored;
}

/** A verifier without a challenge says that someone took the challenge out of the request. RFC 9700 §4.8.2 */
function checkVerifier(verifier: string | undefined, challenge: string | undefined): void {
  if (challenge === undefined && verifier !== undefined)
    throw invalidGrant('code_verifier without code_challenge');
  if (challenge === undefined) return;
  if (verifier === undefined) throw missingParameter('code_verifier');
  if (!verifierMatches(verifier, challenge)) throw invalidGrant('wrong code_verifier');
}

async function findAccount(
  contents: CodeContents,
  { accounts }: AuthorizationCodeFeatures,
): Promise<AccountToday> {
  const account = await accounts.findToday(contents.subject);
  if (!account || !honoursSignInAt(account, contents.authenticatedAt)) throw invalidGrant('account is gone');
  return account;
}

interface Consumption {
  readonly code: GrantCode;
  readonly grant: Grant;
  /** Whether just this grant lies beside the code. */
  readonly isStored: boolean;
  readonly client: Client;
  readonly address: string;
}

async function consume(
  { code, grant, isStored, client, address }: Consumption,
  features: AuthorizationCodeFeatures,
): Promise<void> {
  const { codes, audit, revoker, settings, replicated } = features;
  const outcome = await replicated(() =>
    codes.consume({
      grantId: code.grantId,
      secretHash: code.secretHash,
      grant: isStored ? undefined : grant,
      idleTtlS: isRefreshable(client) ? settings.refreshIdleTtlS : settings.accessTokenTtlS,
      now: nowS(features),
    }),
  );
  if (outcome === 'consumed') {
    const { subject, clientId, scopes } = grant;
    audit.record({ event: 'grant_begun', grantId: code.grantId, subject, clientId, scopes, address });
    return;
  }
  if (outcome === 'replayed') {
    audit.record({ event: 'code_replayed', grantId: code.grantId, clientId: grant.clientId, address });
    await revoker.publish(code.grantId, grant, 'code_replayed');
  }
  throw invalidGrant(`code is ${outcome}`);
}

function isRefreshable({ metadata }: Client): boolean {
  return metadata.grant_types.includes('refresh_token');
}
