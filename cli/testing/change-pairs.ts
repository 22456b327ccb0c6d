import type { ChangePairs } from './change-pairs/change-pair.ts';
import { rulePairs } from './change-pairs/rule-pairs.ts';
import { schemaPairs } from './change-pairs/schema-pairs.ts';
import { subgraphPairs } from './change-pairs/subgraph-pairs.ts';

/** One pair for each kind of change: what a check has to find. */
export const changePairs: ChangePairs = { ...schemaPairs, ...rulePairs, ...subgraphPairs };
