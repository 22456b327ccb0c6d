import relay from 'relay-runtime';
import WebSocket from 'ws';
import addComment from './__generated__/documentsAddCommentMutation.graphql.js';
import comment from './__generated__/documentsComment.graphql.js';
import commentAgain from './__generated__/documentsCommentAgainQuery.graphql.js';
import commentAdded from './__generated__/documentsCommentAddedSubscription.graphql.js';
import deferred from './__generated__/documentsDeferredQuery.graphql.js';
import feed from './__generated__/documentsFeed.graphql.js';
import feedQuery from './__generated__/documentsFeedQuery.graphql.js';
import firstPage from './__generated__/documentsFirstPageQuery.graphql.js';
import live from './__generated__/documentsLiveQuery.graphql.js';
import nextPage from './__generated__/documentsNextPageQuery.graphql.js';
import page from './__generated__/documentsPage.graphql.js';
import post from './__generated__/documentsPost.graphql.js';
import postAgain from './__generated__/documentsPostAgainQuery.graphql.js';
import posts from './__generated__/documentsPostsQuery.graphql.js';
import rest from './__generated__/documentsRest.graphql.js';
import streamed from './__generated__/documentsStreamedQuery.graphql.js';
import user from './__generated__/documentsUser.graphql.js';
import userAgain from './__generated__/documentsUserAgainQuery.graphql.js';
import { createNetwork } from './network.js';

globalThis.WebSocket ??= WebSocket; // as in browsers

const { ENDPOINT: url, TOKEN: token, POST: postId, HEARD_POST: heardPostId } = process.env;
const { network } = createNetwork({ url, accessToken: async () => token });
const store = new relay.Store(new relay.RecordSource());
const environment = new relay.Environment({ network, store });

/** Prints what was got. */
function report(name, value) {
  process.stdout.write(`${JSON.stringify({ name, value })}\n`);
}

function failed(name) {
  return (error) => report(name, { error: error.message });
}

relay.requestSubscription(environment, {
  subscription: commentAdded,
  variables: { postId: heardPostId },
  onNext: ({ commentAdded: { body } }) => report('subscription', body),
  onError: failed('subscription'),
});

relay
  .fetchQuery(environment, posts, { first: 3 })
  .subscribe({ next: (data) => report('query', data), error: failed('query') });

relay.commitMutation(environment, {
  mutation: addComment,
  variables: { postId, body: 'From Relay' },
  onCompleted: (data) => report('mutation', data),
  onError: failed('mutation'),
});

relay.commitMutation(environment, {
  mutation: addComment,
  variables: { postId: 'no-such-post', body: 'To no one' },
  onCompleted: (data, errors) => report('errors', { data, errors }),
  onError: ({ message, source }) => report('errors', { message, errors: source?.errors }),
});

relay
  .fetchQuery(environment, live, {})
  .subscribe({ next: (data) => report('live', data), error: failed('live') });

// what is deferred stands in the store, where a component with the fragment reads it
const operation = relay.createOperationDescriptor(deferred, { first: 2 });
environment.retain(operation);
environment.execute({ operation }).subscribe({
  complete: () => {
    const { data } = environment.lookup(operation.fragment);
    const counts = data.posts.map((post) => environment.lookup(relay.getSingularSelector(rest, post)).data);
    report('defer', counts);
  },
  error: failed('defer'),
});

/** Reads a fragment as a component does. */
function read(fragment, reference) {
  return environment.lookup(relay.getSingularSelector(fragment, reference)).data;
}

/** Asks, and keeps what comes in the store. */
async function ask(query, variables) {
  const asked = relay.createOperationDescriptor(query, variables);
  environment.retain(asked);
  await environment.execute({ operation: asked }).toPromise();
  return environment.lookup(asked.fragment).data;
}

// a streamed list grows in the store, where components read it
async function grow(query, variables, itemsOf) {
  const asked = relay.createOperationDescriptor(query, variables);
  environment.retain(asked);
  const counts = [];
  const read = () => itemsOf(environment.lookup(asked.fragment).data);
  await new Promise((complete, error) => {
    environment
      .execute({ operation: asked })
      .subscribe({ next: () => counts.push(read().length), complete, error });
  });
  return { counts, items: read() };
}
grow(streamed, { first: 20 }, ({ posts: listed }) => listed).then(
  (got) => report('stream', got),
  failed('stream'),
);
grow(feedQuery, {}, (shown) => read(feed, shown).postsConnection.edges).then(
  (got) => report('streamConnection', got),
  failed('streamConnection'),
);

// what usePaginationFragment does
async function walk() {
  const shown = await ask(firstPage, {});
  const { pageInfo } = read(page, shown).postsConnection;
  await ask(nextPage, { count: 3, cursor: pageInfo.endCursor });
  return read(page, shown).postsConnection.edges.map(({ node }) => node.id);
}
walk().then((ids) => report('connection', ids), failed('connection'));

// what useRefetchableFragment does
async function refetch() {
  const { posts: listed } = await relay.fetchQuery(environment, posts, { first: 1 }).toPromise();
  const variables = { postId, body: 'Said once, and fetched again' };
  const { addComment: said } = await new Promise((onCompleted, onError) => {
    relay.commitMutation(environment, { mutation: addComment, variables, onCompleted, onError });
  });
  const [{ node: postNode }, { node: userNode }, { node: commentNode }] = [
    await ask(postAgain, { id: postId }),
    await ask(userAgain, { id: listed[0].author.id }),
    await ask(commentAgain, { id: said.id }),
  ];
  return [read(post, postNode).title, read(user, userNode).name, read(comment, commentNode).body];
}
refetch().then((texts) => report('refetchable', texts), failed('refetchable'));
