import { createServer } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  amountsOf,
  DEFAULT_SHARES,
  shareKeysOf,
  type LevelAmounts,
  type QueueCaller,
} from '@trellis/runtime/admission';
import { createLogger } from '@trellis/runtime';
import { testShares, testTurns, type SharedResource, type SharingCaller } from '@trellis/testkit/shares';
import { afterAll, beforeAll, vi } from 'vitest';
import { createAccountMail, type AccountMailFeatures } from '../administration/create-account-mail.ts';
import { createHashTurns } from '../accounts/sign-in/hash-turns.ts';
import { createThrottle } from '../accounts/sign-in/throttle.ts';
import type { AttemptStore } from '../attempts/attempt-store.ts';
import { createBoundedAttempts, type BoundedAttempts } from '../attempts/bounded-attempts.ts';
import { createWriteRoom } from '../attempts/write-room.ts';
import {
  createSecretAttemptLimiter,
  type SecretAttemptLimiter,
} from '../clients/authentication/secret-attempt-limiter.ts';
import { createMailLimits, type MailLimits } from '../mail/mail-limits.ts';
import type { PageTexts } from '../pages/texts/page-texts.ts';
import { takeRoomOf } from '../routes/take-room.ts';
import { limitConnections } from './limit-connections.ts';
import { createRequestLimits, type EndpointBudget } from './request-limits.ts';

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }); // nothing comes back in the meantime
});
afterAll(() => void vi.useRealTimers());

type Most = SharedResource['most'];

const TOTAL = 100;
const OF_TOTAL = wholes(amountsOf(TOTAL, DEFAULT_SHARES.ofTotal));
/** A quarter for who has something already, half with those who have nothing yet. */
const OF_ROOM: Most = [25, 50, 50];
const clock = (): number => 0;

function wholes([caller, network = caller, wider = network]: LevelAmounts): Most {
  return [caller, network, wider];
}

function times(amount: number): Most {
  return wholes(amountsOf(amount, DEFAULT_SHARES.ofCaller));
}

/** Asked for what is counted of known browsers alone. */
const UNUSED: AttemptStore = {
  reserve: () => Promise.reject(new Error('Only known browsers are counted here.')),
  refund: () => Promise.reject(new Error('Only known browsers are counted here.')),
};

/** Where attempts are counted that anybody may make. */
type AttemptsFactory = () => BoundedAttempts;

/** As they count where the store has no room for another counter: in the process. */
function attemptsHere(): BoundedAttempts {
  return createBoundedAttempts(UNUSED, createWriteRoom(0, clock), clock);
}

/** As they count where there is room: in the store. */
function attemptsStored(): BoundedAttempts {
  return createBoundedAttempts(createCountingStore(), createWriteRoom(2 ** 40, clock), clock);
}

function createCountingStore(): AttemptStore {
  const counts = new Map<string, number>();
  return {
    reserve: async (name, { failures, windowS }) => {
      const count = counts.get(name) ?? 0;
      if (count >= failures) return windowS;
      counts.set(name, count + 1);
      return 0;
    },
    refund: async (name) => void counts.set(name, (counts.get(name) ?? 0) - 1),
  };
}

function senderOf({ user, address }: SharingCaller): QueueCaller {
  return { keys: shareKeysOf({ user, address }), isKnown: user !== undefined };
}

function succeeds(take: () => void): boolean {
  try {
    take();
    return true;
  } catch {
    return false;
  }
}

/** @param clientOf the client whose secret the guess of that number is about */
function guessesOf(name: string, most: Most, clientOf: (number: number) => string): SharedResource {
  return {
    name,
    most,
    open() {
      const guesses: SecretAttemptLimiter = createSecretAttemptLimiter(attemptsHere(), clock);
      let number = 0;
      return {
        take({ address }) {
          const client = clientOf((number += 1));
          const isGiven = guesses.waitS(client, address) === 0;
          if (isGiven) guesses.failed(client, address);
          return isGiven;
        },
      };
    },
  };
}

/** An instance that has heard of no guess: it gives those that the store still takes. */
function storedGuessesOf(name: string, most: Most, clientOf: (number: number) => string): SharedResource {
  return {
    name,
    most,
    open() {
      const attempts = attemptsStored();
      let number = 0;
      return {
        async take({ address }) {
          const client = clientOf((number += 1));
          const guesses = createSecretAttemptLimiter(attempts, clock);
          guesses.failed(client, address);
          await nextTurn();
          return guesses.waitS(client, address) === 0;
        },
      };
    },
  };
}

function wrongSignIns(name: string, createAttempts: AttemptsFactory): SharedResource {
  return {
    name,
    most: times(10),
    async open() {
      const limits = {
        perAccount: { failures: 10_000, windowS: 900 },
        perAddress: { failures: 10, windowS: 900 },
      };
      const throttle = createThrottle(UNUSED, limits, createAttempts());
      return {
        take: async ({ address }) => {
          const attempt = { account: 'ada', address, knownBrowser: undefined };
          return (await throttle.admit(attempt)).kind === 'admitted';
        },
      };
    },
  };
}

function messagesByMail(name: string, createAttempts: AttemptsFactory): SharedResource {
  return {
    name,
    most: times(20),
    open() {
      const mail = createMail(createAttempts);
      return { take: async ({ address }) => (await mail.reserveSender(address)) === 0 };
    },
  };
}

function createMail(createAttempts: AttemptsFactory): MailLimits {
  const room = createWriteRoom(1_500 * TOTAL, clock); // as long as a link
  return createMailLimits(UNUSED, createAttempts(), (email) => email, { room, ttlS: 60 });
}

const notSent = (): Promise<void> => Promise.reject(new Error('No message is sent here.'));
const UNREAD = {} as PageTexts; // no message is written

const sixGroups = ['pages', 'sign-in', 'mail', 'clients', 'registration', 'administration'] as const;

testShares([
  {
    name: 'Places to wait for the hashing of a password',
    most: OF_TOTAL,
    isByUser: true,
    open() {
      const inTurn = createHashTurns(0); // no turn comes
      return {
        take: async (caller) => {
          const rejected = inTurn(async () => undefined, senderOf(caller)).then(
            () => false,
            () => true,
          );
          return !(await Promise.race([rejected, nextTurn(false)]));
        },
      };
    },
  },
  {
    name: 'Connections',
    most: OF_TOTAL,
    open() {
      const server = createServer().removeAllListeners('connection');
      let rejected = 0;
      const onRejected = (): void => void (rejected += 1);
      limitConnections(server, { maxConnections: TOTAL, trustedProxies: [], onRejected }, true);
      return {
        take({ address }) {
          const before = rejected;
          server.emit('connection', Object.defineProperty(new Socket(), 'remoteAddress', { value: address }));
          return rejected === before;
        },
      };
    },
  },
  {
    name: 'Bytes that anybody may write',
    most: OF_ROOM,
    open() {
      const features = { writeRoom: createWriteRoom(1_000 * TOTAL, clock) };
      return { take: ({ address }) => succeeds(() => takeRoomOf(address, 800, 60, features)) };
    },
  },
  guessesOf('Guesses of the secret of a client', times(20), () => 'shop'),
  guessesOf('Guesses of the secrets of clients', times(100), String),
  storedGuessesOf('Guesses of the secret of a client, in the store', times(20), () => 'shop'),
  storedGuessesOf('Guesses of the secrets of clients, in the store', times(100), String),
  ...sixGroups.map((group): SharedResource => ({
    name: `Requests to endpoints of ${group}`,
    most: times(10),
    open() {
      const budget: EndpointBudget = { group, cost: 100 };
      const limits = createRequestLimits(1_000);
      return { take: ({ address }) => succeeds(() => limits.admit(budget, address)) };
    },
  })),
  wrongSignIns('Wrong attempts to sign in', attemptsHere),
  wrongSignIns('Wrong attempts to sign in, in the store', attemptsStored),
  messagesByMail('Messages by mail', attemptsHere),
  messagesByMail('Messages by mail, in the store', attemptsStored),
  {
    name: 'Messages under way',
    most: OF_TOTAL,
    open() {
      let begun = 0;
      const reserveRecipient = (): Promise<boolean> => ((begun += 1), new Promise(() => undefined)); // it never ends
      const features = { mailLimits: { reserveRecipient } } as unknown as AccountMailFeatures; // nothing else is asked for
      const mail = createAccountMail(
        { send: notSent },
        features,
        createLogger({ service: 'test', level: 'silent' }),
      );
      return {
        take({ address }) {
          const before = begun;
          mail.offerReset('ada@example.com', { address, knownBrowser: undefined }, UNREAD);
          return begun > before;
        },
      };
    },
  },
  {
    name: 'Links for those who may sign up',
    most: OF_ROOM,
    open() {
      const mail = createMail(attemptsHere);
      return { take: ({ address }) => mail.takeLinkRoom(address) !== undefined };
    },
  },
]);

testTurns([
  {
    name: 'Turns at the hashing of passwords',
    isByUser: true,
    open() {
      const inTurn = createHashTurns(1);
      const served: SharingCaller[] = [];
      return {
        wait(who) {
          const hashed = inTurn(async () => void served.push(who), senderOf(who));
          hashed.catch(() => undefined); // there is no place for it
        },
        async serve(count) {
          while (served.length < count) await nextTurn();
          return served.slice(0, count);
        },
      };
    },
  },
]);
