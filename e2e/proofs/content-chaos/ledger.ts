/** A post as a mutation returned it to its author. */
export interface LedgerPost {
  readonly authorId: string;
  readonly title: string;
  readonly published: boolean;
}

/** A comment as a mutation returned it to its author. */
export interface LedgerComment {
  readonly postId: string;
  readonly body: string;
}

/** What mutations returned to the writers: the state that must be found when everything has settled. */
export class Ledger {
  /** Names by id. */
  readonly users = new Map<string, string>();
  readonly posts = new Map<string, LedgerPost>();
  readonly comments = new Map<string, LedgerComment>();
  /** How often each user was made: the events that users must have published. */
  readonly userEvents = new Map<string, number>();
  /** How often each post was created, changed or deleted: the events that posts must have published. */
  readonly postEvents = new Map<string, number>();
  /** How many comments were written, changed or deleted by someone: the events that comments must have published. */
  commentEvents = 0;
  /** Posts whose comments were found missing: each must turn out to have been deleted. */
  readonly missedPosts = new Set<string>();
  acknowledged = 0;

  saveUser(id: string, name: string): void {
    this.users.set(id, name);
    this.userEvents.set(id, 1);
  }

  savePost(id: string, post: LedgerPost): void {
    this.posts.set(id, post);
    this.#countPost(id);
  }

  deletePost(id: string): void {
    this.posts.delete(id);
    this.#countPost(id);
  }

  saveComment(id: string, comment: LedgerComment): void {
    this.comments.set(id, comment);
    this.commentEvents += 1;
  }

  deleteComment(id: string): void {
    this.comments.delete(id);
    this.commentEvents += 1;
  }

  /** The comments that must be there: those of a deleted post go with it. */
  remainingComments(): ReadonlyMap<string, LedgerComment> {
    return new Map([...this.comments].filter(([, { postId }]) => this.posts.has(postId)));
  }

  #countPost(id: string): void {
    this.postEvents.set(id, (this.postEvents.get(id) ?? 0) + 1);
  }
}
