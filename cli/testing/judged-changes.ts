import { judgements } from '../src/publish/judgements.ts';
import type { JudgementPlace } from '../src/registry-server/judgement-thread.ts';
import { linkSchema, type UnlinkedSchema } from './federation-link.ts';

/** The request that publishes one subgraph to a log of its own. */
export function publicationTo(graph: string, typeDefs: UnlinkedSchema) {
  const set = [{ name: 'a', sdl: linkSchema(typeDefs), source: 'a', routingUrl: 'http://a.test/' }];
  const url = `/v1/graphs/${graph}/environments/test/publications`;
  return { method: 'POST', url, payload: { set, remove: [], isWhole: false } } as const;
}

/** Judges on the thread that serves. */
export const HERE: JudgementPlace = { judgeUntil: () => judgements, close: async () => undefined };

/** The message of a change that could not be judged. */
export const NOTHING_CHANGED = /^The change could not be judged\. .* Nothing was changed\.$/;
