import { CombinedGraphQLErrors, type OperationVariables, type TypedDocumentNode } from '@apollo/client';
import { useSubscription } from '@apollo/client/react';

interface LiveEventsOptions<Event, Variables> {
  readonly variables: Variables;
  readonly onEvent: (event: Event) => void;
  /** Events may have been missed: what they say has to be asked for. */
  readonly onGap: () => unknown;
}

/** It would be rejected again. */
const FINAL: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'BAD_USER_INPUT']);
const PAUSE_MS = 1_000;

/** Subscribes for as long as the component is shown. What happens while the network is lost comes when it is back. */
export function useLiveEvents<Event, Variables extends OperationVariables>(
  document: TypedDocumentNode<Event, Variables>,
  { variables, onEvent, onGap }: LiveEventsOptions<Event, Variables>,
): void {
  const { restart } = useSubscription<Event>(document, {
    variables,
    ignoreResults: true,
    onData: ({ data: { data } }) => {
      if (data) onEvent(data);
    },
    onError: (error) => {
      if (isFinal(error)) return;
      setTimeout(() => {
        onGap();
        restart();
      }, PAUSE_MS);
    },
  });
}

function isFinal(error: unknown): boolean {
  return (
    CombinedGraphQLErrors.is(error) &&
    error.errors.some(({ extensions }) => FINAL.has(String(extensions?.['code'])))
  );
}
