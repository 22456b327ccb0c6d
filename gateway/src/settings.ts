import { z } from 'zod';
import type { ClaimPolicy } from './auth/policies.ts';
import { mayBeForwarded } from './pipeline/subgraph-headers.ts';

/** An issuer whose access tokens are accepted. */
export interface IssuerSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
}

/** What an operator configures in `gateway.yaml`. What is absent has the default that the schema names. */
export interface GatewaySettings {
  readonly introspection?: boolean | undefined;
  readonly limits?: LimitSettings | undefined;
  readonly cost?: CostFileSettings | undefined;
  readonly authentication?: AuthenticationSettings | undefined;
  readonly authorization?:
    { readonly policies?: Readonly<Record<string, ClaimPolicy>> | undefined } | undefined;
  readonly headers?: { readonly forward?: readonly string[] | undefined } | undefined;
  readonly timeouts?: TimeoutSettings | undefined;
}

/** Bounds on what one request may ask for. */
export interface LimitSettings {
  readonly depth?: number | undefined;
  readonly aliases?: number | undefined;
  readonly rootFields?: number | undefined;
  readonly directives?: number | undefined;
  readonly cost?: number | undefined;
  readonly tokens?: number | undefined;
  readonly selections?: number | undefined;
  readonly variables?: number | undefined;
  readonly batch?: number | undefined;
  readonly bodyBytes?: number | undefined;
}

/** What operations cost. */
export interface CostFileSettings {
  readonly field?: number | undefined;
  readonly types?: Readonly<Record<string, number>> | undefined;
  readonly slicingArguments?: readonly string[] | undefined;
  readonly omittedSlice?: number | undefined;
}

/** Whose tokens are believed. */
export interface AuthenticationSettings {
  readonly issuers?: readonly IssuerSettings[] | undefined;
  readonly leewayS?: number | undefined;
  readonly jwksCooldownMs?: number | undefined;
}

/** How long things may take. */
export interface TimeoutSettings {
  readonly requestMs?: number | undefined;
  readonly subgraphMs?: number | undefined;
}

const count = (description: string): z.ZodOptional<z.ZodNumber> =>
  z.int().min(1).optional().describe(description);
const httpUrl = z.string().refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
  error: 'must be an absolute http or https URL',
});

const limits = z
  .strictObject({
    depth: count('Fields from root to leaf. Default 10.'),
    aliases: count('Aliases of an operation. Default 10.'),
    rootFields: count('Fields at the root of an operation. Default 20.'),
    directives: count('Directives of an operation. Default 50.'),
    cost: count('Total cost of an operation. Default 10,000.'),
    tokens: count('Lexical tokens of a document. Default 10,000.'),
    selections: count('Selections after expanding fragments. Default 5,000.'),
    variables: count('Values within the variables of a request. Default 50,000.'),
    batch: count('Operations in a batch. Default 10.'),
    bodyBytes: count('Bytes of a request body. Default 1,048,576.'),
  })
  .describe('What one request may ask for.');

const cost = z
  .strictObject({
    field: z.int().min(0).optional().describe('Of a field whose schema has no @cost. Default 1.'),
    types: z
      .record(z.string(), z.int().min(0))
      .optional()
      .describe('Of a field that returns the type, by its name. A @cost in the schema wins.'),
    slicingArguments: z
      .array(z.string())
      .optional()
      .describe('Arguments that multiply the cost of what they slice. Default first, last, limit.'),
    omittedSlice: z
      .int()
      .min(1)
      .optional()
      .describe('Taken for a slicing argument that is absent and has no default. Default 10.'),
  })
  .describe('What operations cost.');

const issuer = z
  .strictObject({
    issuer: httpUrl.describe("Equal to the token's iss."),
    audience: z.string().min(1).describe("Equal to the token's aud."),
    jwksUrl: httpUrl.describe('Where the public keys of the issuer are.'),
  })
  .describe('An issuer whose access tokens are accepted.');

const authentication = z
  .strictObject({
    issuers: z.array(issuer).optional().describe('Beside the one of TOKEN_ISSUER.'),
    leewayS: z.int().min(0).max(300).optional().describe('Seconds by which clocks may differ. Default 10.'),
    jwksCooldownMs: z
      .int()
      .min(1_000)
      .optional()
      .describe('Milliseconds between two fetches of keys, whatever tokens name. Default 5,000.'),
  })
  .describe('Who is believed.');

const authorization = z
  .strictObject({
    policies: z
      .record(
        z.string(),
        z.strictObject({
          claim: z.string().min(1).describe('The claim of the access token that is looked at.'),
          value: z
            .union([z.string(), z.number(), z.boolean()])
            .describe('What the claim is, or contains when it is a list.'),
        }),
      )
      .optional()
      .describe('What @policy names, beside role:X. A name that is not here does not hold.'),
  })
  .describe('What callers may do.');

const headers = z
  .strictObject({
    forward: z
      .array(
        z.string().refine((name) => mayBeForwarded(name.toLowerCase()), {
          error: 'is no header that may be forwarded',
        }),
      )
      .optional()
      .describe('Client headers that go on to subgraphs.'),
  })
  .describe('What subgraphs get of a request beside the operation.');

const timeouts = z
  .strictObject({
    requestMs: count('Milliseconds to the first byte of an answer. Default 30,000.'),
    subgraphMs: count('Milliseconds for a call of a subgraph. Default 10,000.'),
  })
  .describe('How long things may take.');

/** The schema of `gateway.yaml`. Unknown keys are refused. */
export const settingsSchema: z.ZodType<GatewaySettings> = z.strictObject({
  introspection: z
    .boolean()
    .optional()
    .describe('Whether __schema and __type are answered. Default true, in production false.'),
  limits: limits.optional(),
  cost: cost.optional(),
  authentication: authentication.optional(),
  authorization: authorization.optional(),
  headers: headers.optional(),
  timeouts: timeouts.optional(),
});
