import type { Analysis } from '../fold/selection-fold.ts';

/** What selections come to, each fragment counted at each of its spreads. */
export interface Totals {
  /** At this level alone. */
  readonly fields: number;
  readonly aliases: number;
  readonly directives: number;
}

const NOTHING: Totals = Object.freeze({ fields: 0, aliases: 0, directives: 0 });
const PLAIN_FIELD: Totals = Object.freeze({ fields: 1, aliases: 0, directives: 0 });

/** Counts fields, aliases and directives. Specification: Limits, maximum aliases. */
export const totalsAnalysis: Analysis<Totals> = {
  none: NOTHING,
  field({ node }, below) {
    const aliases = below.aliases + (node.alias ? 1 : 0);
    const directives = below.directives + (node.directives?.length ?? 0);
    return aliases + directives === 0 ? PLAIN_FIELD : { fields: 1, aliases, directives };
  },
  fragment({ node }, below) {
    const directives = node.directives?.length ?? 0;
    return directives === 0 ? below : { ...below, directives: below.directives + directives };
  },
  combine(parts) {
    let fields = 0;
    let aliases = 0;
    let directives = 0;
    for (const part of parts) {
      fields += part.fields;
      aliases += part.aliases;
      directives += part.directives;
    }
    return { fields, aliases, directives };
  },
};
