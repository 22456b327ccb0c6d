import { CombinedGraphQLErrors, ServerError } from '@apollo/client';
import type { Texts } from '../texts/en.ts';

/** What happened, and what the user can do. */
export interface Described {
  readonly message: string;
  /** Whether the same may succeed when it is tried again. */
  readonly isRetryable: boolean;
}

type Code = keyof Texts['errors'];

const RETRYABLE: ReadonlySet<Code> = new Set(['network', 'rateLimited', 'busy', 'unknown']);

/** Codes of the graph, by what the user can do about them. */
const KINDS: Readonly<Record<string, Code>> = {
  UNAUTHENTICATED: 'unauthenticated',
  FORBIDDEN: 'forbidden',
  BAD_USER_INPUT: 'badInput',
  RATE_LIMITED: 'rateLimited',
  SERVICE_UNAVAILABLE: 'busy',
  GATEWAY_TIMEOUT: 'busy',
};

/** Says in the user's language what went wrong. */
export function describeError(error: unknown, texts: Texts): Described {
  const code = codeOf(error);
  return { message: texts.errors[code], isRetryable: RETRYABLE.has(code) };
}

/** Whether the post was changed by another since it was read. */
export function isVersionConflict(error: unknown): boolean {
  return (
    CombinedGraphQLErrors.is(error) &&
    error.errors.some(
      ({ extensions }) =>
        extensions?.['code'] === 'BAD_USER_INPUT' && extensions['field'] === 'input.expectedUpdatedAt',
    )
  );
}

function codeOf(error: unknown): Code {
  if (error instanceof TypeError) return 'network';
  if (ServerError.is(error) && error.statusCode === 401) return 'unauthenticated';
  if (!CombinedGraphQLErrors.is(error)) return 'unknown';
  const codes = error.errors.map(({ extensions }) => String(extensions?.['code']));
  return (
    codes.map((code) => (Object.hasOwn(KINDS, code) ? KINDS[code] : undefined)).find(Boolean) ?? 'unknown'
  );
}
