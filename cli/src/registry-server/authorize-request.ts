import { RegistryError, type LogName } from '@trellis/registry';
import type { TokenCaller, TokenOutcome } from '@trellis/gateway/token-authentication';

/** What a request wants to do. */
export type RequestedAction =
  | { readonly kind: 'read' }
  | {
      readonly kind: 'publish';
      readonly log: LogName;
      readonly subgraphs: readonly string[];
      /** Whether the graph is replaced, or a contract of it changes. */
      readonly isWhole: boolean;
    }
  | { readonly kind: 'move'; readonly log: LogName }
  | { readonly kind: 'abort'; readonly log: LogName }
  /** Who signs is decided by who may change every environment: the key of a log is more than a release of it. */
  | { readonly kind: 'keys' }
  /** Deletes what no log names. */
  | { readonly kind: 'clean' };

/** A kind of change, as addresses name it. */
export type ChangeKind =
  'publications' | 'promotions' | 'rollbacks' | 'variants' | 'keys' | 'aborts' | 'garbage-collections';

/**
 * Judges, before the body of a change is read, whether a token allows any change of that kind.
 *
 * @throws RegistryError as {@link authorizeRequest}
 */
export function authorizeKind(outcome: TokenOutcome, what: ChangeKind, log: LogName): void {
  if (what !== 'publications' || outcome.kind !== 'caller') {
    authorizeRequest(outcome, requestedActionOf(what, log));
    return;
  }
  const prefixes = ['graph:publish:', `graph:publish-in:${log.environment}:`];
  const { scopes } = outcome.caller;
  if (![...scopes].some((scope) => prefixes.some((prefix) => scope.startsWith(prefix))))
    throw new RegistryError(
      'NO_RIGHT',
      `The access token has no scope graph:publish:<subgraph>, nor graph:publish-in:${log.environment}:<subgraph>.`,
    );
}

function requestedActionOf(what: ChangeKind, log: LogName): RequestedAction {
  if (what === 'garbage-collections') return { kind: 'clean' };
  if (what === 'keys') return { kind: 'keys' };
  return { kind: what === 'aborts' ? 'abort' : 'move', log };
}

/**
 * Whose request it is, where its token has the scope for what it wants: `graph:read`, `graph:publish:<subgraph>` for each subgraph
 * (`graph:publish:*` for a whole graph and for contracts) or, in one environment alone, `graph:publish-in:<environment>:<subgraph>`;
 * `graph:promote:<environment>` for promotions, rollbacks and variants, `graph:promote:*` for keys and what is of the whole registry;
 * `graph:abort:<environment>`.
 *
 * @throws RegistryError NO_RIGHT naming the scope; STORE_UNAVAILABLE where tokens can't be judged
 */
export function authorizeRequest(outcome: TokenOutcome, action: RequestedAction): TokenCaller {
  switch (outcome.kind) {
    case 'absent':
      throw new RegistryError('NO_RIGHT', 'The registry needs an access token.');
    case 'invalid':
      throw new RegistryError('NO_RIGHT', outcome.message);
    case 'unavailable':
      throw new RegistryError(
        'STORE_UNAVAILABLE',
        'The keys of the issuer are unavailable: no token can be judged.',
      );
    case 'caller': {
      const missing = scopesFor(action).find(
        (scopes) => !scopes.some((scope) => outcome.caller.scopes.has(scope)),
      );
      if (!missing) return outcome.caller;
      throw new RegistryError('NO_RIGHT', `The access token has no scope ${missing[0]}.`);
    }
    default:
      return outcome satisfies never;
  }
}

/** Of each list one suffices. */
function scopesFor(action: RequestedAction): readonly (readonly string[])[] {
  if (action.kind === 'read') return [['graph:read']];
  if (action.kind === 'clean' || action.kind === 'keys') return [['graph:promote:*']];
  if (action.kind === 'move' || action.kind === 'abort') {
    const right = action.kind === 'move' ? 'graph:promote' : 'graph:abort';
    return [[`${right}:${action.log.environment}`, `${right}:*`]];
  }
  // Who names no subgraph has a right to none.
  const here = `graph:publish-in:${action.log.environment}`;
  const all = ['graph:publish:*', `${here}:*`];
  if (action.isWhole || action.subgraphs.length === 0) return [all];
  return action.subgraphs.map((name) => [`graph:publish:${name}`, `${here}:${name}`, ...all]);
}

/**
 * Asks the issuer whether a token was revoked. Who reads may go on where it can't be asked: what it reads is as old as its right was.
 *
 * @throws RegistryError NO_RIGHT where it was; STORE_UNAVAILABLE where a change depends on an issuer that can't be asked
 */
export async function assertNotRevoked(outcome: TokenOutcome, isChange: boolean): Promise<void> {
  if (outcome.kind !== 'caller') return;
  const confirmation = await outcome.confirm?.();
  if (confirmation === 'revoked')
    throw new RegistryError(
      'NO_RIGHT',
      'The issuer says that the access token is not active: it was revoked, or the registry may not ask about it.',
    );
  if (confirmation === 'unknown' && isChange)
    throw new RegistryError(
      'STORE_UNAVAILABLE',
      'The issuer can not be asked whether the access token was revoked. Nothing was changed. Try again.',
    );
}
