import type { InForce } from './setting.ts';

/** What callers may do. */
export const authorization = {
  type: 'group',
  doc: 'What callers may do.',
  members: {
    policies: {
      type: 'groups-by-name',
      reload: 'live',
      doc: 'What @policy names, beside role:X: each holds when a claim of the access token is the value, or contains it. A name that is not here does not hold.',
      members: {
        claim: {
          type: 'text',
          form: 'name',
          required: true,
          reload: 'live',
          doc: 'Name of a claim of the access token.',
        },
        value: {
          type: 'scalar',
          required: true,
          reload: 'live',
          doc: 'What the claim is, or contains when it is a list. Of the claim acr it is what clients are asked to sign in with.',
        },
        maxAgeS: {
          type: 'int',
          min: 1,
          max: 31_536_000,
          unit: 'seconds',
          reload: 'live',
          doc: 'Since the sign-in of the user, by the claim auth_time, when an operation begins. Absent: whenever that was.',
        },
      },
    },
  },
} as const;

/** Policies by the name that `@policy` uses. */
export type Policies = InForce<typeof authorization.members>['policies'];

/** A policy that the operator defines: it holds when a claim of the access token is, or contains, the value. */
export type ClaimPolicy = Policies[string];
