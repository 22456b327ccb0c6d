import { askGraph, dataOf } from '../harness/ask-graph.ts';

/** A user as the graph returns it. */
export interface User {
  readonly id: string;
  readonly name: string;
}

/** A post as lists return it. */
export interface Article {
  readonly id: string;
  readonly title: string;
  readonly published: boolean;
  readonly author: { readonly id: string };
}

/** Every user, page by page, oldest first. */
export async function allUsers(graph: string, token: string): Promise<readonly User[]> {
  const query = 'query ($offset: Int!) { users(limit: 100, offset: $offset) { id name } }';
  const users: User[] = [];
  for (;;) {
    const variables = { offset: users.length };
    const page = dataOf(await askGraph<{ users: User[] }>(graph, { query, variables, token })).users;
    users.push(...page);
    if (page.length < 100) return users;
  }
}

/** Every post that the caller may see, page by page, newest first. */
export async function allPosts(graph: string, token: string): Promise<readonly Article[]> {
  const query = `query ($after: ID) {
    posts(first: 100, after: $after) { id title published author { id } }
  }`;
  const posts: Article[] = [];
  for (;;) {
    const variables = { after: posts.at(-1)?.id ?? null };
    const page = dataOf(await askGraph<{ posts: Article[] }>(graph, { query, variables, token })).posts;
    posts.push(...page);
    if (page.length < 100) return posts;
  }
}
