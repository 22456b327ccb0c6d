/** What may happen, in the words of the table in docs/what-ends-what.md. */
export const events = {
  signed_out: 'Sign-out',
  signed_in_again: 'Sign-in again, as the same user',
  signed_in_as_another: 'Sign-in as another user',
  password_changed: 'Password changed',
  password_reset: 'Password reset',
  email_changed: 'E-mail address changed',
  account_disabled: 'Account disabled',
  account_deleted: 'Account deleted',
  role_reduced: 'Role reduced',
  claims_changed: 'Claims changed',
  scope_reduced: 'Scope taken out of `API_SCOPES`',
  client_removed: 'Client removed',
  client_removed_itself: 'Client removed by itself (RFC 7592)',
  client_narrowed: 'Client narrowed',
  client_narrowed_itself: 'Client narrowed by itself (RFC 7592)',
  client_method_changed: 'Client authenticates by another method',
  client_certificate_replaced: 'Registered certificate of a client replaced (RFC 8705)',
  client_registered_again: 'Client removed and registered again',
  consent_withdrawn: 'Consent withdrawn',
  session_idle: 'Session idle',
  session_at_its_end: 'Session at its end (`SESSION_TTL_S`)',
  grant_revoked: 'Grant revoked',
  refresh_token_reused: 'Refresh token or code used twice',
  keys_replaced: 'Signing keys replaced',
} as const;

/** What may end by it. */
export const things = {
  session: 'Session',
  cookie: 'Cookie',
  grant: 'Grant without `offline_access`',
  offlineGrant: 'Grant with `offline_access`',
  refreshToken: 'Refresh token',
  gatewayToken: 'Access token at the gateway',
  introspectedToken: 'Access token at introspection',
  exchangedToken: 'Access token that was exchanged, at the gateway',
  socket: 'Sockets',
  code: 'Authorization code',
  resetLink: 'Reset link',
  emailLink: 'Link that confirms another address',
  signUpLink: 'Sign-up link, sent to another address',
  deviceCode: 'Device code',
  consent: 'Consent',
  notice: 'Back-channel notice',
} as const;

/** The name of an event. */
export type LifeCycleEvent = keyof typeof events;
/** The name of a thing. */
export type LifeCycleThing = keyof typeof things;

/**
 * What an event does to a thing: it ends, it stays, it stays and gives less than before; a notice is sent, or none is.
 */
export type Effect = 'ends' | 'stays' | 'narrows' | 'sent' | 'none';

/** The decision on one pair. */
export interface LifeCycleCell {
  readonly effect: Effect;
  /** When, or what else there is to know. */
  readonly note?: string;
}

const ends: LifeCycleCell = { effect: 'ends' };
const stays: LifeCycleCell = { effect: 'stays' };
const narrows: LifeCycleCell = { effect: 'narrows' };
const sent: LifeCycleCell = { effect: 'sent' };
const none: LifeCycleCell = { effect: 'none' };
const within = (effect: Effect, note: string): LifeCycleCell => ({ effect, note });

/** Nothing changes but what an event names. */
const nothing: Row = {
  session: stays,
  cookie: stays,
  grant: stays,
  offlineGrant: stays,
  refreshToken: stays,
  gatewayToken: stays,
  introspectedToken: stays,
  exchangedToken: stays,
  socket: stays,
  code: stays,
  resetLink: stays,
  emailLink: stays,
  signUpLink: stays,
  deviceCode: stays,
  consent: stays,
  notice: none,
};

const A_SECOND = 'within a second';
const tokensEnd = {
  gatewayToken: within('ends', A_SECOND),
  introspectedToken: ends,
  exchangedToken: within('ends', A_SECOND),
  socket: within('ends', A_SECOND),
};
const grantEnds = { grant: ends, refreshToken: ends, ...tokensEnd };
const sessionEnds = { session: ends, cookie: ends, ...grantEnds, code: ends, notice: sent };
/** The account's own; a sign-up link is no account's. */
const accountLinksEnd = { resetLink: ends, emailLink: ends };
const everythingEnds = { ...sessionEnds, ...accountLinksEnd, offlineGrant: ends, deviceCode: ends };
const clientEnds = {
  ...grantEnds,
  offlineGrant: ends,
  code: ends,
  deviceCode: ends,
  consent: ends,
};

const clientRemoved = { ...clientEnds, notice: within('none', 'no client is left to notify') };
const clientNarrowed = {
  ...tokensEnd,
  grant: within('narrows', 'from its next refresh on'),
  offlineGrant: within('narrows', 'from its next refresh on'),
  refreshToken: narrows,
  code: narrows,
  deviceCode: narrows,
};

/** No one has ended it, so nothing is published. */
const sessionRunsOut = {
  session: ends,
  cookie: ends,
  grant: ends,
  refreshToken: ends,
  gatewayToken: within('stays', 'until it expires'),
  introspectedToken: within('stays', 'until it expires'),
  exchangedToken: within('stays', 'until it expires'),
  socket: within('stays', 'until the token expires'),
  code: ends,
};

/** The decisions on one event. */
export type Row = Readonly<Record<LifeCycleThing, LifeCycleCell>>;

/**
 * What ends what. The things are those of one user in one browser: a session, what one client got through it (a grant of
 * each kind, a code that waits, a device that was allowed and has not asked yet, a socket with the first grant's access
 * token), a link to reset the password, one that gives the account another address, and one that was sent to an address without
 * an account, where the address changes to just that. docs/what-ends-what.md is generated from this table, and so is a test for
 * each of its cells.
 */
export const whatEndsWhat: Readonly<Record<LifeCycleEvent, Row>> = Object.freeze({
  signed_out: { ...nothing, ...sessionEnds },
  signed_in_again: { ...nothing, cookie: within('ends', 'a new one takes its place') },
  signed_in_as_another: { ...nothing, ...sessionEnds },
  password_changed: {
    ...nothing,
    ...everythingEnds,
    session: within('ends', 'every one; the browser goes on with a new one'),
  },
  password_reset: { ...nothing, ...everythingEnds, session: within('ends', 'every one') },
  email_changed: {
    ...nothing,
    resetLink: within('ends', 'it went to the address before'),
    emailLink: within('ends', 'it names the address before'),
    signUpLink: within('ends', 'the account has its address now'),
  },
  account_disabled: {
    ...nothing,
    ...everythingEnds,
    consent: within('stays', 'of use when the account is enabled again'),
  },
  account_deleted: { ...nothing, ...everythingEnds, consent: ends },
  role_reduced: { ...nothing, ...tokensEnd, resetLink: within('ends', 'with every other role') },
  claims_changed: { ...nothing, ...tokensEnd },
  scope_reduced: {
    ...nothing,
    grant: within('narrows', 'from its next refresh on'),
    offlineGrant: within('narrows', 'from its next refresh on'),
    refreshToken: narrows,
    gatewayToken: within('stays', 'until it expires'),
    introspectedToken: narrows,
    exchangedToken: within('stays', 'until it expires'),
    socket: within('stays', 'until the token expires'),
    code: narrows,
    deviceCode: narrows,
  },
  client_removed: { ...nothing, ...clientRemoved },
  client_removed_itself: { ...nothing, ...clientRemoved },
  client_narrowed: { ...nothing, ...clientNarrowed },
  client_narrowed_itself: { ...nothing, ...clientNarrowed },
  client_method_changed: {
    ...nothing,
    refreshToken: within('stays', 'the client proves who it is in the new way'),
  },
  client_certificate_replaced: {
    ...nothing,
    ...tokensEnd,
    refreshToken: within('stays', 'for the new certificate'),
  },
  client_registered_again: { ...nothing, ...clientEnds },
  consent_withdrawn: { ...nothing, ...clientEnds },
  session_idle: { ...nothing, ...sessionRunsOut },
  session_at_its_end: { ...nothing, ...sessionRunsOut },
  grant_revoked: { ...nothing, ...grantEnds },
  refresh_token_reused: { ...nothing, ...grantEnds },
  keys_replaced: {
    ...nothing,
    gatewayToken: within('ends', 'with its next reading of the key set: five minutes at most'),
    introspectedToken: within('ends', 'within `KEY_RELOAD_INTERVAL_S`'),
    exchangedToken: within('ends', 'with its next reading of the key set: five minutes at most'),
    socket: within('ends', 'a second after the gateway has read the key set'),
  },
});
