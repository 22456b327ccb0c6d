import relay from 'relay-runtime';
import WebSocket from 'ws';
import addComment from './__generated__/documentsAddCommentMutation.graphql.js';
import commentAdded from './__generated__/documentsCommentAddedSubscription.graphql.js';
import deferred from './__generated__/documentsDeferredQuery.graphql.js';
import live from './__generated__/documentsLiveQuery.graphql.js';
import posts from './__generated__/documentsPostsQuery.graphql.js';
import rest from './__generated__/documentsRest.graphql.js';
import { createNetwork } from './network.js';

globalThis.WebSocket ??= WebSocket; // as in browsers

const { ENDPOINT: url, TOKEN: token, POST: postId } = process.env;
const { network } = createNetwork({ url, accessToken: async () => token });
const store = new relay.Store(new relay.RecordSource());
const environment = new relay.Environment({ network, store });

/** Prints what was got. */
function tell(name, value) {
  process.stdout.write(`${JSON.stringify({ name, value })}\n`);
}

function failed(name) {
  return (error) => tell(name, { error: error.message });
}

relay.requestSubscription(environment, {
  subscription: commentAdded,
  variables: { postId },
  onNext: ({ commentAdded: { body } }) => tell('subscription', body),
  onError: failed('subscription'),
});

relay
  .fetchQuery(environment, posts, { first: 3 })
  .subscribe({ next: (data) => tell('query', data), error: failed('query') });

relay.commitMutation(environment, {
  mutation: addComment,
  variables: { postId, body: 'From Relay' },
  onCompleted: (data) => tell('mutation', data),
  onError: failed('mutation'),
});

relay
  .fetchQuery(environment, live, {})
  .subscribe({ next: (data) => tell('live', data), error: failed('live') });

// what is deferred stands in the store, where a component with the fragment reads it
const operation = relay.createOperationDescriptor(deferred, { first: 2 });
environment.retain(operation);
environment.execute({ operation }).subscribe({
  complete: () => {
    const { data } = environment.lookup(operation.fragment);
    const counts = data.posts.map((post) => environment.lookup(relay.getSingularSelector(rest, post)).data);
    tell('defer', counts);
  },
  error: failed('defer'),
});
