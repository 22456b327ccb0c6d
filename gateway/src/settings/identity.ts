import type { Given, InForce } from './setting.ts';

/** Who is believed. */
export const authentication = {
  type: 'group',
  doc: 'Who is believed.',
  members: {
    issuers: {
      type: 'groups',
      reload: 'live',
      doc: 'Issuers whose access tokens are accepted, beside the one of TOKEN_ISSUER, which is the first. Without it, the first of these is.',
      members: {
        issuer: {
          type: 'text',
          form: 'httpUrl',
          required: true,
          reload: 'live',
          doc: "Equal to the token's iss.",
        },
        audience: {
          type: 'text',
          form: 'name',
          required: true,
          reload: 'live',
          doc: "Equal to the token's aud.",
        },
        jwksUrl: {
          type: 'text',
          form: 'httpUrl',
          required: true,
          reload: 'live',
          doc: 'Address of the public keys of the issuer.',
        },
        scopes: {
          type: 'list',
          form: 'name',
          reload: 'live',
          doc: 'Scopes that its tokens may give; others in them do not count. Absent: none, and for the first issuer all.',
        },
        roles: {
          type: 'list',
          form: 'name',
          reload: 'live',
          doc: 'Roles that its tokens may give, by the claim roles. Absent: none, and for the first issuer all.',
        },
        policies: {
          type: 'list',
          form: 'name',
          reload: 'live',
          doc: 'Names of authorization.policies that its claims may meet. Absent: none, and for the first issuer all.',
        },
        users: {
          type: 'choice',
          choices: ['own', 'linked'],
          default: 'own',
          reload: 'live',
          doc: 'own: its users are others than those of the first issuer, whatever their sub. linked: they are the users of the first issuer with the same sub, so that the issuer can speak for each of them. The first issuer has no other users than the own.',
        },
      },
    },
    leewayS: {
      type: 'int',
      min: 0,
      max: 300,
      default: 10,
      unit: 'seconds',
      reload: 'live',
      doc: 'By which clocks may differ.',
    },
    dpopUrls: {
      type: 'list',
      form: 'httpUrl',
      minItems: 1,
      reload: 'live',
      doc: 'Addresses at which clients know the gateway, whole: https://api.example/graphql. A DPoP proof has to name one of them. Absent: it has to name the host and path of its request.',
    },
    jwksCooldownMs: {
      type: 'int',
      min: 1_000,
      default: 5_000,
      unit: 'milliseconds',
      reload: 'live',
      doc: 'Between two fetches of keys, whatever tokens name.',
    },
  },
} as const;

/** An issuer whose access tokens are accepted, as an operator gives it. */
export type IssuerSettings = Given<typeof authentication.members.issuers.members>;

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
          doc: 'What the claim is, or contains when it is a list.',
        },
      },
    },
  },
} as const;

/** Policies by the name that `@policy` uses. */
export type Policies = InForce<typeof authorization.members>['policies'];

/** A policy that the operator defines: it holds when a claim of the access token is, or contains, the value. */
export type ClaimPolicy = Policies[string];
