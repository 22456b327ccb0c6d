import { nowS, type HasClock } from '../clock.ts';
import type { NewAccountGrant } from './account-grant-store.ts';
import type { GrantFeatures } from './grant-features.ts';

/** What lists grants. */
export type ListGrantFeatures = HasClock & Pick<GrantFeatures, 'accountGrants' | 'grants' | 'revoker'>;

/** Grants that one client may have of one account. */
const MOST_GRANTS = 200;

/**
 * Lists a grant that is about to begin, so that whatever ends the account's grants ends this one too. What the client has
 * beyond its number goes: first what has ended by itself, then the oldest.
 */
export async function listGrant(
  subject: string,
  grant: NewAccountGrant,
  features: HasClock & Pick<GrantFeatures, 'accountGrants' | 'grants' | 'revoker'>,
): Promise<void> {
  const { accountGrants, grants, revoker } = features;
  const ofClient = await accountGrants.add(subject, grant, nowS(features), MOST_GRANTS);
  if (ofClient.length === 0) return;
  const others = ofClient.filter(({ grantId }) => grantId !== grant.grantId);
  const live = await grants.filterLive(others.map(({ grantId }) => grantId));
  await accountGrants.remove(
    subject,
    others.filter(({ grantId }) => !live.has(grantId)),
  );
  const surplus = others.filter(({ grantId }) => live.has(grantId)).slice(0, -(MOST_GRANTS - 1));
  await revoker.revokeMany(subject, surplus, 'more_than_allowed');
}
