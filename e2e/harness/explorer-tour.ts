import type { Locator, Page } from 'playwright-core';
import { askGraph, dataOf } from './ask-graph.ts';
import { demoPassword, demoPeople } from './demo-people.ts';
import type { PlatformAddresses } from './platform-process.ts';
import { TokenBook } from './token-book.ts';

/**
 * Goes a newcomer's way from the landing page, where the page is: into the explorer, through the sign-in, to a query with deferred parts
 * and the picture of its plan, and to a subscription with an event.
 *
 * @returns how many clicks that took
 * @throws Error where something does not come
 */
export async function tourExplorer(
  page: Page,
  addresses: Pick<PlatformAddresses, 'graph' | 'issuer'>,
): Promise<number> {
  let clicks = 0;
  const click = async (locator: Locator): Promise<void> => {
    clicks += 1;
    await locator.click();
  };
  await click(page.getByRole('link', { name: 'Open the explorer' }));
  await click(page.getByRole('button', { name: 'Sign in' }));
  await page.getByLabel('E-mail address').fill(demoPeople.ada.email);
  await page.getByLabel('Password').fill(demoPassword);
  await click(page.getByRole('button', { name: 'Sign in' }));
  await page.getByText('Signed in as Ada Marlow').waitFor();
  await click(page.getByRole('button', { name: 'The newest posts' }));
  await page.getByText(/^\d+ ms, /).waitFor();
  await seePlan(page);
  await click(page.getByRole('button', { name: 'Each new post' }));
  await page.getByText('Streaming: 0 received').waitFor();
  await seeEvent(page, new PostPublisher(addresses));
  return clicks;
}

async function seePlan(page: Page): Promise<void> {
  const response = page.getByRole('region', { name: 'Response' });
  await response.getByText('"commentCount"').first().waitFor();
  await response.getByText(/^Part 2 after/).waitFor();
  const picture = page.getByRole('img', { name: /^\d+ fetches, [\d.]+ ms$/ });
  for (const text of [/^\d+ × [\d.]+ ms, /, /^Cache hits: \d+ \/ \d+$/])
    await picture.getByText(text).first().waitFor();
  for (const subgraph of ['posts', 'users', 'comments'])
    await picture.getByText(subgraph, { exact: true }).first().waitFor();
  await page.getByText(/^Estimated cost \d+ of 10,000$/).waitFor();
}

const EVENT_DEADLINE_MS = 90_000;

/** Publishes until an event is noticed: a subscription may begin a moment after it is shown. */
async function seeEvent(page: Page, publisher: PostPublisher): Promise<void> {
  const noticed = page.getByText(/^Streaming: [1-9]/);
  const until = Date.now() + EVENT_DEADLINE_MS;
  while ((await noticed.count()) === 0) {
    if (Date.now() > until) throw new Error('No event came.');
    await publisher.publish();
  }
  const response = page.getByRole('region', { name: 'Response' });
  await response.getByText('"Seen in the explorer').first().waitFor();
}

/** Publishes posts, one after the other. */
export class PostPublisher {
  readonly #graph: string;
  readonly #tokens: TokenBook;
  #number = 0;

  constructor({ graph, issuer }: Pick<PlatformAddresses, 'graph' | 'issuer'>) {
    this.#graph = graph;
    this.#tokens = new TokenBook(issuer);
  }

  async publish(): Promise<void> {
    const token = await this.#tokens.of('ed');
    this.#number += 1;
    const variables = { title: `Seen in the explorer ${this.#number} ${Date.now()}` };
    const query =
      'mutation ($title: String!) { createPost(input: { title: $title, body: "Yes." }) { success } }';
    dataOf(await askGraph(this.#graph, { query, variables, token }));
  }
}
