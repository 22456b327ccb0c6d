import { z } from 'zod';
import { OAuthError } from '../errors.ts';
import type { Parameters } from '../parameters.ts';

/** What the parameter `claims` asks for, as far as this server decides by it. OpenID Connect Core §5.5 */
export interface ClaimsRequest {
  /** How the user is to sign in, one of these; undefined where the request does not say. */
  readonly acrValues: readonly string[] | undefined;
  /** Whether only those will do. */
  readonly isAcrEssential: boolean;
  /** The only account that will do. */
  readonly subject: string | undefined;
}

const requested = z
  .looseObject({
    essential: z.boolean().optional(),
    value: z.string().optional(),
    values: z.array(z.string()).optional(),
  })
  .nullish();
const claimsParameter = z.looseObject({
  id_token: z.looseObject({ acr: requested, sub: requested }).nullish(),
  userinfo: z.looseObject({}).nullish(),
});

type Requested = z.output<typeof requested>;

/**
 * Reads the parameter `claims`. Claims about the user come by scopes alone, so of the others nothing is lost: what is not
 * returned is no error. OpenID Connect Core §5.5.1
 *
 * @throws OAuthError invalid_request for what is no claims request
 */
export function readClaimsRequest(parameters: Parameters): ClaimsRequest {
  const { acr, sub } = parse(parameters.get('claims'))?.id_token ?? {};
  return {
    acrValues: valuesOf(acr),
    isAcrEssential: acr?.essential === true,
    subject: valuesOf(sub)?.[0],
  };
}

function parse(text: string | undefined): z.output<typeof claimsParameter> | undefined {
  if (text === undefined) return undefined;
  const parsed = claimsParameter.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new OAuthError('invalid_request', 'The parameter claims is no claims request in JSON.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function valuesOf(claim: Requested): readonly string[] | undefined {
  return claim?.values ?? (claim?.value === undefined ? undefined : [claim.value]);
}
