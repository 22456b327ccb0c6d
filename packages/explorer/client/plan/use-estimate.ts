import type { GraphQLSchema } from 'graphql';
import { validate } from 'graphql';
import { useEffect, useState } from 'preact/hooks';
import type { GraphResult } from '../operation/graph-result.ts';
import { parseDocument, type OperationRequest } from '../operation/operation-request.ts';
import { planOf, type QueryPlan } from './query-plan.ts';

/** What the gateway says before an operation is sent. */
export interface Estimate {
  readonly cost: number;
  /** Absent: unlimited. */
  readonly limit: number | undefined;
  readonly plan: QueryPlan | undefined;
}

/** Where estimates come from. */
export interface EstimateSource {
  readonly url: string;
  readonly schema: GraphQLSchema | undefined;
  readonly headers: () => Readonly<Record<string, string>>;
}

/** Behind the last key. */
const DELAY_MS = 600;

/** Asks what an operation would cost, a moment after it was last changed; never for one that is not valid. */
export function useEstimate(
  request: OperationRequest | undefined,
  { url, schema, headers }: EstimateSource,
): Estimate | undefined {
  const [estimate, setEstimate] = useState<Estimate>();
  const body = request && JSON.stringify(request);
  useEffect(() => {
    const document = schema && request && parseDocument(request.query);
    if (!document || !schema || validate(schema, document).length > 0) return setEstimate(undefined);
    const controller = new AbortController();
    const ask = (): void =>
      void fetchEstimate(url, body ?? '', headers(), controller.signal).then(setEstimate, () => undefined);
    const timer = setTimeout(ask, DELAY_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [body, schema, url]);
  return estimate;
}

async function fetchEstimate(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Estimate | undefined> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      accept: 'application/json',
      'content-type': 'application/json',
      'trellis-explain': 'estimate',
    },
    body,
    signal,
  });
  const { extensions } = (await response.json()) as GraphResult;
  const cost = extensions?.['cost'] as
    { readonly estimate: number; readonly limit: number | null } | undefined;
  return cost && { cost: cost.estimate, limit: cost.limit ?? undefined, plan: planOf(extensions) };
}
