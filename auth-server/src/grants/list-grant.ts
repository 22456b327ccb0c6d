import { nowS } from '../clock.ts';
import type { Services } from '../app/services.ts';
import type { NewAccountGrant } from './account-grant-store.ts';

/** Grants that one client may have of one account. */
const MOST_GRANTS = 200;

/**
 * Lists a grant that is about to begin, so that whatever ends the account's grants ends this one too. What the client has
 * beyond its number goes: first what has ended by itself, then the oldest.
 */
export async function listGrant(
  subject: string,
  grant: NewAccountGrant,
  services: Pick<Services, 'accountGrants' | 'grants' | 'revoker' | 'clock'>,
): Promise<void> {
  const { accountGrants, grants, revoker } = services;
  const ofClient = await accountGrants.add(
    subject,
    withMilliseconds(grant, services),
    nowS(services),
    MOST_GRANTS,
  );
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

/** So that the grants of one second stay in their order. */
function withMilliseconds(grant: NewAccountGrant, { clock }: Pick<Services, 'clock'>): NewAccountGrant {
  return { ...grant, expiresAt: grant.expiresAt + (clock() % 1000) / 1000 };
}
