import type { Given, InForce } from './setting.ts';

/** Trusted issuers of access tokens. */
export const authentication = {
  type: 'group',
  doc: 'Trusted issuers of access tokens.',
  members: {
    issuers: {
      type: 'groups',
      reload: 'live',
      doc: 'Issuers whose access tokens are accepted, beside the one of TOKEN_ISSUER, which is the first. Without it, the first of these is.',
      members: {
        issuer: {
          type: 'text',
          form: 'httpUrl',
          required: true,
          reload: 'live',
          doc: "Equal to the token's iss.",
        },
        audience: {
          type: 'text-or-list',
          form: 'name',
          required: true,
          reload: 'live',
          doc: "What the token's aud has to be, or to have among others; of profiles that have no aud, the client id. Of several, one suffices.",
        },
        profile: {
          type: 'choice',
          choices: ['rfc9068', 'auth0', 'keycloak', 'okta', 'entra', 'cognito', 'google', 'general'],
          default: 'rfc9068',
          reload: 'live',
          doc: 'Of which shape its access tokens are: their typ, their algorithms, and where scopes, roles, groups, name and tenant are.',
        },
        jwksUrl: {
          type: 'text',
          form: 'httpUrl',
          reload: 'live',
          doc: 'Address of the public keys of the issuer. Absent: what its metadata say, at /.well-known/openid-configuration or /.well-known/oauth-authorization-server, which have to come by https unless the host is a loopback address.',
        },
        algorithms: {
          type: 'list',
          form: 'signatureAlgorithm',
          minItems: 1,
          reload: 'live',
          doc: 'With which its tokens may be signed. Absent: those of the profile.',
        },
        types: {
          type: 'list',
          form: 'name',
          minItems: 1,
          reload: 'live',
          doc: 'Values of the header typ that its access tokens have, in any case, without application/; none for tokens without it. Absent: those of the profile.',
        },
        tenants: {
          type: 'list',
          form: 'name',
          minItems: 1,
          reload: 'live',
          doc: 'Tenants whose tokens are accepted. Absent: all.',
        },
        claims: {
          type: 'group',
          doc: 'Where values are in the claims, instead of where the profile says: paths such as realm_access.roles. Of several, one suffices for audience, client, name and tenant; the others are united. {audience} in a path is each of the audiences.',
          members: {
            audience: {
              type: 'text-or-list',
              form: 'claimPath',
              reload: 'live',
              doc: 'Of what is compared with audience.',
            },
            client: {
              type: 'text-or-list',
              form: 'claimPath',
              reload: 'live',
              doc: 'Of the id of the OAuth client.',
            },
            scopes: {
              type: 'text-or-list',
              form: 'claimPath',
              reload: 'live',
              doc: 'Of scopes: a list, or a text with blanks between them.',
            },
            roles: {
              type: 'text-or-list',
              form: 'claimPath',
              reload: 'live',
              doc: 'Of roles: a list or a text.',
            },
            groups: {
              type: 'text-or-list',
              form: 'claimPath',
              reload: 'live',
              doc: 'Of groups: a list or a text. Policies read them as the claim groups.',
            },
            name: {
              type: 'text-or-list',
              form: 'claimPath',
              reload: 'live',
              doc: 'Of the name of the user.',
            },
            email: {
              type: 'text-or-list',
              form: 'claimPath',
              reload: 'live',
              doc: 'Of the e-mail address of the user.',
            },
            tenant: {
              type: 'text-or-list',
              form: 'claimPath',
              reload: 'live',
              doc: 'Of the tenant. Policies read it as the claim tenant.',
            },
          },
        },
        introspection: {
          type: 'group',
          optional: true,
          doc: 'How the issuer is asked about tokens that are no JWT (RFC 7662). Absent: such tokens are invalid.',
          members: {
            url: {
              type: 'text',
              form: 'httpUrl',
              reload: 'live',
              doc: 'Address of the introspection endpoint. Absent: what the metadata of the issuer say.',
            },
            clientId: {
              type: 'text',
              form: 'name',
              required: true,
              reload: 'live',
              doc: 'Id of the client as which the gateway asks.',
            },
            clientSecret: {
              type: 'text',
              form: 'name',
              required: true,
              reload: 'live',
              doc: 'Its secret: ${env.INTROSPECTION_SECRET}, or ${file./run/secrets/introspection}.',
            },
            signed: {
              type: 'flag',
              default: false,
              reload: 'live',
              doc: 'Whether the issuer has to sign its responses (RFC 9701), by its keys and for clientId. With others tokens can not be judged.',
            },
            cacheS: {
              type: 'int',
              min: 0,
              max: 3_600,
              default: 60,
              unit: 'seconds',
              reload: 'live',
              doc: 'For which a token that is active is taken without asking again, and streams with it go on.',
            },
            negativeCacheS: {
              type: 'int',
              min: 0,
              max: 300,
              default: 5,
              unit: 'seconds',
              reload: 'live',
              doc: 'For which a token that is not active is rejected without asking again.',
            },
            maxConcurrent: {
              type: 'int',
              min: 1,
              default: 32,
              unit: 'requests',
              reload: 'live',
              doc: 'That are sent to the issuer at a time; eight times as many wait, for 5 seconds at most, and more get AUTHENTICATION_UNAVAILABLE. One network has at most half of both: beyond, 429 RATE_LIMITED. Tokens that were valid before go ahead of unknown ones.',
            },
          },
        },
        scopes: {
          type: 'list',
          form: 'name',
          reload: 'live',
          doc: 'Scopes that its tokens may give; others in them do not count. Absent: none, and for the first issuer all.',
        },
        roles: {
          type: 'list',
          form: 'name',
          reload: 'live',
          doc: 'Roles that its tokens may give. Absent: none, and for the first issuer all.',
        },
        policies: {
          type: 'list',
          form: 'name',
          reload: 'live',
          doc: 'Names of authorization.policies that its claims may meet. Absent: none, and for the first issuer all.',
        },
        users: {
          type: 'choice',
          choices: ['own', 'linked'],
          default: 'own',
          reload: 'live',
          doc: 'own: its users are others than those of the first issuer, whatever their sub. linked: they are the users of the first issuer with the same sub, so that the issuer can speak for each of them. The first issuer has no other users than the own.',
        },
      },
    },
    clientCertificate: {
      type: 'group',
      optional: true,
      doc: 'How a proxy that http.trustProxy names says which certificate the client has used, for tokens that are bound to it (RFC 8705). The proxy has to remove or overwrite the header of its clients. Absent: such tokens are invalid.',
      members: {
        header: {
          type: 'text',
          form: 'name',
          required: true,
          reload: 'live',
          doc: 'Name of the header.',
        },
        format: {
          type: 'choice',
          choices: ['pem', 'rfc9440', 'base64', 'xfcc'],
          default: 'pem',
          reload: 'live',
          doc: 'pem: the certificate as URL-encoded PEM ($ssl_client_escaped_cert of nginx). rfc9440: as the header Client-Cert. base64: its DER (ssl_c_der,base64 of HAProxy, Traefik). xfcc: x-forwarded-client-cert of Envoy with one element, Hash or Cert.',
        },
      },
    },
    resource: {
      type: 'text',
      form: 'httpUrl',
      reload: 'live',
      doc: 'Address by which clients know this graph, for the metadata of RFC 9728 and for challenges. Absent: the first audience of the first issuer where that is an address that ends in /graphql, else none.',
    },
    scopesSupported: {
      type: 'list',
      form: 'name',
      reload: 'live',
      doc: 'Scopes that clients may ask for, for the metadata of RFC 9728. Absent: the metadata name none.',
    },
    required: {
      type: 'flag',
      default: false,
      reload: 'live',
      doc: 'Whether the whole graph needs a valid access token, fields without a directive and introspection included. Anonymous callers get UNAUTHENTICATED, and nothing of the schema.',
    },
    leewayS: {
      type: 'int',
      min: 0,
      max: 300,
      default: 10,
      unit: 'seconds',
      reload: 'live',
      doc: 'By which clocks may differ.',
    },
    dpopUrls: {
      type: 'list',
      form: 'httpUrl',
      minItems: 1,
      reload: 'live',
      doc: 'Addresses at which clients know the gateway, whole: https://api.example/graphql. A DPoP proof has to name one of them. Absent: it has to name the host and path of its request.',
    },
    jwksCooldownMs: {
      type: 'int',
      min: 1_000,
      default: 5_000,
      unit: 'milliseconds',
      reload: 'live',
      doc: 'Between two fetches of keys, whatever tokens name.',
    },
  },
} as const;

/** An issuer whose access tokens are accepted, as an operator gives it. */
export type IssuerSettings = Given<typeof authentication.members.issuers.members>;

/** Of which shape the access tokens of an issuer are. */
export type ProfileName = InForce<typeof authentication.members.issuers.members>['profile'];

/** How proxies say which certificate a client has used. */
export type CertificateSettings = Given<typeof authentication.members.clientCertificate.members>;

/** How an issuer is asked about opaque tokens, as an operator gives it. */
export type IntrospectionSettings = Given<
  typeof authentication.members.issuers.members.introspection.members
>;

/** Where values are in the claims, as an operator gives it. */
export type ClaimPathSettings = Given<typeof authentication.members.issuers.members.claims.members>;
