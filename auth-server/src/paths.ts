/** The paths of the endpoints, below the issuer's own path. */
export const paths: {
  readonly home: string;
  readonly assets: string;
  readonly clientLogo: string;
  readonly authorize: string;
  readonly resume: string;
  readonly login: string;
  readonly consent: string;
  readonly par: string;
  readonly deviceAuthorization: string;
  readonly device: string;
  readonly token: string;
  readonly userinfo: string;
  readonly revoke: string;
  readonly introspect: string;
  readonly jwks: string;
  readonly logout: string;
  readonly account: string;
  readonly register: string;
  readonly admin: string;
  readonly console: string;
  readonly link: string;
  readonly signUp: string;
  readonly forgotten: string;
} = Object.freeze({
  home: '/',
  assets: '/assets',
  clientLogo: '/client-logo',
  authorize: '/authorize',
  resume: '/authorize/resume',
  login: '/login',
  consent: '/consent',
  par: '/par',
  deviceAuthorization: '/device_authorization',
  device: '/device',
  token: '/token',
  userinfo: '/userinfo',
  revoke: '/revoke',
  introspect: '/introspect',
  jwks: '/jwks.json',
  logout: '/logout',
  account: '/account',
  register: '/register',
  admin: '/admin',
  console: '/console',
  link: '/link',
  signUp: '/sign-up',
  forgotten: '/forgotten',
});
