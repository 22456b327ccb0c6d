import { hash } from 'node:crypto';
import type { QueueCaller } from '@trellis/runtime/admission';
import { LRUCache } from 'lru-cache';
import type { TokenIntrospection } from './introspect-token.ts';
import { KeysUnavailable } from './key-set.ts';
import { InvalidAccessToken } from './token-rules.ts';

/** What an issuer says of a token whose signature is good. Unknown: it can't be asked now. */
export type Confirmation = 'active' | 'revoked' | 'unknown';

/** Asks an issuer whether tokens were revoked. */
export interface TokenConfirmation {
  /** @param sender in whose share of what is asked at a time the question counts */
  confirm(token: string, sender: QueueCaller): Promise<Confirmation>;
}

/** Settings of {@link createTokenConfirmation}. */
export interface TokenConfirmationOptions {
  readonly introspection: TokenIntrospection;
  /** Milliseconds for which a token is not asked about again, counted from the question. */
  readonly maxAgeMs: number;
  /** Milliseconds on a clock that never goes back. @default performance.now */
  readonly now?: () => number;
}

/** Tokens that are remembered, by their hash. */
const MAX_TOKENS = 10_000;
/** An issuer that can't be asked is not asked about a token again for so long: those who read go on. */
const UNKNOWN_MS = 2_000;

interface Known {
  readonly confirmation: Confirmation;
  readonly untilMs: number;
}

/**
 * Remembers what an issuer has said of each token for a time, which bounds how long a revocation goes unnoticed. Those who ask about
 * one token at the same time share the question.
 *
 * @see RFC 7662 §2, §4
 */
export function createTokenConfirmation(options: TokenConfirmationOptions): TokenConfirmation {
  const { introspection, maxAgeMs, now = performance.now.bind(performance) } = options;
  const known = new LRUCache<string, Known>({ max: MAX_TOKENS });
  const asking = new Map<string, Promise<Confirmation>>();

  async function ask(key: string, token: string, sender: QueueCaller): Promise<Confirmation> {
    const askedAtMs = now();
    const confirmation = await confirmationOf(introspection, token, sender);
    const ageMs = confirmation === 'unknown' ? Math.min(UNKNOWN_MS, maxAgeMs) : maxAgeMs;
    known.set(key, { confirmation, untilMs: askedAtMs + ageMs });
    return confirmation;
  }

  return {
    async confirm(token, sender) {
      const key = hash('sha256', token, 'base64url');
      const found = known.get(key);
      if (found && found.untilMs > now()) return found.confirmation;
      const running = asking.get(key);
      if (running) return running;
      const question = ask(key, token, sender).finally(() => asking.delete(key));
      asking.set(key, question);
      return question;
    },
  };
}

async function confirmationOf(
  introspection: TokenIntrospection,
  token: string,
  sender: QueueCaller,
): Promise<Confirmation> {
  try {
    await introspection.introspect(token, sender);
    return 'active';
  } catch (error) {
    if (error instanceof InvalidAccessToken) return 'revoked';
    if (error instanceof KeysUnavailable) return 'unknown';
    throw error;
  }
}
