import { ApolloLink } from '@apollo/client';
import { map } from 'rxjs';

/**
 * Lets a subscription go on where it was: each event has an id, and the socket sends the operation again when it has come back,
 * with the id of the last event in the extensions. The graph then delivers what has happened meanwhile.
 */
export function createResumeLink(): ApolloLink {
  return new ApolloLink((operation, forward) => {
    const { extensions } = operation; // the very object that the socket sends
    return forward(operation).pipe(
      map((result) => {
        const eventId: unknown = 'extensions' in result ? result.extensions?.['eventId'] : undefined;
        if (typeof eventId === 'string') extensions['lastEventId'] = eventId;
        return result;
      }),
    );
  });
}
