/** A client that a development installation starts with: its metadata, complete. RFC 7591 §2 */
export interface DemoClient {
  readonly client_id: string;
  readonly client_name: string;
  readonly redirect_uris: string[];
  readonly post_logout_redirect_uris: string[];
  readonly grant_types: ('authorization_code' | 'refresh_token')[];
  readonly token_endpoint_auth_method: 'none';
  readonly backchannel_logout_session_required: boolean;
  readonly scope: string;
  readonly application_type: 'native' | 'web';
  readonly id_token_signed_response_alg: 'ES256';
  readonly require_auth_time: boolean;
  readonly dpop_bound_access_tokens: boolean;
  readonly tls_client_certificate_bound_access_tokens: boolean;
  readonly require_pushed_authorization_requests: boolean;
  readonly require_signed_request_object: boolean;
  readonly first_party: boolean;
  readonly unvetted: boolean;
  readonly pkce_exempt: boolean;
  readonly token_endpoint_audience: boolean;
  readonly refresh_reuse_leeway_seconds: number;
}

const SCOPE = 'openid profile email offline_access read:data read:profile write:data';

/** Where the development servers of Next.js and Create React App, Vite, webpack, and Angular listen by default. */
const FRONT_END_PORTS = [3000, 5173, 8080, 4200] as const;

/** Where the pages are that come with the platform. */
export interface DemoOrigins {
  /** Of the sample application. */
  readonly DEMO_WEB_ORIGIN: string;
  /** Of the gateway's explorer. */
  readonly DEMO_EXPLORER_ORIGIN: string;
}

/** The clients of a development installation. */
export function demoClients({
  DEMO_WEB_ORIGIN: web,
  DEMO_EXPLORER_ORIGIN: gateway,
}: DemoOrigins): readonly DemoClient[] {
  const developmentServers = FRONT_END_PORTS.map((port) => `http://localhost:${port}`);
  const origins = [web, ...developmentServers].flatMap(withLoopbackAddress);
  const explorers = withLoopbackAddress(gateway).map((origin) => `${origin}/explorer`);
  return [
    consoleClient,
    publicClient('trellis-cli', 'Trellis command line', 'native', ['http://127.0.0.1/callback']),
    withoutConsent(
      publicClient(
        'trellis-explorer',
        'Trellis explorer',
        'web',
        explorers.map((explorer) => `${explorer}/callback`),
        explorers.flatMap((explorer) => [explorer, `${explorer}/signed-out`]),
      ),
    ),
    publicClient(
      'trellis-web',
      'A web app in development',
      'web',
      origins.flatMap((origin) => [`${origin}/callback`, `${origin}/`]),
      origins.flatMap((origin) => [`${origin}/signed-out`, `${origin}/`]),
    ),
  ];
}

/** The registration that the console for operators goes by: everything is allowed there, and no token is issued to it. */
const consoleClient: DemoClient = {
  ...publicClient('trellis-console', 'Console', 'web', []),
  grant_types: [],
  scope: 'auth:admin',
};

/** A page at `localhost` may have been opened by its address as well. */
function withLoopbackAddress(origin: string): readonly string[] {
  return [...new Set([origin, origin.replace('//localhost', '//127.0.0.1')])];
}

/** The gateway's own page: users have nothing to decide. */
function withoutConsent(client: DemoClient): DemoClient {
  return { ...client, first_party: true };
}

function publicClient(
  id: string,
  name: string,
  applicationType: DemoClient['application_type'],
  redirectUris: readonly string[],
  signedOutUris: readonly string[] = [],
): DemoClient {
  return {
    client_id: id,
    client_name: name,
    redirect_uris: [...redirectUris],
    post_logout_redirect_uris: [...signedOutUris],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    backchannel_logout_session_required: false,
    scope: SCOPE,
    application_type: applicationType,
    id_token_signed_response_alg: 'ES256',
    require_auth_time: false,
    dpop_bound_access_tokens: false,
    tls_client_certificate_bound_access_tokens: false,
    require_pushed_authorization_requests: false,
    require_signed_request_object: false,
    first_party: false,
    unvetted: false,
    pkce_exempt: false,
    token_endpoint_audience: false,
    refresh_reuse_leeway_seconds: 0,
  };
}
