import { defineScript, type RedisConnection } from '@trellis/redis';
import { memberOf, parseMember, type ListedGrant } from '../accounts/listed-grant.ts';

/** A grant that is to be listed. */
export interface NewAccountGrant extends ListedGrant {
  /**
   * When the grant, or the code that it begins with, ends at the latest, seconds since 1970; with those of the instant in which it began
   * behind the point, so that the grants of one second stay in their order.
   */
  readonly expiresAt: number;
}

/** Which grants an account has, so that all of them can be ended. */
export interface AccountGrantStore {
  /**
   * Lists a grant, or moves its end.
   *
   * @param now seconds since 1970
   * @param most grants that one client may have of the account
   * @returns the grants of the client, oldest first, where there are more than that; else nothing
   */
  add(subject: string, grant: NewAccountGrant, now: number, most: number): Promise<readonly ListedGrant[]>;
  /** Oldest first; may name grants that have ended meanwhile. */
  list(subject: string, now: number): Promise<readonly ListedGrant[]>;
  remove(subject: string, grants: readonly ListedGrant[]): Promise<void>;
}

const addAccountGrant = defineScript(new URL('../../src/grants/add-account-grant-1.lua', import.meta.url));

/** One sorted set an account, scored by the grants' ends, in Redis. A member is a grant and its client. */
export function createAccountGrantStore(redis: RedisConnection): AccountGrantStore {
  return {
    add: async (subject, { grantId, clientId, expiresAt }, now, most) => {
      const args = [grantId, clientId, expiresAt, now, most];
      const members = (await addAccountGrant(redis, [keyOf(subject)], args)) as readonly string[]; // as the script's head says
      return members.map(parseMember);
    },
    list: async (subject, now) =>
      (await redis.zrangebyscore(keyOf(subject), String(now), '+inf')).map(parseMember),
    remove: async (subject, grants) => {
      if (grants.length > 0) await redis.zrem(keyOf(subject), ...grants.map(memberOf));
    },
  };
}

function keyOf(subject: string): string {
  return `account-grants:{${subject}}`;
}
