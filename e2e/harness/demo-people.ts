/** Someone who can sign in to a platform in development. */
export interface DemoUser {
  readonly email: string;
  readonly role: 'ADMIN' | 'EDITOR' | 'VIEWER';
}

/** One account a role. */
export const demoPeople: Readonly<Record<'ada' | 'ed' | 'vi', DemoUser>> = {
  ada: { email: 'ada@example.com', role: 'ADMIN' },
  ed: { email: 'ed@example.com', role: 'EDITOR' },
  vi: { email: 'vi@example.com', role: 'VIEWER' },
};

/** The password of all of them. */
export const demoPassword = 'correct horse battery staple';
