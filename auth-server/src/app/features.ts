import type { Pool } from '@trellis/postgres';
import type { RedisConnection } from '@trellis/redis';
import type { Logger, Metrics } from '@trellis/runtime';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { SignInFeatures } from '../accounts/sign-in/sign-in-features.ts';
import type { AdministrationFeatures } from '../administration/account-mail.ts';
import type { AttemptFeatures } from '../attempts/attempt-features.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { AuthorizeFeatures } from '../authorize/authorize-features.ts';
import type { ClientAuthenticationFeatures } from '../clients/authentication/secret-attempt-limiter.ts';
import type { ClientFeatures } from '../clients/client-features.ts';
import type { HasClock } from '../clock.ts';
import type { DpopFeatures } from '../dpop/nonces.ts';
import type { GatewaysFeatures } from '../gateways/gateways.ts';
import type { GrantFeatures } from '../grants/grant-features.ts';
import type { HttpFeatures } from '../http/http-features.ts';
import type { IssuerFeatures } from '../issuers/issuer-registry.ts';
import type { KeyFeatures } from '../keys/key-features.ts';
import type { LogoutFeatures } from '../logout/back-channel-logout.ts';
import type { MailFeatures } from '../mail/mail-limits.ts';
import type { PageFeatures } from '../pages/language.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { TokenFeatures } from '../tokens/token-features.ts';

/**
 * What the folders offer, put together. Nothing below this folder knows it: each endpoint, grant type and action declares
 * those of the folders' features that it takes, and is given these.
 */
export interface Features
  extends
    HasClock,
    HasSettings,
    AccountFeatures,
    AdministrationFeatures,
    AttemptFeatures,
    AuditFeatures,
    AuthorizeFeatures,
    ClientAuthenticationFeatures,
    ClientFeatures,
    DpopFeatures,
    GatewaysFeatures,
    GrantFeatures,
    HttpFeatures,
    IssuerFeatures,
    KeyFeatures,
    LogoutFeatures,
    MailFeatures,
    PageFeatures,
    SignInFeatures,
    TokenFeatures {}

/** What features are made from. */
export interface FeatureResources {
  readonly pool: Pool;
  readonly redis: RedisConnection;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The issuer, which the configuration may leave to the address. */
  readonly issuer: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}
