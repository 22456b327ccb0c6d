/** An account that a development installation starts with. */
export interface DemoAccount {
  /** UUID v7; the auth-server's account, the token's `sub` and the graph's `User.id` alike. */
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: 'ADMIN' | 'EDITOR' | 'VIEWER';
}

/** One account for each role. */
export const demoAccounts: readonly DemoAccount[] = Object.freeze([
  {
    id: '01941f29-7c00-7a00-8000-0000000000ad',
    email: 'ada@example.com',
    name: 'Ada Marlow',
    role: 'ADMIN',
  },
  {
    id: '01941f29-7c01-7a00-8000-0000000000ed',
    email: 'ed@example.com',
    name: 'Ed Thornbury',
    role: 'EDITOR',
  },
  {
    id: '01941f29-7c02-7a00-8000-000000000071',
    email: 'vi@example.com',
    name: 'Vi Castellan',
    role: 'VIEWER',
  },
]);

/** The password of every demo account. Production rejects demo accounts. */
export const demoPassword = 'correct horse battery staple';
