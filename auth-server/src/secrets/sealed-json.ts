import type { Sealer } from './sealing.ts';

/** Values of one kind in JSON, sealed for the keys in Redis under which they lie. */
export interface SealedJson<Value> {
  seal(key: string, value: Value): string;
  /** Undefined for what does not exist, and for what someone else has written. */
  open(key: string, sealed: string | null | undefined): Value | undefined;
}

/** Seals values as JSON. Keys of one kind hold values of one type. */
export function createSealedJson<Value>(sealer: Sealer): SealedJson<Value> {
  return {
    seal: (key, value) => sealer.seal(JSON.stringify(value), key),
    open: (key, sealed) => {
      const text = typeof sealed === 'string' ? sealer.open(sealed, key) : undefined;
      return text === undefined ? undefined : (JSON.parse(text) as Value); // sealed for this key by `seal`
    },
  };
}
