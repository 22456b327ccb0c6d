import type { Logger } from '@trellis/runtime';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createTextChooser } from '../pages/language.ts';
import { readBuiltInTheme } from '../pages/theme/read-theme.ts';
import type { AccountMail } from './account-mail.ts';
import { createAccountMail, type AccountMailFeatures } from './create-account-mail.ts';
import type { Mail } from '../mail/mail.ts';

const TEXTS = createTextChooser(readBuiltInTheme(), 'https://id.example')(undefined, 'en');
const FROM = { address: '192.0.2.1', knownBrowser: undefined };

let room: { taken: number; isFull: boolean };
let sent: string[];
let links: string[];
let warn: ReturnType<typeof vi.fn>;
beforeEach(() => {
  room = { taken: 0, isFull: false };
  sent = [];
  links = [];
  warn = vi.fn();
});

function createMail(send: Mail['send']): AccountMail {
  const takeLinkRoom = (): { giveBack: () => void } | undefined => {
    if (room.isFull) return undefined;
    room.taken += 1;
    return { giveBack: () => void (room.taken -= 1) };
  };
  const account = { id: 'ada', email: 'ada@example.com', disabled: false };
  const features = {
    accounts: { findByEmail: async (email: string) => (email === account.email ? account : undefined) },
    clock: () => 0,
    mailLimits: { reserveRecipient: async () => true, reserveNotice: async () => true, takeLinkRoom },
    settings: { issuer: 'https://auth.example', linkTtlS: 60 },
    links: { create: async ({ purpose }: { purpose: string }) => `${links.push(purpose)}` },
    audit: { record: () => undefined },
    accountName: (email: string) => email,
  } as unknown as AccountMailFeatures; // what messages need of them
  const logger = { error: () => undefined, warn } as unknown as Logger; // the two that are used
  return createAccountMail({ send }, features, logger);
}

const deliver: Mail['send'] = async ({ to }) => void sent.push(to);

describe('H2: the room for links', () => {
  it('is taken by a link for a new account, and by none for an account that there is', async () => {
    const mail = createMail(deliver);
    mail.offerAccount('new@example.com', 'New', FROM, TEXTS);
    mail.offerAccount('ada@example.com', 'Ada', FROM, TEXTS);
    mail.offerReset('ada@example.com', FROM, TEXTS);
    mail.offerReset('unknown@example.com', FROM, TEXTS);
    await mail.settle();
    expect(links.toSorted()).toEqual(['reset', 'reset', 'sign_up']);
    expect(room.taken).toBe(1);
  });

  it('is given back when the message could not be sent', async () => {
    const mail = createMail(() => Promise.reject(new Error('The mail server is unavailable.')));
    mail.offerAccount('new@example.com', 'New', FROM, TEXTS);
    await mail.settle();
    expect(room.taken).toBe(0);
  });

  it('closes no reset when it is full', async () => {
    room.isFull = true;
    const mail = createMail(deliver);
    mail.offerAccount('new@example.com', 'New', FROM, TEXTS);
    mail.offerReset('ada@example.com', FROM, TEXTS);
    await mail.settle();
    expect(sent).toEqual(['ada@example.com']);
    expect(warn).toHaveBeenCalledOnce();
  });
});

it('drops no notice for what anybody asked for', async () => {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const mail = createMail(async (message) => {
    if (message.subject !== TEXTS.mail.notices.password_changed.subject) await gate;
    await deliver(message);
  });
  for (let count = 0; count < 150; count += 1) mail.offerReset('ada@example.com', FROM, TEXTS);
  mail.notify({ id: 'ada', email: 'ada@example.com' }, 'password_changed', TEXTS);
  await expect.poll(() => sent).toEqual(['ada@example.com']);
  open();
  await mail.settle();
  expect(sent).toHaveLength(51);
});

it('M7: is sent to who asks from another network, while one network asks for all that it can get', async () => {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const mail = createMail(async (message) => {
    await gate;
    await deliver(message);
  });
  const ask = (address: string): void =>
    mail.offerAccount(`for-${address}`, 'New', { address, knownBrowser: undefined }, TEXTS);
  for (let host = 0; host < 500; host += 1) ask(`2001:db8:1:${host.toString(16)}::1`);
  ask('198.51.100.1');
  open();
  await mail.settle();
  expect(sent).toContain('for-198.51.100.1');
  expect(sent).toHaveLength(76); // three quarters for a /48, and the other
});

it('waits in places that are reserved for readers with an account, where it is a reset or a notice', async () => {
  const readers: string[] = [];
  const mail = createMail(async ({ to }, reader = 'anybody') => void readers.push(`${to} ${reader}`));
  mail.offerReset('ada@example.com', FROM, TEXTS);
  mail.notify({ id: 'ada', email: 'before@example.com' }, 'password_changed', TEXTS);
  mail.offerAccount('new@example.com', 'New', FROM, TEXTS);
  await mail.settle();
  expect(readers.toSorted()).toEqual([
    'ada@example.com account',
    'before@example.com account',
    'new@example.com anybody',
  ]);
});
