import { PROOF_ALGORITHMS } from '@trellis/runtime/dpop';
import type { TokenOutcome } from '@trellis/gateway/token-authentication';
import { RegistryError } from '@trellis/registry';

/** A token that anybody who has read it could send. Its client may get another, which is bound to a key. */
export class UnboundToken extends RegistryError {
  /** The header `WWW-Authenticate`. RFC 9449 §7.1 */
  readonly challenge: string = `DPoP error="invalid_token", algs="${PROOF_ALGORITHMS.join(' ')}"`;

  constructor() {
    super(
      'NO_RIGHT',
      'A change needs an access token that is bound to a key (DPoP), so that a copy of it changes nothing. Name a client, with TRELLIS_REGISTRY_CLIENT_ID and TRELLIS_REGISTRY_CLIENT_SECRET, in place of TRELLIS_REGISTRY_TOKEN.',
    );
  }
}

/** Whether changes take tokens that are bound to no key. */
export interface TokenBinding {
  /** @default false */
  readonly takesUnboundTokens?: boolean | undefined;
}

/** @throws UnboundToken */
export function assertBound(outcome: TokenOutcome, { takesUnboundTokens = false }: TokenBinding): void {
  if (!takesUnboundTokens && outcome.kind === 'caller' && !outcome.caller.isBound) throw new UnboundToken();
}
