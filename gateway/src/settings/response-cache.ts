/** How whole responses are cached. */
export const responseCache = {
  type: 'group',
  optional: true,
  doc: 'Keeps responses in Redis for as long as their Cache-Control allows. Absent: off.',
  members: {
    redisUrl: {
      type: 'text',
      form: 'redisUrl',
      default: { computed: 'CACHE_REDIS_URL', optional: true },
      reload: 'live',
      doc: 'Redis of its own, with maxmemory and an evicting maxmemory-policy, and never that of REDIS_URL.',
    },
    // As long as it is remembered what was invalidated.
    maxAgeS: {
      type: 'int',
      min: 1,
      max: 3_600,
      default: 300,
      unit: 'seconds',
      reload: 'live',
      doc: 'For which a response is stored, where its Cache-Control allows for more.',
    },
    maxCharacters: {
      type: 'int',
      min: 1,
      default: 262_144,
      unit: 'characters',
      reload: 'live',
      doc: 'Responses with more data are not stored.',
    },
    perCallerMinute: {
      type: 'int',
      min: 1,
      default: 67_108_864,
      unit: 'characters',
      reload: 'live',
      doc: 'Of responses that one caller may have stored in a minute, by each process; further ones are not stored.',
    },
    sharePublic: {
      type: 'flag',
      default: false,
      reload: 'live',
      doc: 'Whether responses that the schema says are PUBLIC are shared by all users with the same roles and scopes. Subgraphs then get these alone, so that what only the user may see is not in the response. false: each user has responses of their own.',
    },
  },
} as const;
