import { z } from 'zod';

/** An issuer whose access tokens are accepted. */
export interface IssuerSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly scopes?: readonly string[] | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly policies?: readonly string[] | undefined;
  readonly users?: 'own' | 'linked' | undefined;
}

/** Whose tokens are believed. */
export interface AuthenticationSettings {
  readonly issuers?: readonly IssuerSettings[] | undefined;
  readonly leewayS?: number | undefined;
  readonly dpopUrls?: readonly string[] | undefined;
  readonly jwksCooldownMs?: number | undefined;
}

const httpUrl = z.string().refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
  error: 'must be an absolute http or https URL',
});

const names = (description: string): z.ZodOptional<z.ZodArray<z.ZodString>> =>
  z.array(z.string().min(1)).optional().describe(description);

const issuer = z
  .strictObject({
    issuer: httpUrl.describe("Equal to the token's iss."),
    audience: z.string().min(1).describe("Equal to the token's aud."),
    jwksUrl: httpUrl.describe('Where the public keys of the issuer are.'),
    scopes: names(
      'Scopes that its tokens may give; others in them do not count. Default none, and for the first issuer all.',
    ),
    roles: names(
      'Roles that its tokens may give, by the claim roles. Default none, and for the first issuer all.',
    ),
    policies: names(
      'Names of authorization.policies that its claims may meet. Default none, and for the first issuer all.',
    ),
    users: z
      .enum(['own', 'linked'])
      .optional()
      .describe(
        'own: its users are others than those of the first issuer, whatever their sub. linked: they are the users of the first issuer with the same sub, so that the issuer can speak for each of them. Default own. The first issuer has no other users than the own.',
      ),
  })
  .describe('An issuer whose access tokens are accepted.');

/** The part of `gateway.yaml` about authentication. */
export const authenticationSettings: z.ZodType<AuthenticationSettings> = z
  .strictObject({
    issuers: z
      .array(issuer)
      .optional()
      .describe('Beside the one of TOKEN_ISSUER, which is the first. Without it, the first of these is.'),
    leewayS: z.int().min(0).max(300).optional().describe('Seconds by which clocks may differ. Default 10.'),
    dpopUrls: z
      .array(httpUrl)
      .min(1)
      .optional()
      .describe(
        'Addresses at which clients know the gateway, whole: https://api.example/graphql. A DPoP proof has to name one of them. Absent: it has to name the host and path of its request.',
      ),
    jwksCooldownMs: z
      .int()
      .min(1_000)
      .optional()
      .describe(
        'Milliseconds between two fetches of keys, whatever tokens name. Default 5,000. A change takes effect at the next start.',
      ),
  })
  .describe('Who is believed.');
