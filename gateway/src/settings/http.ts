import type { InForce } from './setting.ts';

/** The HTTP server. */
export const http = {
  type: 'group',
  doc: 'Options of the HTTP server.',
  members: {
    trustProxy: {
      type: 'flag-or-list',
      default: false,
      reload: 'live',
      doc: 'Proxies whose X-Forwarded-For is trusted: addresses or networks, or true for all.',
    },
    hosts: {
      type: 'list',
      form: 'hostName',
      minItems: 1,
      reload: 'live',
      doc: 'Names by which clients reach the gateway, beside localhost, names below it and addresses; requests for others get 421. Those of authentication.resource and authentication.dpopUrls count as well. Absent: in development those alone, elsewhere every host.',
    },
    cors: {
      type: 'group',
      optional: true,
      rule: 'corsOrigins',
      doc: 'Which web pages may use the graph. Default: same origin; in development loopback origins as well.',
      members: {
        origins: {
          type: 'list',
          form: 'name',
          minItems: 1,
          required: true,
          reload: 'live',
          doc: 'Origins of web pages, or * for all of them.',
        },
        credentials: {
          type: 'flag',
          default: false,
          reload: 'live',
          doc: 'Whether pages may send cookies.',
        },
        maxAgeS: {
          type: 'int',
          min: 0,
          default: 600,
          unit: 'seconds',
          reload: 'live',
          doc: 'For which a browser may remember the response to a preflight.',
        },
      },
    },
    compression: {
      type: 'group',
      canBeOff: true,
      doc: 'Compression of responses for clients that accept it. false: never.',
      members: {
        minBytes: {
          type: 'int',
          min: 1,
          default: 1_024,
          unit: 'bytes',
          reload: 'live',
          doc: 'Smaller responses stay as they are.',
        },
      },
    },
    maxConnections: {
      type: 'int',
      min: 1,
      default: 32_768,
      unit: 'connections',
      reload: 'new-connections',
      doc: 'Of clients to a process, idle ones and WebSockets included.',
    },
    maxConnectionsPerAddress: {
      type: 'int',
      min: 1,
      default: { half: 'http.maxConnections' },
      unit: 'connections',
      reload: 'new-connections',
      doc: 'Those of one address, an IPv6 /64 being one; proxies that trustProxy names are not counted. Networks around it may have more, and all of them less as fewer are free.',
    },
    inFlight: {
      type: 'group',
      doc: 'Large requests and messages in flight, of more than 4,096 bytes, from the first byte until the response.',
      members: {
        bytes: {
          type: 'int',
          min: 1,
          default: 134_217_728,
          unit: 'bytes',
          reload: 'live',
          doc: 'Of all clients of a process together; beyond it more is rejected.',
        },
        callerBytes: {
          type: 'int',
          min: 1,
          default: { half: 'http.inFlight.bytes' },
          unit: 'bytes',
          reload: 'live',
          doc: 'The same for one caller: on a WebSocket a user, else a client; else an address. Less as less is free.',
        },
      },
    },
    unread: {
      type: 'group',
      doc: 'What clients leave unread of their responses and streams.',
      members: {
        bytes: {
          type: 'int',
          min: 1,
          default: 134_217_728,
          unit: 'bytes',
          reload: 'live',
          doc: 'That wait for all clients of a process together; beyond it the slowest readers are cut off.',
        },
        callerBytes: {
          type: 'int',
          min: 1,
          default: { half: 'http.unread.bytes' },
          unit: 'bytes',
          reload: 'live',
          doc: 'The same for one caller: a user, else a client, else an address.',
        },
        bytesPerSecond: {
          type: 'int',
          min: 1,
          default: 8_192,
          unit: 'bytes per second',
          reload: 'live',
          doc: 'That a client reads on average, as long as anything waits for it. A client that is behind by as many as come together in timeouts.stalledMs is cut off.',
        },
      },
    },
  },
} as const;

/** The settings of the HTTP server. */
export type HttpSettings = InForce<typeof http.members>;
