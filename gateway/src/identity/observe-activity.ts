import type { Authenticator } from './authenticator.ts';
import type { Caller } from './caller.ts';
import type { ActivityPublisher } from './activity-publisher.ts';

/** Counts every request with a user's valid token as a sign that the user is online. */
export function observeActivity(authenticator: Authenticator, activity: ActivityPublisher): Authenticator {
  const noted = (caller: Caller): Caller => {
    if (caller.context.user) activity.touch(caller.context.user.id);
    return caller;
  };
  return {
    keys: authenticator.keys,
    isKnown: (authorization) => authenticator.isKnown(authorization),
    authenticate: (authorization, proof, certificate, address) => {
      const caller = authenticator.authenticate(authorization, proof, certificate, address);
      return caller instanceof Promise ? caller.then(noted) : noted(caller);
    },
  };
}
