import type { InForce } from './setting.ts';

/** How the gateway connects to subgraphs, to all or to one. */
export const subgraphConnection = {
  protocol: {
    type: 'choice',
    choices: ['http1', 'http2', 'auto'],
    default: 'http1',
    reload: 'new-connections',
    doc: 'Version of HTTP. http2: over TLS by ALPN, else by prior knowledge (h2c). auto: over TLS the one that the subgraph picks, else HTTP/1.1; streams go over HTTP/1.1, and so do WebSockets always.',
  },
  tls: {
    type: 'group',
    doc: 'TLS to subgraphs with https or wss addresses.',
    members: {
      certificate: {
        type: 'text',
        form: 'certificates',
        reload: 'new-connections',
        doc: 'Client certificate in PEM, with those between it and its authority: ${file./run/secrets/gateway.pem}. Absent: none is shown.',
      },
      key: {
        type: 'text',
        form: 'privateKey',
        reload: 'new-connections',
        doc: 'Private key of the client certificate in PEM, without a passphrase.',
      },
      ca: {
        type: 'text',
        form: 'certificates',
        reload: 'new-connections',
        doc: 'Certificates in PEM of the authorities that sign the certificates of subgraphs. Absent: those that Node.js brings.',
      },
      serverName: {
        type: 'text',
        form: 'hostName',
        reload: 'new-connections',
        doc: 'Name that is asked for (SNI), and that the certificate of the subgraph has to have. Absent: the host of its address.',
      },
    },
  },
} as const;

/** Connections to subgraphs. */
export const subgraphConnections: {
  readonly type: 'group';
  readonly doc: string;
  readonly members: typeof subgraphConnection & {
    readonly subgraphs: {
      readonly type: 'groups-by-name';
      readonly doc: string;
      readonly reload: 'new-connections';
      readonly members: typeof subgraphConnection;
    };
  };
} = {
  type: 'group',
  doc: 'Connections to subgraphs, for requests and subscriptions. Fixed headers, such as Authorization, stand in headers.set.',
  members: {
    ...subgraphConnection,
    subgraphs: {
      type: 'groups-by-name',
      doc: 'In the place of the rules for all, by the name of the subgraph: each of the keys above.',
      reload: 'new-connections',
      members: subgraphConnection,
    },
  },
};

/** The rules for all subgraphs, and those of single ones as an operator gives them. */
export type SubgraphConnectionSettings = InForce<typeof subgraphConnections.members>;

/** How one subgraph is connected to. */
export type SubgraphConnectionRules = InForce<typeof subgraphConnection>;
