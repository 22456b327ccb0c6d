import type { Hit, HitKind } from './hit.ts';
import type { Owners } from './owners.ts';

/** What {@link verifyHits} found out. */
export interface VerifiedHits {
  /** In the order in which they came. */
  readonly alive: readonly Hit[];
  /** Why an owner could not say: what it owns is left out. */
  readonly failures: readonly unknown[];
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Leaves out what has just been deleted or hidden, and what its owner can't be asked about: the index is always a moment
 * behind. Each owner is asked once, all at the same time.
 *
 * @throws Error when no owner that had to be asked could be
 */
export async function verifyHits(hits: readonly Hit[], owners: Owners): Promise<VerifiedHits> {
  const posts = [...idsOf(hits, 'Post'), ...postIdsOf(hits)];
  const questions = [
    { ids: idsOf(hits, 'User'), ask: owners.findUsers },
    { ids: [...new Set(posts)], ask: owners.findPosts },
    { ids: idsOf(hits, 'TextComment'), ask: owners.findComments },
  ];
  const outcomes = await Promise.allSettled(questions.map(({ ids, ask }) => ask(ids)));
  const failures = outcomes
    .filter((outcome) => outcome.status === 'rejected')
    .map(({ reason }): unknown => reason);
  const asked = questions.filter(({ ids }) => ids.length > 0).length;
  if (asked > 0 && failures.length === asked) throw failures[0];
  const [aliveUsers = NONE, alivePosts = NONE, aliveComments = NONE] = outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value : NONE,
  );
  const isAlive = ({ kind, id, postId }: Hit): boolean => {
    switch (kind) {
      case 'User':
        return aliveUsers.has(id);
      case 'Post':
        return alivePosts.has(id);
      case 'TextComment':
        return aliveComments.has(id) && postId !== null && alivePosts.has(postId);
      default:
        return kind satisfies never;
    }
  };
  return { alive: hits.filter(isAlive), failures };
}

function idsOf(hits: readonly Hit[], wanted: HitKind): readonly string[] {
  return hits.filter(({ kind }) => kind === wanted).map(({ id }) => id);
}

function postIdsOf(hits: readonly Hit[]): readonly string[] {
  return hits.flatMap(({ postId }) => (postId === null ? [] : [postId]));
}
