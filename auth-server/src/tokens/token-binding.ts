import { equalsConstantTime } from '../secrets/secrets.ts';

/** What has to come with a token, or has come with a request. RFC 7800 §3 */
export interface TokenBinding {
  /** Thumbprint of the key that signs proofs, `jkt`. RFC 9449 §6 */
  readonly keyThumbprint?: string | undefined;
  /** Thumbprint of the client's certificate, `x5t#S256`. RFC 8705 §3.1 */
  readonly certificateThumbprint?: string | undefined;
}

/** The claim `cnf`; undefined for a token that is good by itself. */
export function confirmationOf({
  keyThumbprint: jkt,
  certificateThumbprint,
}: TokenBinding): Readonly<Record<string, string>> | undefined {
  if (jkt === undefined && certificateThumbprint === undefined) return undefined;
  return {
    ...(jkt !== undefined && { jkt }),
    ...(certificateThumbprint !== undefined && { 'x5t#S256': certificateThumbprint }),
  };
}

/** What the claim `cnf` of a token of this server says. */
export function bindingIn(confirmation: unknown): TokenBinding {
  const { jkt, 'x5t#S256': x5t } = (
    typeof confirmation === 'object' && confirmation !== null ? confirmation : {}
  ) as { readonly jkt?: unknown; readonly 'x5t#S256'?: unknown };
  return {
    keyThumbprint: typeof jkt === 'string' ? jkt : undefined,
    certificateThumbprint: typeof x5t === 'string' ? x5t : undefined,
  };
}

/** Whether all has come that a token is bound to. */
export function isPresented(binding: TokenBinding, presented: TokenBinding): boolean {
  return (
    isSame(binding.keyThumbprint, presented.keyThumbprint) &&
    isSame(binding.certificateThumbprint, presented.certificateThumbprint)
  );
}

function isSame(bound: string | undefined, presented: string | undefined): boolean {
  return bound === undefined || (presented !== undefined && equalsConstantTime(bound, presented));
}

/** With which scheme a token is sent. A certificate changes nothing about it. RFC 9449 §5, RFC 8705 §3 */
export function tokenTypeOf({ keyThumbprint }: TokenBinding): 'Bearer' | 'DPoP' {
  return keyThumbprint === undefined ? 'Bearer' : 'DPoP';
}
