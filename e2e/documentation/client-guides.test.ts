import { freePort } from '@trellis/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { demoPassword, demoPeople } from '../harness/demo-people.ts';
import { FormBrowser, passPages, type Page } from '@trellis/testkit/sign-in';
import { atSuiteOrigin, documentedOrigin } from '../harness/registered-clients.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { reachClient } from '../harness/sign-in.ts';
import { codeBlocks } from './code-blocks.ts';
import { runExample, type ExampleProgram } from './example-program.ts';

const { issuer, graph } = sharedPlatform().addresses;
const running: ExampleProgram[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((program) => program.stop()));
});

describe('Programs of the pages for clients', { timeout: 120_000 }, () => {
  it('docs/clients/native-application.md signs in through a loopback port', async () => {
    const program = run('docs/clients/native-application.md');
    const [, address = ''] = await program.waitFor(/Open (\S+)/);
    const departure = await reachClient(new FormBrowser(), new URL(address));
    expect((await fetch(departure.url)).status).toBe(200);
    await program.waitFor(/Signed in as \S+/);
    expect(await program.ended()).toBe(0);
  });

  it('docs/clients/server-with-pages.md signs in, renews once for many requests, and signs out', async () => {
    const page = 'docs/clients/server-with-pages.md';
    const port = await freePort();
    const program = run(page, {
      PORT: String(port),
      ORIGIN: documentedOrigin,
      CLIENT_SECRET: secretOf(page),
      RENEW_BEFORE: '100000', // every request renews
    });
    await program.waitFor(/Listening/);
    const site = `http://127.0.0.1:${port}`;
    expect(await (await fetch(`${site}/`)).text()).toBe('Signed out.');
    const begun = await open(`${site}/sign-in`);
    const browser = new FormBrowser();
    const { url } = await reachClient(browser, new URL(begun.location));
    const back = await open(`${site}/callback${url.search}`, begun.cookie);
    expect(back.location).toBe('/');
    expect(back.cookie).not.toBe(begun.cookie);
    for (let time = 0; time < 2; time += 1) {
      const responses = await Promise.all(
        Array.from({ length: 5 }, () => fetch(`${site}/`, { headers: { cookie: back.cookie } })),
      );
      for (const result of responses) expect(await result.text()).toBe('Hello, Ada Marlow.');
    }
    const leaving = await open(`${site}/sign-out`, back.cookie);
    expect(await browser.open(leaving.location)).toMatchObject({
      kind: 'departure',
      url: new URL(`${documentedOrigin}/`),
    });
    expect(await (await fetch(`${site}/`, { headers: { cookie: back.cookie } })).text()).toBe('Signed out.');
  });

  it('docs/clients/machine.md asks the graph with a token of its own', async () => {
    const page = 'docs/clients/machine.md';
    const program = run(page, { CLIENT_SECRET: secretOf(page), GRAPH: graph });
    const [result] = await program.waitFor(/\{"data".*/);
    expect(JSON.parse(result)).toEqual({ data: { posts: [{ title: expect.any(String) as string }] } });
    expect(await program.ended()).toBe(0);
  });

  it('docs/clients/device.md signs in with a code that is entered elsewhere', async () => {
    const program = run('docs/clients/device.md');
    const [, address = ''] = await program.waitFor(/or open (\S+)/);
    const browser = new FormBrowser();
    const { email } = demoPeople.ada;
    const shown = pageOf(
      await passPages(browser, await browser.open(address), { email, password: demoPassword }),
    );
    expect(shown.html).toContain('Television');
    await browser.submit(shown, { button: /^Allow/ });
    await program.waitFor(/Signed in as \S+/);
    expect(await program.ended()).toBe(0);
  });
});

function run(page: string, environment: Readonly<Record<string, string>> = {}): ExampleProgram {
  const program = runExample(page, { ISSUER: issuer, ...environment });
  running.push(program);
  return program;
}

/** What the page registers its client with. */
function secretOf(page: string): string {
  const registration = codeBlocks(page).find(({ language }) => language === 'json');
  const { client_secret: secret } = JSON.parse(atSuiteOrigin(registration?.text ?? '{}')) as {
    client_secret: string;
  };
  return secret;
}

/** Follows no redirect, as the next address is what is asked about. */
async function open(url: string, cookie = ''): Promise<{ location: string; cookie: string }> {
  const response = await fetch(url, { headers: { cookie }, redirect: 'manual' });
  const [set = cookie] = response.headers.getSetCookie();
  return { location: response.headers.get('location') ?? '', cookie: set.split(';')[0] ?? '' };
}

function pageOf(shown: Awaited<ReturnType<FormBrowser['open']>>): Page {
  if (shown.kind === 'page') return shown;
  throw new Error(`Sent to ${shown.url.href} instead of a page.`);
}
