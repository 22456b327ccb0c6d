import { describeStep, type OrderStep } from '@trellis/release-verdict';
import type { Violation } from './violation.ts';

/** What was found of one subgraph that changed. */
export interface SubgraphOrder {
  readonly subgraph: string;
  readonly kind: 'changed' | 'added' | 'removed';
  /** Why plans of the graph after fail at the version before: it has to be deployed before publishing. */
  readonly deployFirst: readonly Violation[];
  /** Why plans of the graph before fail at the version after: publishing comes first. */
  readonly publishFirst: readonly Violation[];
}

/** In which order to deploy and publish. A fetch goes to one subgraph, so orders of subgraphs combine as they are. */
export interface DeploymentOrder {
  readonly verdict: 'any-order' | 'ordered' | 'not-in-one-step';
  readonly order: readonly OrderStep[];
  /** The same in words. */
  readonly steps: readonly string[];
}

/** Orders the deployment of subgraphs that changed, and publishing. */
export function orderOfDeployment(subgraphs: readonly SubgraphOrder[]): DeploymentOrder {
  const torn = subgraphs.filter(isTorn);
  const first = subgraphs.filter((one) => !isTorn(one) && one.deployFirst.length > 0);
  const last = subgraphs.filter((one) => !isTorn(one) && one.publishFirst.length > 0);
  if (torn.length + first.length + last.length === 0) return { verdict: 'any-order', order: [], steps: [] };
  const others = subgraphs.filter(
    ({ deployFirst, publishFirst, kind }) =>
      deployFirst.length + publishFirst.length === 0 && kind === 'changed',
  );
  const order: readonly OrderStep[] = [
    ...first.map(({ subgraph }) => ({ action: 'deploy', subgraph }) as const),
    ...torn.map(both),
    ...others.map(({ subgraph }) => ({ action: 'deploy-any-time', subgraph }) as const),
    { action: 'publish' },
    ...torn.map(({ subgraph }) => ({ action: 'deploy-rest', subgraph }) as const),
    ...last.map(
      ({ subgraph, kind }) => ({ action: kind === 'removed' ? 'end' : 'deploy', subgraph }) as const,
    ),
  ];
  const verdict = torn.length > 0 ? 'not-in-one-step' : 'ordered';
  return { verdict, order, steps: order.map(describeStep) };
}

/** Whether neither order is right for a subgraph. */
export function isTorn({ deployFirst, publishFirst }: SubgraphOrder): boolean {
  return deployFirst.length > 0 && publishFirst.length > 0;
}

const MAX_REASONS = 3;

function both({ subgraph, publishFirst, deployFirst }: SubgraphOrder): OrderStep {
  return { action: 'deploy-both', subgraph, forNew: reasons(deployFirst), forOld: reasons(publishFirst) };
}

/** The first reasons, as one text. */
export function reasons(violations: readonly Violation[]): string {
  const messages = [...new Set(violations.map(({ message }) => message.replace(/\.$/, '')))];
  const more = messages.length > MAX_REASONS ? `; and ${messages.length - MAX_REASONS} more` : '';
  return `${messages.slice(0, MAX_REASONS).join('; ')}${more}`;
}
