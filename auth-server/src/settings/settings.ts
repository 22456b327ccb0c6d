/** What clients can be registered for. */
export interface ClientRules {
  /** Every resource that tokens may be asked for, but the admin API. */
  readonly apiAudiences: readonly string[];
  /** Every scope there is. */
  readonly scopes: readonly string[];
  /**
   * Which certificates clients can authenticate by: none; those that they register; those of authorities, too. Tokens are
   * bound to either.
   */
  readonly certificates: 'none' | 'registered' | 'issued';
  /** Every `grant_type` that the token endpoint supports. */
  readonly grantTypes: readonly string[];
}

/** What the endpoints need to know of the configuration. */
export interface Settings extends ClientRules {
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
  /** Whether users may make accounts by themselves. */
  readonly signUp: boolean;
  /** How long the key set may be cached, seconds. */
  readonly keySetMaxAgeS: number;
  /** Where the endpoints are for clients with certificates, without a slash at its end; undefined where they are the same. RFC 8705 §5 */
  readonly certificateUrl: string | undefined;
}

/** When a grant ends, however often it is refreshed. @param createdAt like the response in seconds since 1970 */
export function grantEnd(createdAt: number, { refreshTtlS }: Settings): number {
  return createdAt + refreshTtlS;
}

/** What knows the settings. */
export interface HasSettings {
  readonly settings: Settings;
}
