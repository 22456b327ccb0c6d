import { proveWindow, type ChangeCode, type Verdict, type WindowSide } from '@trellis/composition';
import { exampleVariables, type Nulls } from '@trellis/testkit/version-server';
import { windowSide } from '../../src/supergraph/window-side.ts';
import type { ChangePair } from '../change-pairs/change-pair.ts';
import { usageOf, verdictOf, type ServedSides } from '../pair-verdicts.ts';
import { serveSchemas } from '../served-pair.ts';
import { experienceOf, worstOf, type Experience } from './client-experience.ts';
import { startPair, type Caller, type PairInVersions, type Version } from './pair-in-versions.ts';
import type { TestIssuer } from './test-issuer.ts';

/** Of both orders of deployment: everything deployed before publishing, everything published before deploying. */
export interface BothOrders {
  readonly deployFirst: 'works' | 'fails';
  readonly publishFirst: 'works' | 'fails';
}

/** What a check says of both orders, and what happened to a client. */
export interface ObservedOrders {
  readonly predicted: BothOrders;
  readonly seen: BothOrders;
}

/** A row of docs/observed-changes.md. Null: no operation of the pair uses it. */
export interface ObservedChange {
  readonly code: ChangeCode;
  readonly coordinate: string;
  /** What a check says: with nothing recorded, with an operation that is concerned, and with one that is not. */
  readonly verdicts: Readonly<Record<Use, Verdict | null>>;
  /** What clients of these operations got after the change, compared with before. */
  readonly seen: Readonly<Record<Exclude<Use, 'without'>, Experience | null>>;
  readonly orders: Readonly<Record<Exclude<Use, 'unused'>, ObservedOrders | null>>;
}

/** What is known of operations. */
export type Use = 'without' | 'used' | 'unused';

const BOTH_NULLS: readonly Nulls[] = ['value', 'null'];
/** Whom everything is shown to. */
const ALL_SCOPES = 'a b admin';

/** Judges a change as a check does, then makes it, with a real gateway, real subgraphs of either version and a real client. */
export async function observeChange(
  code: ChangeCode,
  pair: ChangePair,
  issuer: TestIssuer,
): Promise<ObservedChange> {
  const running = await startPair(pair, issuer);
  try {
    const key = `${code} ${pair.coordinate}`;
    const judged = judgedGraphs(pair, running);
    const verdict = (operation?: string): Verdict | null => verdictOf(judged, key, operation, true) ?? null;
    const { used, unused } = pair;
    return {
      code,
      coordinate: pair.coordinate,
      verdicts: {
        without: verdict(),
        used: used === undefined ? null : verdict(used),
        unused: unused === undefined ? null : verdict(unused),
      },
      seen: {
        used: await observeClient(running, issuer, used),
        unused: await observeClient(running, issuer, unused),
      },
      orders: {
        without: await observeOrders(running, pair, issuer),
        used: used === undefined ? null : await observeOrders(running, pair, issuer, used),
      },
    };
  } finally {
    await running.close();
  }
}

/** Where addresses are what changes, a check reads those of the pair. */
function judgedGraphs({ before, after, urls }: ChangePair, { graphs }: PairInVersions): ServedSides {
  return urls
    ? { before: serveSchemas(before, urls.before), after: serveSchemas(after, urls.after) }
    : graphs;
}

async function callerWith(issuer: TestIssuer, scope: string): Promise<Caller> {
  return { token: await issuer.token(scope), other: await issuer.token(scope, 'other') };
}

/** The worst that callers get, with no token and with a scope that pairs name, with nulls and without. */
async function observeClient(
  running: PairInVersions,
  issuer: TestIssuer,
  operation: string | undefined,
): Promise<Experience | null> {
  if (operation === undefined) return null;
  const found: Experience[] = [];
  for (const caller of [undefined, await callerWith(issuer, 'a')])
    for (const nulls of BOTH_NULLS) {
      running.run('before', nulls);
      const before = await running.send('before', operation, caller);
      running.run('after', nulls);
      const after = await running.send('after', operation, caller);
      found.push(experienceOf(before, after, operation, running.graphs.before.comparable.apiSchema));
    }
  return worstOf(found);
}

async function observeOrders(
  running: PairInVersions,
  pair: ChangePair,
  issuer: TestIssuer,
  used?: string,
): Promise<ObservedOrders> {
  const before = listeningSide(running, pair, 'before');
  const after = listeningSide(running, pair, 'after');
  const proof = await proveWindow(before.side, after.side, usageOf(running.graphs, used));
  const subgraphs = proof?.subgraphs ?? [];
  const caller = await callerWith(issuer, ALL_SCOPES);
  if (used !== undefined) before.documents.add(used);
  return {
    predicted: {
      // What has to be published first fails when everything is deployed first, and the other way round.
      deployFirst: works(!subgraphs.some(({ publishFirst }) => publishFirst.length > 0)),
      publishFirst: works(!subgraphs.some(({ deployFirst }) => deployFirst.length > 0)),
    },
    seen: {
      deployFirst: works(await survives(running, 'before', 'after', before.documents, caller)),
      publishFirst: works(await survives(running, 'after', 'before', after.documents, caller)),
    },
  };
}

function works(isWorking: boolean): 'works' | 'fails' {
  return isWorking ? 'works' : 'fails';
}

interface ListeningSide {
  readonly side: WindowSide;
  /** Every operation that was planned. */
  readonly documents: Set<string>;
}

function listeningSide({ graphs }: PairInVersions, pair: ChangePair, version: Version): ListeningSide {
  const side = windowSide(graphs[version], new Map(Object.entries(pair[version])));
  const documents = new Set<string>();
  return {
    documents,
    side: {
      ...side,
      plan: async (operation) => {
        const planned = await side.plan(operation);
        if (planned.kind === 'planned') documents.add(operation.document);
        return planned;
      },
    },
  };
}

/** Whether no operation fails at the other version of subgraphs that succeeds at their own. */
async function survives(
  running: PairInVersions,
  graph: Version,
  other: Version,
  documents: ReadonlySet<string>,
  caller: Caller,
): Promise<boolean> {
  const { apiSchema } = running.graphs[graph].comparable;
  for (const nulls of BOTH_NULLS)
    for (const document of documents)
      for (const isSparse of [false, true]) {
        const variables = exampleVariables(document, apiSchema, isSparse);
        running.run(graph, nulls);
        const own = await running.send(graph, document, caller, variables);
        running.run(other, nulls);
        const found = await running.send(graph, document, caller, variables);
        if (own.errors.length === 0 && found.errors.length > 0) return false;
      }
  return true;
}
