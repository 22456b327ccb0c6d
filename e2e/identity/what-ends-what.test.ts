import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lifeCycle } from '@trellis/auth-server';
import { CALLBACK, obtainTokens, postForm } from '@trellis/auth-server/testing';
import { until } from '@trellis/testkit';
import { Browser } from '@trellis/testkit/sign-in';
import { bringAbout } from './life-cycle-events.ts';
import { probes } from './life-cycle-probes.ts';
import { command, setScene, type Scene } from './life-cycle-scene.ts';
import { startLifeCycleStage, type LifeCycleStage } from './life-cycle-stage.ts';

type Effect = lifeCycle.Effect;
type LifeCycleEvent = lifeCycle.LifeCycleEvent;
type LifeCycleThing = lifeCycle.LifeCycleThing;

const { events, things, whatEndsWhat } = lifeCycle;

const eventNames = Object.keys(events) as LifeCycleEvent[]; // its own keys, a literal
const thingNames = Object.keys(things) as LifeCycleThing[]; // the same

let stage: LifeCycleStage;
beforeAll(async () => {
  stage = await startLifeCycleStage();
  const { url: backchannel_logout_uri } = stage.receiver;
  const control = {
    client_id: CONTROL,
    redirect_uris: [CALLBACK],
    first_party: true,
    backchannel_logout_uri,
  };
  const declaration = JSON.stringify(control);
  await command(stage, ['clients', 'add', '--metadata-stdin'], declaration);
});
afterAll(() => stage.stop());

/** Things of which others learn in their own time. */
const PUBLISHED: ReadonlySet<LifeCycleThing> = new Set([
  'gatewayToken',
  'socket',
  'notice',
  'introspectedToken',
  'exchangedToken',
]);
const PATIENCE_MS = 90_000;

/** What is published takes a moment, so it is polled; what stays is read once all has been published. */
async function observe(scene: Scene, thing: LifeCycleThing, expected: Effect): Promise<Effect> {
  const deadline = Date.now() + (PUBLISHED.has(thing) ? PATIENCE_MS : 0);
  for (;;) {
    const effect = await probes[thing](scene);
    if (effect === expected || Date.now() > deadline) return effect;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A client that gets notices of the end of its sessions. */
const CONTROL = 'control';

/**
 * The gateway hears in order: when it rejects a token that was revoked after the event, it has heard of the event. Clients are
 * notified in order as well: when one hears of a session that was ended later, those of the event have heard.
 */
async function letEverybodyHear(): Promise<void> {
  const browser = new Browser();
  const control = await obtainTokens(
    stage.server.issuer,
    { client_id: CONTROL, scope: 'openid read:data' },
    browser,
    'ed@example.com',
  );
  const rejects = async (): Promise<boolean> => {
    const headers = { authorization: `Bearer ${control.accessToken}` };
    return (await stage.gateway.post({ query: '{ latest { secret } }' }, headers)).body.errors !== undefined;
  };
  // A token of a new key has the gateway fetch the key set.
  await until(async () => !(await rejects()), 'the gateway takes a new token');
  const form = { token: control.refreshToken, client_id: CONTROL };
  await postForm(`${stage.server.issuer}/revoke`, form);
  await until(rejects, 'the gateway has heard of the last revocation');
  await browser.get(`${stage.server.issuer}/logout?id_token_hint=${control.idToken}`);
  const { sid } = decodeJwt(control.idToken);
  const hasHeard = () =>
    Promise.resolve(stage.receiver.tokens.some((token) => decodeJwt(token)['sid'] === sid));
  await until(hasHeard, 'a client hears of the last sign-out');
}

describe.each(eventNames)('What ends what: %s', (event) => {
  const observed = new Map<LifeCycleThing, Effect>();

  beforeAll(async () => {
    const scene = await setScene(stage, event.replaceAll('_', '-'), {
      isOwn: event.endsWith('_itself'),
      isCertified: event === 'client_certificate_replaced',
    });
    const cleanUp = await bringAbout[event](scene);
    await letEverybodyHear();
    const inOrder = Object.keys(probes) as LifeCycleThing[]; // its own keys, a literal
    for (const thing of inOrder) {
      observed.set(thing, await observe(scene, thing, whatEndsWhat[event][thing].effect));
    }
    await cleanUp?.();
    scene.socket.close();
  });

  it.each(thingNames)('%s', (thing) => {
    expect(observed.get(thing)).toBe(whatEndsWhat[event][thing].effect);
  });
});
