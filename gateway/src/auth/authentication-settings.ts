import { z } from 'zod';

/** An issuer whose access tokens are accepted. */
export interface IssuerSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
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

const issuer = z
  .strictObject({
    issuer: httpUrl.describe("Equal to the token's iss."),
    audience: z.string().min(1).describe("Equal to the token's aud."),
    jwksUrl: httpUrl.describe('Where the public keys of the issuer are.'),
  })
  .describe('An issuer whose access tokens are accepted.');

/** The part of `gateway.yaml` about authentication. */
export const authenticationSettings: z.ZodType<AuthenticationSettings> = z
  .strictObject({
    issuers: z.array(issuer).optional().describe('Beside the one of TOKEN_ISSUER.'),
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
