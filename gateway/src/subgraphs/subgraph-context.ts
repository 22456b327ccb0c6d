import type { UserContextSigner } from '@trellis/subgraph-protocol';
import type { Caller } from '../identity/caller.ts';

/** Sends subgraphs the caller's identity. */
export interface SubgraphContexts {
  /** @returns the signed context for one subgraph; at once where there is one that is fresh */
  signedFor(caller: Caller, subgraph: string): string | Promise<string>;
}

/** Settings of {@link createSubgraphContexts}. */
export interface SubgraphContextOptions {
  /** Signs for 60 s. */
  readonly signer: UserContextSigner;
  /**
   * Milliseconds for which a signed context is sent again. With the signer's 60 s, a subgraph that gets it last still
   * has half a minute to accept it. @default 30_000
   */
  readonly reuseMs?: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

interface SignedContext {
  readonly token: string | Promise<string>;
  readonly signedAtMs: number;
}

/** Signs once per caller and subgraph in half a minute, however many requests there are. */
export function createSubgraphContexts(options: SubgraphContextOptions): SubgraphContexts {
  const { signer, reuseMs = 30_000, now = Date.now } = options;
  const contexts = new WeakMap<Caller, Map<string, SignedContext>>(); // lives as long as the caller is remembered

  function sign(caller: Caller, subgraph: string, ofCaller: Map<string, SignedContext>): Promise<string> {
    const signedAtMs = now();
    const token = signer.sign(caller.context, subgraph);
    ofCaller.set(subgraph, { token, signedAtMs });
    token.then(
      (signed) => ofCaller.set(subgraph, { token: signed, signedAtMs }),
      () => ofCaller.delete(subgraph),
    );
    return token;
  }

  return {
    signedFor(caller, subgraph) {
      const ofCaller = contexts.get(caller) ?? new Map<string, SignedContext>();
      contexts.set(caller, ofCaller);
      const known = ofCaller.get(subgraph);
      if (known && now() - known.signedAtMs < reuseMs) return known.token;
      return sign(caller, subgraph, ofCaller);
    },
  };
}
