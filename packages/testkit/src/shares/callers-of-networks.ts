/** Who takes of what all share. */
export interface SharingCaller {
  /** As a socket or a trusted proxy gives it. */
  readonly address: string;
  /** A user who has proved who it is; absent: only the address is known. */
  readonly user?: string;
}

/** Callers who are one at some level of the networks. */
export interface RelatedCallers {
  /** As a title has it. */
  readonly are: string;
  /** Of the amounts that networks have, narrowest first. */
  readonly level: 0 | 1 | 2;
  /** The next of them, each with another address or another spelling of it, as far as there are any. */
  caller(number: number): SharingCaller;
  /** Someone who has nothing to do with them, of their kind. */
  readonly outsider: SharingCaller;
}

const OUTSIDER: SharingCaller = { address: '203.0.113.1' };

const byNetwork: readonly Omit<RelatedCallers, 'outsider'>[] = [
  { are: 'one address', level: 0, caller: () => ({ address: '198.51.100.7' }) },
  {
    are: 'one address with other ports',
    level: 0,
    caller: (number) => ({ address: `198.51.100.7:${1_024 + (number % 60_000)}` }),
  },
  {
    are: 'one address, as IPv6 maps it too',
    level: 0,
    caller: (number) => ({ address: pick(MAPPED, number) }),
  },
  {
    are: 'the addresses of a /24',
    level: 1,
    caller: (number) => ({ address: `198.51.100.${number % 256}` }),
  },
  {
    are: 'the addresses of a /64',
    level: 0,
    caller: (number) => ({ address: `2001:db8:aaaa:bb00::${hex(number % 65_536)}` }),
  },
  {
    are: 'the networks of a /56',
    level: 1,
    caller: (number) => ({ address: `2001:db8:aaaa:${hex(0xbb_00 + (number % 256))}::1` }),
  },
  {
    are: 'the networks of a /48',
    level: 2,
    // Another /56 each time: else those that come first would find the share of theirs instead.
    caller: (number) => ({ address: `2001:db8:aaaa:${hex((number * 257) % 65_536)}::1` }),
  },
];

const MAPPED = ['198.51.100.7', '::ffff:198.51.100.7', '::FFFF:c633:6407', '[::ffff:198.51.100.7]:443'];

/** Of whom nothing but the address is known. */
export const relatedByNetwork: readonly RelatedCallers[] = byNetwork.map((callers) => ({
  ...callers,
  outsider: OUTSIDER,
}));

/** A user, wherever it is. */
export const relatedByUser: RelatedCallers = {
  are: 'one user at many addresses',
  level: 0,
  caller: (number) => ({ user: 'ada', address: `10.${(number >> 8) % 256}.${number % 256}.1` }),
  outsider: { user: 'bob', address: '10.0.0.1' },
};

function hex(number: number): string {
  return number.toString(16);
}

function pick(texts: readonly string[], number: number): string {
  return texts[number % texts.length] ?? '';
}
