import type { NodeEnvironment } from '@trellis/runtime';
import { adminScopes, openidScopes } from '../clients/scopes.ts';

/** The auth-server's configuration, as read from its environment. */
export interface AuthServerConfig {
  readonly LOG_LEVEL: string;
  readonly OPERATIONS_PORT: number;
  readonly OPERATIONS_HOST: string;
  readonly PORT: number;
  readonly HOST: string;
  readonly ISSUER?: string | undefined;
  readonly AUDIENCES: readonly string[];
  readonly API_SCOPES: readonly string[];
  readonly CLIENTS_FILE?: string | undefined;
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
  readonly REDIS_REPLICAS: number;
  /** The newest first. */
  readonly KEY_ENCRYPTION_SECRET: readonly string[];
  /** The newest first. */
  readonly COOKIE_SECRET: readonly string[];
  readonly DEMO_DATA: boolean;
  readonly NODE_ENV?: NodeEnvironment | undefined;
  readonly TRUSTED_PROXIES: readonly string[];
  readonly TLS_CERT_FILE?: string | undefined;
  readonly TLS_KEY_FILE?: string | undefined;
  readonly ACCESS_TOKEN_TTL_S: number;
  readonly ID_TOKEN_TTL_S: number;
  readonly CODE_TTL_S: number;
  readonly DEVICE_CODE_TTL_S: number;
  readonly DPOP_NONCE_REQUIRED: boolean;
  readonly REFRESH_TOKEN_IDLE_TTL_S: number;
  readonly REFRESH_TOKEN_TTL_S: number;
  readonly SESSION_IDLE_TTL_S: number;
  readonly SESSION_TTL_S: number;
  readonly TRANSACTION_TTL_S: number;
  readonly SIGN_IN_FAILURES_PER_ACCOUNT: number;
  readonly SIGN_IN_FAILURES_PER_ADDRESS: number;
  readonly SIGN_IN_WINDOW_S: number;
  readonly REQUESTS_PER_ADDRESS: number;
  readonly ANONYMOUS_STORE_BYTES: number;
  readonly PASSWORD_HASH_CONCURRENCY: number;
  readonly KEY_ROTATION_INTERVAL_S: number;
  readonly KEY_PUBLICATION_LEAD_S: number;
  readonly KEY_RELOAD_INTERVAL_S: number;
  readonly AUDIT_RETENTION_S: number;
  readonly SIGN_UP: boolean;
  readonly MAIL_URL?: string | undefined;
  readonly MAIL_FROM?: string | undefined;
  readonly MAIL_WEBHOOK_SECRET?: string | undefined;
  readonly LINK_TTL_S: number;
  readonly ADMIN_API: boolean;
  readonly ADMIN_SIGN_IN_MAX_AGE_S: number;
  readonly REGISTRATION_TOKEN?: string | undefined;
  readonly BACKCHANNEL_NETWORKS: readonly string[];
}

/** Every scope that clients can be registered for. */
export function knownScopes(config: Pick<AuthServerConfig, 'API_SCOPES' | 'ADMIN_API'>): readonly string[] {
  return [...openidScopes, ...config.API_SCOPES, ...(config.ADMIN_API ? adminScopes : [])];
}
