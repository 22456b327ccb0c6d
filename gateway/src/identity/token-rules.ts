import { parseClaimPath, type ClaimPath } from '../settings/claim-path.ts';
import { authentication, type ClaimPathSettings, type IssuerSettings } from '../settings/authentication.ts';
import { OWN_PROFILE, tokenProfiles, type TokenProfile } from './token-profiles.ts';

/** What of a token is read by paths. */
export type ClaimKind = keyof ClaimPathSettings;

/** What the access tokens of an issuer have to be, and where it says what: a profile, with what the operator says otherwise. */
export interface TokenRules extends Pick<TokenProfile, 'types' | 'marks' | 'foreign' | 'machine'> {
  readonly algorithms: string[];
  /** Of these one suffices. */
  readonly audiences: readonly string[];
  readonly hasOneAudience: boolean;
  readonly needsClient: boolean;
  /** Absent: all. */
  readonly tenants: ReadonlySet<string> | undefined;
  readonly paths: Readonly<Record<ClaimKind, readonly ClaimPath[]>>;
  /** Kinds whose paths the operator has given: those are meant to find something. */
  readonly given: readonly ClaimKind[];
  /** Whether the token was made by our own auth-server, whose claims have the names that are read here. */
  readonly isOwn: boolean;
}

/** What an operator can say otherwise than a profile. */
type TokenSettings = Pick<
  IssuerSettings,
  'audience' | 'profile' | 'algorithms' | 'types' | 'tenants' | 'claims'
>;

const KINDS = Object.keys(authentication.members.issuers.members.claims.members) as readonly ClaimKind[]; // the keys of a table of literals

/** Of the issuer that the environment names. */
export function ownTokenRules(audience: TokenSettings['audience']): TokenRules {
  return rulesOf(OWN_PROFILE, { audience });
}

/** Of an issuer in the file. */
export function tokenRulesOf(settings: TokenSettings): TokenRules {
  const { profile = authentication.members.issuers.members.profile.default } = settings;
  return rulesOf(tokenProfiles[profile], settings);
}

function rulesOf(profile: TokenProfile, settings: TokenSettings): TokenRules {
  const audiences = listOf(settings.audience);
  const { types, algorithms, tenants, claims = {} } = settings;
  const { marks, foreign, machine } = profile;
  const paths = KINDS.map((kind) => [kind, pathsOf(listOf(claims[kind] ?? profile[kind]), audiences)]);
  return Object.freeze({
    types: (types ?? profile.types).map((type) => type.toLowerCase()),
    algorithms: [...(algorithms ?? profile.algorithms)],
    audiences,
    hasOneAudience: profile.hasOneAudience ?? false,
    needsClient: profile.needsClient ?? false,
    tenants: tenants && new Set(tenants),
    paths: Object.fromEntries(paths) as TokenRules['paths'], // one of each kind
    given: KINDS.filter((kind) => claims[kind] !== undefined),
    isOwn: profile === OWN_PROFILE,
    ...(marks && { marks }),
    ...(foreign && { foreign }),
    ...(machine && { machine }),
  });
}

/** The form of the texts was checked with the configuration. */
function pathsOf(texts: readonly string[], audiences: readonly string[]): readonly ClaimPath[] {
  return texts
    .map(parseClaimPath)
    .filter((path) => path !== undefined)
    .flatMap((path) =>
      path.includes(AUDIENCE) ? audiences.map((audience) => withAudience(path, audience)) : [path],
    );
}

const AUDIENCE = '{audience}';

function withAudience(path: ClaimPath, audience: string): ClaimPath {
  return path.map((name) => (name === AUDIENCE ? audience : name));
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

/** Why a token is rejected. `reason` is a sentence for the log, and in development for the client; the message is for clients. */
export class InvalidAccessToken extends Error {
  override readonly name = 'InvalidAccessToken';
  readonly reason: string;

  constructor(reason: string, message = 'The access token is not valid here.') {
    super(message);
    this.reason = reason;
  }
}
