import type { SupergraphSource } from '@trellis/gateway';

/** The supergraph of a developer, which a gateway of this process serves. */
export interface DevelopmentSource {
  readonly source: SupergraphSource;
  /** Has a supergraph served. Resolves when it is; at once where it is already, never where the gateway rejects it. */
  serve(supergraphSdl: string): Promise<void>;
  /** Has the one before go on, and the explorer show why. */
  reject(problem: string): void;
}

/**
 * Makes one that has a first supergraph.
 *
 * @param onRejected called where the gateway does not serve what it was given
 */
export function createDevelopmentSource(
  first: string,
  onRejected: (error: Error) => void,
): DevelopmentSource {
  let text = first;
  let problem: string | undefined;
  let served: string | undefined;
  /** What the gateway has read last: it builds it, or serves it. */
  let taken: string | undefined;
  const listeners = new Set<() => void>();
  const waiting = new Map<string, () => void>();
  const announce = (): void => listeners.forEach((listener) => listener());
  return {
    source: {
      description: 'trellis dev',
      settleMs: 0,
      isComposedHere: true,
      read: async () => {
        if (problem !== undefined) throw new Error(problem);
        taken = text;
        return text;
      },
      watch: (changed) => {
        listeners.add(changed);
        return () => listeners.delete(changed);
      },
      serving: (supergraphSdl) => {
        served = supergraphSdl;
        if (!waiting.has(supergraphSdl)) return;
        for (const [awaited, resolve] of waiting) {
          waiting.delete(awaited); // those before were overtaken
          if (awaited !== supergraphSdl) continue;
          return resolve();
        }
      },
      rejected: (error) => {
        if (error.message !== problem) onRejected(error);
      },
    },
    serve(supergraphSdl) {
      [text, problem] = [supergraphSdl, undefined];
      announce();
      if (served === supergraphSdl && taken === supergraphSdl) return Promise.resolve();
      waiting.delete(supergraphSdl); // the newest is the last
      return new Promise((resolve) => waiting.set(supergraphSdl, resolve));
    },
    reject(reason) {
      problem = reason;
      announce();
    },
  };
}
