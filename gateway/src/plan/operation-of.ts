import type { FetchStep } from './plan-steps.ts';

/** The text that a fetch asks its subgraph with. It is held once, in the form that is sent: reading it takes its time. */
export function operationOf({ bodyStart }: Pick<FetchStep, 'bodyStart'>): string {
  const { query } = JSON.parse(`${bodyStart}null}`) as { readonly query: string }; // made by compileFetch
  return query;
}
