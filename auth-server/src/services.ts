import type { Audit } from './audit.ts';
import type { BackChannelLogout } from './back-channel/back-channel-logout.ts';
import type { DpopNonces } from './dpop/nonces.ts';
import type { ClientRegistry } from './client-registry.ts';
import type { GrantRevoker } from './grant-revoker.ts';
import type { SecretGuesses } from './client-authentication/secret-guesses.ts';
import type { RequestLimits } from './http/request-limits.ts';
import type { WriteRoom } from './stores/write-room.ts';
import type { AuthServerMetrics } from './auth-server-metrics.ts';
import type { AccountName } from './sign-in/account-name.ts';
import type { Guesses } from './sign-in/guesses.ts';
import type { Transactions } from './authorize/transactions.ts';
import type { AccountMail } from './mail/account-mail.ts';
import type { MailLimits } from './mail/mail-limits.ts';
import type { PasswordHasher } from './sign-in/password-hasher.ts';
import type { SignIn } from './sign-in/sign-in.ts';
import type { AccountGrantStore } from './stores/account-grant-store.ts';
import type { AccountStore } from './stores/account-store.ts';
import type { AssertionStore } from './stores/assertion-store.ts';
import type { CodeStore } from './stores/code-store.ts';
import type { ConsentStore } from './stores/consent-store.ts';
import type { DeviceStore } from './stores/device-store.ts';
import type { GrantStore } from './stores/grant-store.ts';
import type { LinkStore } from './stores/link-store.ts';
import type { PushedRequestStore } from './stores/pushed-request-store.ts';
import type { Replicated } from './stores/replication.ts';
import type { SessionStore } from './stores/session-store.ts';
import type { StaleTokenStore } from './stores/stale-token-store.ts';
import type { Keyring } from './tokens/keyring.ts';
import type { RefreshTokens } from './tokens/refresh-token.ts';
import type { Keys } from './secrets.ts';

/** What the endpoints need to know of the configuration. */
export interface Settings {
  /** Byte for byte what tokens and discovery say; never taken from a request. */
  readonly issuer: string;
  /** Resources that tokens may be asked for; the first is the default. */
  readonly audiences: readonly string[];
  /** Audience of tokens for the admin API; undefined where there is none. */
  readonly adminAudience: string | undefined;
  /** How long after signing in an administrator may change things, seconds. */
  readonly adminSignInMaxAgeS: number;
  /** What clients that register themselves have to bring; undefined where they can't. */
  readonly registrationToken: string | undefined;
  /** Every scope there is. */
  readonly scopes: readonly string[];
  readonly accessTokenTtlS: number;
  readonly idTokenTtlS: number;
  readonly codeTtlS: number;
  readonly deviceCodeTtlS: number;
  readonly refreshIdleTtlS: number;
  readonly refreshTtlS: number;
  readonly sessionTtlS: number;
  readonly transactionTtlS: number;
  /** How long one-time links work, seconds. */
  readonly linkTtlS: number;
  /** Whether people may make accounts by themselves. */
  readonly signUp: boolean;
  /** How long the key set may be cached, seconds. */
  readonly keySetMaxAgeS: number;
}

/** Everything that the endpoints work with. */
export interface Services {
  readonly settings: Settings;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly accounts: AccountStore;
  readonly accountName: AccountName;
  readonly accountGrants: AccountGrantStore;
  readonly assertions: AssertionStore;
  readonly audit: Audit;
  readonly replicated: Replicated;
  readonly backChannelLogout: BackChannelLogout;
  readonly clients: ClientRegistry;
  readonly codes: CodeStore;
  readonly consents: ConsentStore;
  /** Keys of the tokens that bind forms to browsers. */
  readonly csrfKeys: Keys;
  readonly devices: DeviceStore;
  readonly dpopNonces: DpopNonces;
  readonly grants: GrantStore;
  /** Limits guesses of the codes that devices show. */
  readonly userCodeGuesses: Guesses;
  readonly hasher: PasswordHasher;
  readonly keyring: Keyring;
  readonly links: LinkStore;
  /** Absent where no mail can be sent; people are then helped by those who run the server. */
  readonly accountMail: AccountMail | undefined;
  /** Limits messages to one address, and requests for messages from one place. */
  readonly mailLimits: MailLimits;
  readonly metrics: AuthServerMetrics;
  readonly pushedRequests: PushedRequestStore;
  readonly refreshTokens: RefreshTokens;
  /** Limits requests of networks and clients. */
  readonly requestLimits: RequestLimits;
  readonly revoker: GrantRevoker;
  /** Limits guesses of clients' secrets. */
  readonly secretGuesses: SecretGuesses;
  readonly sessions: SessionStore;
  readonly signIn: SignIn;
  readonly staleTokens: StaleTokenStore;
  readonly transactions: Transactions;
  /** Room in Redis for what anybody can have written. */
  readonly writeRoom: WriteRoom;
}

/** When a grant ends, however often it is refreshed. @param createdAt like the answer in seconds since 1970 */
export function grantEnd(createdAt: number, { refreshTtlS }: Settings): number {
  return createdAt + refreshTtlS;
}

/** Seconds since 1970, as tokens and records count. */
export function nowS(services: Pick<Services, 'clock'>): number {
  return Math.floor(services.clock() / 1000);
}
