import { changeOf, type Change } from './change.ts';
import type { GraphMeaning } from './graph-meaning.ts';
import type { GraphStructure } from './graph-structure.ts';

/** Compares which subscriptions serve several users by one stream. */
export function compareSharedSubscriptions(before: GraphMeaning, after: GraphMeaning): readonly Change[] {
  const [former, latter] = [before.sharedSubscriptions, after.sharedSubscriptions];
  const coordinateOf = (name: string): string => `Subscription.${name}`;
  return [
    ...[...latter]
      .filter((name) => !former.has(name))
      .map((name) =>
        changeOf(
          'SHARED_SUBSCRIPTION_ADDED',
          coordinateOf(name),
          `${coordinateOf(name)} is @sharedSubscription now: users with equal rights see the same events.`,
        ),
      ),
    ...[...former]
      .filter((name) => !latter.has(name))
      .map((name) =>
        changeOf(
          'SHARED_SUBSCRIPTION_REMOVED',
          coordinateOf(name),
          `${coordinateOf(name)} is not @sharedSubscription any more.`,
        ),
      ),
  ];
}

/** Compares how subgraphs are subscribed to. Under an empty name: all that are not named. */
export function compareTransports(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  subgraphs: readonly string[],
): readonly Change[] {
  return subgraphs.flatMap((name) => {
    const [was, is] = [before.get(name) ?? before.get(''), after.get(name) ?? after.get('')];
    if (was === is) return [];
    const message = `Subscriptions of ${name} go by ${is ?? 'the default'} now; they went by ${was ?? 'the default'}.`;
    return [changeOf('SUBSCRIPTION_TRANSPORT_CHANGED', name, message, { uses: [] })];
  });
}

/** Names of the subgraphs that resolve a subscription. */
export function subscribedSubgraphs({ fields, roots }: GraphStructure): ReadonlySet<string> {
  const root = `${roots.get('subscription') ?? 'Subscription'}.`;
  const found = [...fields].filter(([coordinate]) => coordinate.startsWith(root));
  return new Set(found.flatMap(([, subgraphs]) => [...subgraphs.keys()]));
}
