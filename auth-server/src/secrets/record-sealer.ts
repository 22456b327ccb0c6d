import { createSealer, type Sealer } from './sealing.ts';

/**
 * The sealer of what lies in Redis. A record that does not open counts as absent, and is told of, since somebody else has
 * written it, or this server under a secret that is not configured any more.
 *
 * @param keys derived for the purpose `records`; the first seals, all of them open
 * @param onForeign gets the kind of the record: what its key begins with
 */
export function createRecordSealer(keys: readonly Buffer[], onForeign: (kind: string) => void): Sealer {
  const sealer = createSealer(keys);
  return {
    seal: sealer.seal,
    open: (sealed, key) => {
      const text = sealer.open(sealed, key);
      if (text === undefined) onForeign(key.slice(0, key.indexOf(':')));
      return text;
    },
  };
}
