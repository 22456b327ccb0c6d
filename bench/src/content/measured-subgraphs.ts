import { buildComments, buildPosts, buildSearch, buildUsers } from 'trellis/programs';
import {
  createServiceClient,
  createServiceTokenSigner,
  generateServiceKey,
  publicServiceKey,
  type ServiceClient,
} from '@trellis/subgraph-protocol';
import type { DatabaseUrls, LoadedService } from './load-content.ts';
import {
  startMeasuredSubgraph,
  type MeasuredSubgraph,
  type MeasuredSubgraphOptions,
} from './measured-subgraph.ts';

/** The subgraphs of the content graph by name. */
export type MeasuredSubgraphs = Readonly<Record<LoadedService, MeasuredSubgraph>>;

/** Starts all of them over the databases given. Search asks the others whether what it finds still exists, by signed calls. */
export async function startMeasuredSubgraphs(urls: DatabaseUrls): Promise<MeasuredSubgraphs> {
  const key = await generateServiceKey('search');
  const signer = await createServiceTokenSigner(key);
  const callers = { keys: [publicServiceKey(key)] };
  const start = (
    service: LoadedService,
    buildServer: MeasuredSubgraphOptions['buildServer'],
  ): Promise<MeasuredSubgraph> =>
    startMeasuredSubgraph({ service, databaseUrl: urls[service], callers, buildServer });
  const clientOf = (service: LoadedService, { url }: MeasuredSubgraph): ServiceClient =>
    createServiceClient({ service, url, signer });
  const users = await start('users', buildUsers);
  const posts = await start('posts', buildPosts);
  const comments = await start('comments', (given) => buildComments({ ...given, posts: undefined }));
  const owners = {
    users: clientOf('users', users),
    posts: clientOf('posts', posts),
    comments: clientOf('comments', comments),
  };
  const search = await start('search', (given) => buildSearch({ ...given, owners }));
  return { users, posts, comments, search };
}
