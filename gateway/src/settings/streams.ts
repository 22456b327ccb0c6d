/** How a subgraph is subscribed to. */
const upstream = {
  transport: {
    type: 'choice',
    choices: ['auto', 'websocket', 'sse', 'multipart', 'callback'],
    default: 'auto',
    reload: 'new-connections',
    doc: 'How subgraphs are subscribed to. auto: over WebSocket; a server that answers the upgrade like any request is asked by POST, for server-sent events or multipart. callback: the subgraph sends events by requests to subscriptions.callback.',
  },
  upstreamIdleMs: {
    type: 'int',
    min: 100,
    default: 60_000,
    unit: 'milliseconds',
    reload: 'new-connections',
    doc: 'Without a byte, heartbeats among them, after which an upstream subscription over HTTP is taken for broken.',
  },
} as const;

/** What holds whatever the subgraph. */
const subscriptionMembers = {
  subgraphUrls: {
    type: 'map',
    values: { type: 'text', form: 'streamUrl' },
    default: {},
    reload: 'new-connections',
    doc: "Addresses for subscriptions by subgraph, where they do not follow from the subgraphs' URLs. Where the transport is auto, ws and wss say that it is WebSocket, http and https that it is HTTP.",
  },
  afterGap: {
    type: 'choice',
    choices: ['end', 'continue'],
    default: 'end',
    reload: 'live',
    doc: 'What becomes of a subscription whose upstream broke and cannot resume it: it ends with SUBSCRIPTION_INTERRUPTED, or goes on without what was missed.',
  },
  maxPerUser: {
    type: 'int',
    min: 1,
    default: 500,
    unit: 'streams',
    reload: 'live',
    doc: 'Subscriptions and live queries of one user; of one address without a user.',
  },
  bufferBytes: {
    type: 'int',
    min: 1,
    default: 1_048_576,
    unit: 'bytes',
    reload: 'new-connections',
    doc: 'That wait for a slow consumer before it is disconnected.',
  },
  heartbeatMs: {
    type: 'int',
    min: 100,
    default: 12_000,
    unit: 'milliseconds',
    reload: 'live',
    doc: 'Between two heartbeats.',
  },
  drainMs: {
    type: 'int',
    min: 1,
    default: 5_000,
    unit: 'milliseconds',
    reload: 'live',
    doc: 'For what runs on WebSockets when the gateway is stopped.',
  },
  callback: {
    type: 'group',
    optional: true,
    doc: "Where subgraphs send events by Apollo's HTTP callback protocol, for the transport callback. Absent: nowhere.",
    members: {
      publicUrl: {
        type: 'text',
        form: 'httpUrl',
        required: true,
        reload: 'new-connections',
        doc: 'Address at which subgraphs reach listen. The id of a subscription is put behind it. While listen is another one than at the start, that of the start is used.',
      },
      listen: {
        type: 'text',
        form: 'listeningAddress',
        required: true,
        reload: 'restart',
        needsRestart: 'the process listens there, and subgraphs of subscriptions that run send to it.',
        doc: 'Address and port for these callbacks alone: 10.0.0.7:4005, or [::]:4005. It needs WORKERS to be 1, and should not be open to clients.',
      },
    },
  },
  webSocket: {
    type: 'group',
    doc: 'Connections over WebSocket.',
    members: {
      initMs: {
        type: 'int',
        min: 1,
        default: 3_000,
        unit: 'milliseconds',
        reload: 'new-connections',
        doc: 'For connection_init to come.',
      },
      maxConnections: {
        type: 'int',
        min: 1,
        default: 20_000,
        unit: 'connections',
        reload: 'new-connections',
        doc: 'Of a process.',
      },
      maxConnectionsPerAddress: {
        type: 'int',
        min: 1,
        default: { half: 'subscriptions.webSocket.maxConnections' },
        unit: 'connections',
        reload: 'new-connections',
        doc: 'Of one address, an IPv6 /64 being one, without those of users. Networks around it may have more, and all of them less as fewer are free.',
      },
      maxConnectionsPerUser: {
        type: 'int',
        min: 1,
        default: 100,
        unit: 'connections',
        reload: 'new-connections',
        doc: 'Of one user.',
      },
      maxOperations: {
        type: 'int',
        min: 1,
        default: 100,
        unit: 'operations',
        reload: 'new-connections',
        doc: 'That run at once on a connection.',
      },
      maxMessages: {
        type: 'int',
        min: 1,
        default: 2_000,
        unit: 'messages',
        reload: 'new-connections',
        doc: 'Of a client between two heartbeats.',
      },
      maxMessageBytes: {
        type: 'int',
        min: 1,
        default: { same: 'limits.bodyBytes' },
        unit: 'bytes',
        reload: 'new-connections',
        doc: 'Size of a message.',
      },
    },
  },
} as const;

/** Subscriptions, and the transports that carry streams. */
export const subscriptions: {
  readonly type: 'group';
  readonly doc: string;
  readonly members: typeof subscriptionMembers &
    typeof upstream & {
      readonly subgraphs: {
        readonly type: 'groups-by-name';
        readonly doc: string;
        readonly reload: 'new-connections';
        readonly members: typeof upstream;
      };
    };
} = {
  type: 'group',
  doc: 'Subscriptions, and how streams of results are sent.',
  members: {
    ...subscriptionMembers,
    ...upstream,
    subgraphs: {
      type: 'groups-by-name',
      reload: 'new-connections',
      doc: 'In the place of transport and upstreamIdleMs for all, by the name of the subgraph.',
      members: upstream,
    },
  },
};

/** Queries with `@live`. */
export const live = {
  type: 'group',
  doc: 'Queries with @live.',
  members: {
    intervalMs: {
      type: 'int',
      min: 1,
      default: 5_000,
      unit: 'milliseconds',
      reload: 'live',
      doc: 'Between two ticks where the query has no throttle.',
    },
    minIntervalMs: {
      type: 'int',
      min: 1,
      default: 1_000,
      unit: 'milliseconds',
      reload: 'live',
      doc: 'The shortest interval that a client may ask for.',
    },
    maxIntervalMs: {
      type: 'int',
      min: 1,
      default: 300_000,
      unit: 'milliseconds',
      reload: 'live',
      doc: 'The longest.',
    },
    maxPerUser: {
      type: 'int',
      min: 1,
      default: 20,
      unit: 'live queries',
      reload: 'live',
      doc: 'Of one user; of one address without a user.',
    },
  },
} as const;
