import type { Audit } from '../audit/audit.ts';
import type { BackChannelLogout } from '../logout/back-channel-logout.ts';
import type { DpopNonces } from '../dpop/nonces.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { GrantRevoker } from '../grants/grant-revoker.ts';
import type { SecretGuesses } from '../clients/authentication/secret-guesses.ts';
import type { RequestLimits } from '../http/request-limits.ts';
import type { WriteRoom } from '../attempts/write-room.ts';
import type { AuthServerMetrics } from '../audit/auth-server-metrics.ts';
import type { AccountName } from '../accounts/sign-in/account-name.ts';
import type { Guesses } from '../accounts/sign-in/guesses.ts';
import type { Transactions } from '../authorize/transactions.ts';
import type { AccountMail } from '../administration/account-mail.ts';
import type { MailLimits } from '../mail/mail-limits.ts';
import type { PasswordHasher } from '../accounts/sign-in/password-hasher.ts';
import type { SignIn } from '../accounts/sign-in/sign-in.ts';
import type { AccountGrantStore } from '../grants/account-grant-store.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AssertionStore } from '../attempts/assertion-store.ts';
import type { CodeStore } from '../grants/code-store.ts';
import type { ConsentStore } from '../accounts/consent-store.ts';
import type { DeviceStore } from '../grants/device-store.ts';
import type { GrantStore } from '../grants/grant-store.ts';
import type { LinkStore } from '../accounts/link-store.ts';
import type { PushedRequestStore } from '../authorize/pushed-request-store.ts';
import type { Replicated } from '../grants/replication.ts';
import type { SessionStore } from '../accounts/session-store.ts';
import type { StaleTokenStore } from '../tokens/stale-token-store.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { RefreshTokens } from '../tokens/refresh-token.ts';
import type { Keys } from '../secrets/secrets.ts';
import type { Settings } from '../settings/settings.ts';

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
