import { createSealer, type Sealer } from './sealing.ts';

/**
 * The sealer of what lies in Redis. A record that does not open counts as absent and is logged, since someone else has
 * written it, or this server under a secret that is not configured any more.
 *
 * @param keys derived for the purpose `records`; the first seals, all of them open
 * @param onForeign gets the kind of the record: what its key begins with
 */
export function createRecordSealer(keys: readonly Buffer[], onForeign: (kind: string) => void): Sealer {
  const sealer = createSealer(keys);
  const unseal: Sealer['unseal'] = (sealed, key) => {
    const unsealed = sealer.unseal(sealed, key);
    if (unsealed === undefined) onForeign(key.slice(0, key.indexOf(':')));
    return unsealed;
  };
  return { seal: sealer.seal, unseal, open: (sealed, key) => unseal(sealed, key)?.text };
}
