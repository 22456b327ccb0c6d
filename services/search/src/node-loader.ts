import { isEditor, parseId } from '@trellis/subgraph-kit';
import type { UserContext } from '@trellis/subgraph-protocol';
import DataLoader from 'dataloader';
import type { Thing } from './hit.ts';
import type { Owners, PostFacts } from './owners.ts';

/** Finds out of what type the thing with an id is. */
export interface NodeLoader {
  /**
   * Asks all owners at the same time, once for all ids of a request.
   *
   * @returns null for an unknown id, a malformed one included, and for what the caller is denied
   * @throws Error when there is none that answers, and an owner that could not be asked might have it
   */
  load(id: string): Promise<Thing | null>;
}

/** Ids that an owner is asked about at once. */
const MAX_IDS = 1_000;

/** Makes a loader for one request. */
export function createNodeLoader(owners: Owners, caller: UserContext): NodeLoader {
  const things = new DataLoader<string, Thing | null>((ids) => findThings(owners, caller, ids), {
    maxBatchSize: MAX_IDS,
  });
  return {
    load: async (text) => {
      const id = parseId(text);
      return id === undefined ? null : things.load(id);
    },
  };
}

async function findThings(
  owners: Owners,
  caller: UserContext,
  ids: readonly string[],
): Promise<readonly (Thing | null | Error)[]> {
  const [users, posts, places] = await Promise.allSettled([
    owners.findUsers(ids),
    owners.readPosts(ids),
    owners.readPostsOfComments(ids),
  ]);
  const failed = [users, posts, places].find(({ status }) => status === 'rejected');
  const exists = (facts: PromiseSettledResult<ReadonlyMap<string, PostFacts>>, id: string): boolean => {
    const post = facts.status === 'fulfilled' ? facts.value.get(id) : undefined;
    return post !== undefined && sees(caller, post);
  };
  return ids.map((id) => {
    if (exists(posts, id)) return { kind: 'Post', id };
    if (exists(places, id)) return { kind: 'TextComment', id };
    if (users.status === 'fulfilled' && users.value.has(id)) return { kind: 'User', id };
    return failed ? new Error('An owner could not be asked for a node.', { cause: failed }) : null;
  });
}

/** A post that is not published, and what is said of it, is for its author, editors and administrators. */
function sees(caller: UserContext, { published, authorId }: PostFacts): boolean {
  return published || isEditor(caller) || authorId === parseId(caller.user?.id ?? '');
}
