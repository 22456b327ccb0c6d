import { forbidden } from '@trellis/subgraph-protocol';
import { hasRole, requireUserId } from '@trellis/subgraph-kit';
import type { MutationResolvers } from '../generated/resolver-types.ts';
import { readNewProfile } from '../profile-input.ts';
import type { Profile } from '../profile.ts';

/** Root fields that write. */
export const mutation: MutationResolvers = {
  createUser: (_root, args, { userContext, store, mutations }, info) => {
    const userId = requireUserId(userContext);
    if (!hasRole(userContext, 'ADMIN')) throw forbidden('Only administrators create users.');
    const profile = readNewProfile(args.input);
    const call = { userId, args, info, revive: reviveProfile };
    return mutations.run(call, (transaction) => store.create(transaction, profile));
  },
};

function reviveProfile(stored: unknown): Profile {
  const profile = stored as Omit<Profile, 'createdAt'> & { readonly createdAt: string }; // written by createUser above
  return { ...profile, createdAt: new Date(profile.createdAt) };
}
