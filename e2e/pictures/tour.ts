import type { Browser, BrowserContext, Page } from 'playwright-core';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { demoPassword, demoPeople, type DemoUser } from '../harness/demo-people.ts';
import type { PlatformAddresses } from '../harness/platform-process.ts';
import { TokenBook } from '../harness/token-book.ts';
import { HEIGHT, takePicture, WIDTH, type Shots } from './camera.ts';
import { holdParts, releaseParts } from './held-parts.ts';
import type { PictureName } from './picture-list.ts';

/** What a tour brings home. */
export interface Tour {
  readonly pictures: ReadonlyMap<PictureName, Shots>;
  /** In order, each with the time that it is shown for. */
  readonly frames: readonly { readonly shots: Shots; readonly durationMs: number }[];
}

interface Guide {
  readonly browser: Browser;
  readonly addresses: PlatformAddresses;
  readonly tokens: TokenBook;
  readonly take: (name: PictureName, page: Page, scale?: number) => Promise<Shots>;
  readonly film: (shots: Shots, durationMs: number) => void;
}

/** What the loader of TypeScript has put into functions that run in the page: names of the functions within. */
export const NAMES = 'globalThis.__name = (named) => named';

/** For a picture with much on it. */
const WIDE = 0.8;

const LIVE = `# The newest post, live
query Newest @live {
  posts(first: 1) {
    title
    commentCount
    comments(limit: 3) {
      body
      author { name }
    }
  }
}
`;

/** Goes through the pages of a platform that has just been started, and takes all pictures. */
export async function goOnTour(browser: Browser, addresses: PlatformAddresses): Promise<Tour> {
  const pictures = new Map<PictureName, Shots>();
  const frames: { readonly shots: Shots; readonly durationMs: number }[] = [];
  const guide: Guide = {
    browser,
    addresses,
    tokens: new TokenBook(addresses.issuer),
    take: async (name, page, scale) => {
      const shots = await takePicture(page, scale);
      pictures.set(name, shots);
      process.stdout.write(`  ${name}\n`);
      return shots;
    },
    film: (shots, durationMs) => void frames.push({ shots, durationMs }),
  };
  await visitExplorer(guide);
  await visitApplication(guide);
  await visitAuthServer(guide);
  return { pictures, frames };
}

async function openContext({ browser }: Guide): Promise<BrowserContext> {
  const viewport = { width: WIDTH, height: HEIGHT };
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport,
    reducedMotion: 'reduce',
    bypassCSP: true, // for the style that hides the caret
  });
  context.setDefaultTimeout(30_000);
  await context.addInitScript(NAMES);
  return context;
}

async function visitExplorer(guide: Guide): Promise<void> {
  const { addresses, take, film, tokens } = guide;
  const context = await openContext(guide);
  await context.addInitScript(holdParts);
  const page = await context.newPage();
  await page.goto(addresses.gateway);
  await take('landing', page);
  await page.goto(`${addresses.gateway}/explorer?query=${encodeURIComponent('{ me { name email } }')}`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('UNAUTHENTICATED: What it means').first().click();
  await take('explorer-error', page);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#email').waitFor();
  await take('sign-in', page);
  await fillIn(page, demoPeople.ada);
  await page.getByText('Signed in as Ada Marlow').waitFor();
  const response = page.getByRole('region', { name: 'Response' });
  await page.evaluate('globalThis.holdParts = true');
  await page.getByRole('button', { name: 'The newest posts' }).click();
  await response.getByText('"title"').first().waitFor();
  film(await take('explorer-deferred', page), 1800);
  await page.evaluate(releaseParts);
  await response.getByText('"commentCount"').first().waitFor();
  await page.getByRole('img', { name: /^\d+ fetches, [\d.]+ ms$/ }).waitFor();
  film(await takePicture(page), 2600);
  await take('explorer-plan', page, WIDE);
  await page.getByRole('button', { name: 'Each new post' }).click();
  await page.getByText('Streaming: 0 received').waitFor();
  const post = await publish(guide, 'A trellis needs four posts', 'One for each subgraph.');
  await page.getByText(/^Streaming: [1-9]/).waitFor();
  await take('explorer-subscription', page);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.goto(`${addresses.gateway}/explorer?query=${encodeURIComponent(LIVE)}`);
  await page.getByText('Signed in as Ada Marlow').waitFor();
  film(await takePicture(page), 1200);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await response.getByText('A trellis needs four posts').first().waitFor();
  film(await takePicture(page), 1500);
  for (const [name, body] of [
    ['ed', 'And a gate.'],
    ['vi', 'Where do the roses go?'],
  ] as const) {
    await comment(guide, await tokens.of(name), post, body);
    await response.getByText(body).first().waitFor();
    film(await takePicture(page), 1500);
  }
  await take('explorer-live', page);
  await context.close();
}

async function visitApplication(guide: Guide): Promise<void> {
  const { addresses, take } = guide;
  const { web } = addresses;
  const ed = await openContext(guide);
  const page = await ed.newPage();
  await page.goto(web);
  await page.locator('main button').click();
  await fillIn(page, demoPeople.ed);
  await page.getByRole('button', { name: 'Allow' }).waitFor();
  await take('consent', page);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('article').nth(5).waitFor();
  await page.locator('.presence li').first().waitFor();
  await take('app-feed', page);
  await page.getByRole('article').first().getByRole('link').first().click();
  await page.locator('.comment').nth(1).waitFor();
  await take('app-post', page);
  const address = page.url();
  const other = await ed.newPage();
  for (const tab of [page, other]) await tab.goto(`${address}/edit`);
  await page.getByLabel('Text').fill('One for each subgraph, and a gate for the clients.');
  await other.getByLabel('Text').fill('One for each subgraph, and roses.');
  await other.getByRole('button', { name: 'Save' }).click();
  await other.getByText('Saved.').waitFor();
  await page.bringToFront();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Someone else has changed this post' }).waitFor();
  await take('app-conflict', page);
  await page.goto(`${addresses.issuer}/account`);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await take('account', page);
  await ed.close();
}

async function visitAuthServer(guide: Guide): Promise<void> {
  const { addresses, take } = guide;
  const context = await openContext(guide);
  const page = await context.newPage();
  await page.goto(`${addresses.issuer}/authorize?client_id=unknown`);
  await take('error', page);
  await page.goto(`${addresses.issuer}/console`);
  await fillIn(page, demoPeople.ada);
  await page.getByRole('heading', { name: 'Console', level: 1 }).waitFor();
  await take('console', page);
  await page.goto(`${addresses.issuer}/console/accounts`);
  await page.getByLabel('Name or e-mail address').fill('ed@example.com');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('td a').first().click();
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  await take('console-account', page);
  await page.goto(`${addresses.operations}/gateway`);
  await page.locator('h1').waitFor();
  await take('gateway', page);
  await context.close();
}

async function fillIn(page: Page, { email }: DemoUser): Promise<void> {
  await page.locator('#email').fill(email);
  await page.locator('#password').fill(demoPassword);
  await page.locator('button[type=submit], form button').first().click();
}

async function publish({ addresses, tokens }: Guide, title: string, body: string): Promise<string> {
  const query =
    'mutation ($title: String!, $body: String!) { createPost(input: { title: $title, body: $body, tags: ["garden"] }) { post { id } } }';
  const response = await askGraph(addresses.graph, {
    query,
    variables: { title, body },
    token: await tokens.of('ed'),
  });
  const { createPost } = dataOf(response) as { createPost: { post: { id: string } } };
  return createPost.post.id;
}

async function comment({ addresses }: Guide, token: string, postId: string, body: string): Promise<void> {
  const query = 'mutation ($postId: ID!, $body: String!) { addComment(postId: $postId, body: $body) { id } }';
  dataOf(await askGraph(addresses.graph, { query, variables: { postId, body }, token }));
}
