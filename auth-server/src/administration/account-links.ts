import type { Account } from '../accounts/accounts.ts';
import type { Actor } from '../audit/audit.ts';
import type { AccountLink, EmailLink } from '../accounts/link-store.ts';
import { hashCallerAt } from '../accounts/sign-in/hash-callers.ts';
import { addAccount, changeAccount, setPassword, type AccountAdministrationFeatures } from './accounts.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { SignInFeatures } from '../accounts/sign-in/sign-in-features.ts';

/** What makes links. */
export type IssueLinkFeatures = HasSettings &
  Pick<AuditFeatures, 'audit'> &
  Pick<AccountFeatures, 'links'> &
  Pick<SignInFeatures, 'accountName'>;

/** What redeems links. */
export type RedeemLinkFeatures = AccountAdministrationFeatures;

/**
 * A link with which the holder of an account chooses another password, as long as no one has changed it, and the account may
 * do what it could: a link from before a promotion takes over no administrator.
 */
export function resetLinkOf({ id, email, role, credentialsChangedAt }: Account): AccountLink {
  return { purpose: 'reset', subject: id, email, role, credentialsChangedAt };
}

/** Makes a one-time link; those before for the same are void, unless anybody may have asked for it. @returns its address */
export async function issueLink(
  features: IssueLinkFeatures,
  link: AccountLink,
  by: Actor | 'user',
): Promise<string> {
  const { settings, links, audit, accountName } = features;
  const token = await links.create(link, settings.linkTtlS, by === 'user' ? 'anybody' : 'administrator');
  audit.record({ event: 'link_issued', purpose: link.purpose, account: accountName(link.email), by });
  return `${settings.issuer}/link?token=${token}`;
}

/** Finds a link that is still of use: what it was issued for is as it was then. */
export async function findUsableLink(
  { links, accounts }: Pick<AccountFeatures, 'accounts' | 'links'>,
  token: string,
): Promise<AccountLink | undefined> {
  const link = await links.find(token);
  if (!link) return undefined;
  if (link.purpose === 'change_email')
    return isOfUse(link, await accounts.findById(link.subject)) ? link : undefined;
  if (link.purpose !== 'reset') return (await accounts.findByEmail(link.email)) ? undefined : link;
  const account = await accounts.findById(link.subject);
  const isAsThen =
    account?.disabled === false &&
    account.email === link.email &&
    account.role === link.role &&
    account.credentialsChangedAt === link.credentialsChangedAt;
  return isAsThen ? link : undefined;
}

/** Whether the account is as it was when the link was issued. */
function isOfUse({ from, credentialsChangedAt }: EmailLink, account: Account | undefined): boolean {
  return (
    account?.disabled === false &&
    account.email === from &&
    account.credentialsChangedAt === credentialsChangedAt
  );
}

/**
 * Gives an account the address that its link was sent to, if the account is as it was then. A link that could not be used is not
 * used up.
 *
 * @param by who has opened the link: no one has to be signed in for it
 * @returns whether it was done
 */
export async function redeemEmailLink(
  features: RedeemLinkFeatures,
  token: string,
  by: Actor,
): Promise<boolean> {
  const link = await findUsableLink(features, token);
  if (link?.purpose !== 'change_email') return false;
  const { subject, email } = link;
  const changed = await changeAccount(features, subject, { email }, by, (account) => isOfUse(link, account));
  if (changed === undefined || changed === 'taken') return false;
  await features.links.end(link);
  return true;
}

/**
 * Does what a link is for, once: the write that it allows finds things as they were, or does nothing, so that of any number
 * of callers one succeeds, and a link that could not be used is not used up.
 *
 * @param address where the holder of the link is
 * @returns whether it was done
 */
export async function redeemLink(
  features: RedeemLinkFeatures,
  token: string,
  password: string,
  address: string,
): Promise<boolean> {
  const link = await findUsableLink(features, token);
  if (!link || link.purpose === 'change_email') return false;
  const isDone =
    link.purpose === 'reset'
      ? await setPassword(features, { id: link.subject, ...link }, password, 'password_reset')
      : await signUp(features, { ...link, password }, address);
  if (isDone) await features.links.end(link);
  return isDone;
}

async function signUp(
  features: RedeemLinkFeatures,
  request: Parameters<typeof addAccount>[1],
  address: string,
): Promise<boolean> {
  const id = await addAccount(features, request, hashCallerAt(address, true));
  if (id !== undefined) features.audit.record({ event: 'account_signed_up', subject: id });
  return id !== undefined;
}
