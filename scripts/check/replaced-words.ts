/** A term of the glossary, and what is not written in its place. */
export interface ReplacedWords {
  /** The term, as docs/glossary.md has it where it has a row. */
  readonly term: string;
  /**
   * Patterns over lines in lower case, with the words of names apart (`toldType` is "told type", `kept-answers.ts` is
   * "kept answers.ts"). One that would meet another meaning is narrower than the word. Inflected forms are listed.
   */
  readonly not: readonly string[];
}

/** What the field has a better word for; docs and code use that one. */
export const replacedWords: readonly ReplacedWords[] = [
  // Servers answer; what they send is a response. In the example graph a comment is a reader's answer to a post.
  {
    term: 'response',
    not: [
      'an answer',
      'the answer',
      'for that answer',
      'http answer',
      'keeps? answers',
      '(?:clients?|gateway|subgraph|planner|query|others?|else) s answers?',
      '(?:no|of|in|than|about|whole|larger|stored|all|delay(?:s|ed)|loses|how|where|with|(?<=\\w )s) answers',
      'answers (?:are|were|have|carry|may|wait|show)',
      '(?:have|public) answers',
      'form of answer',
      '(?:const|let|var) answers? = (?!async)',
      'answer\\.(?:ok|body|status|headers|get)',
      'unanswered (?:bytes|rules|gauge)',
      'http\\.unanswered',
    ],
  },
  { term: 'result', not: ['operation answer'] },
  // A server responds, to a request or with a status.
  {
    term: 'return, send',
    not: ['what (?:it|they|(?:the|a) \\w+) respond(?:s|ed)?(?! (?:to|with))', 'respond(?:s|ed)? an error'],
  },
  {
    term: 'reject',
    not: [
      'refuse',
      'refuses',
      'refused',
      'refusing',
      'refusal',
      'refusals',
      'says? no(?! (?:length|more))',
      'said no',
    ],
  },
  { term: 'deny', not: ['may not see'] },
  { term: 'prepare request', not: ['admit operation'] },
  { term: 'shed load', not: ['turn(?:s|ed|ing)? away'] },
  { term: 'sustained overload', not: ['(?:class|new|under) pressure', 'pressure is high'] },
  { term: 'anonymous caller', not: ['stranger', 'strangers'] },
  { term: 'prioritize', not: ['known comes? first'] },
  {
    term: 'rate limit',
    not: ['sends? more than (?:its|their|his) share', 'has its share of what the gateway'],
  },
  { term: 'concurrency limit', not: ['asked too much'] },
  { term: 'circuit breaker', not: ['subgraph is (?:left alone|not asked)', '(?:answer|respond)s? again'] },
  { term: 'retry', not: ['repeated calls?', 'repeated requests total', 'may repeat'] },
  // Services call one another, and functions are called.
  {
    term: 'subgraph request',
    not: [
      'subgraph calls?',
      'calls? (?:of|to) subgraphs',
      'call (?:target|limits|kind|outcome|ended)',
      '(?:shaped|entity|stream|slow) calls?',
      'min calls?',
      'concurrency\\.calls',
    ],
  },
  { term: 'query planner worker', not: ['planner threads?', 'planning threads?', 'threads? that plans?'] },
  { term: 'operation cache', not: ['operation catalogues?'] },
  { term: 'warm-up', not: ['plans? in advance'] },
  {
    term: 'cache hit',
    not: [
      'remembered from before',
      'observer\\.looked',
      'plans? (?:is |are |that are )?remembered',
      'remembered plans?',
      'plan or recall',
    ],
  },
  {
    term: 'coalesce',
    not: ['joined (?:work|where)', 'joins? the flight', 'joins? (?:those who gather|before it begins)'],
  },
  { term: 'rebatch window', not: ['recess', 'recesses'] },
  { term: 'response cache', not: ['kept'] },
  { term: 'invalidate', not: ['mak(?:e|es|ing) (?:\\w+ )?void', 'made void'] },
  { term: 'expire', not: ['(?:end|ends|expire|expires) at (?:its|their) time(?! out)'] },
  { term: 'slow path', not: ['careful way'] },
  { term: 'fast path', not: ['/http/plain/', 'plain way'] },
  { term: 'passthrough', not: ['verbatim answers?'] },
  { term: 'runtime type', not: ['told type', 'untold'] },
  {
    term: 'incremental delivery',
    not: ['answers? in parts', 'answered in parts', 'run in parts', 'takes? parts(?! of)'],
  },
  {
    term: 'pending',
    not: ['announce all', 'part announcer', 'parts? (?:is|are) announced', 'announced parts?'],
  },
  { term: 'delivered', not: ['told'] },
  { term: 'response mode', not: ['accepted forms?', 'rather (?:have (?:it|the) )?whole'] },
  { term: 'upstream', not: ['subscriptions? at (?:a|the|its|each|one|another) subgraph'] },
  // The audience of a token is a claim; a job of the planner has waiters.
  {
    term: 'subscriber',
    not: [
      'has audience',
      '(?:of|to|this|the) topic s audience',
      '(?:deliver|notify)\\w*\\((?:\\w+, )?audience',
    ],
  },
  { term: 'slow consumer', not: ['slow clients?'] },
  // Fields, the operation of a document and clocks have resolutions of other meanings.
  { term: 'tick', not: ['(?<!(?:field|operation|ttl) )resolutions?', 'is resolving', 'wished ms'] },
  { term: 'heartbeat', not: ['beat', 'beats', 'beating'] },
  { term: 'close timeout', not: ['farewells?'] },
  { term: 'idle timeout', not: ['linger', 'lingers', 'lingering'] },
  { term: 'presence', not: ['being there'] },
  // An account, or the registration of a client, may be taken over: that is the name of an attack.
  { term: 'reload', not: ['tak(?:e|es|en|ing) over(?! (?:no administrator|one)\\b)', 'took over'] },
  { term: 'invalid', not: ['not usable', 'unusable', 'no usable', 'not good'] },
  { term: 'unavailable', not: ['out of reach', 'away'] },
  {
    term: 'disconnect',
    not: ['go(?:es)? away', 'went away', 'client has gone(?= or|\\.|,)', 'client is gone'],
  },
  { term: 'deadline', not: ['(?:its|their|s) time is over'] },
  { term: 'log, notify, return', not: ['tell', 'tells', 'telling'] },
  // The content graph of tests has a field `people`.
  {
    term: 'user',
    not: [
      'person',
      'persons',
      'nobody',
      'nobodys',
      'somebody',
      'whoever',
      'people (?:who sign|have allowed|see|may|choose|can make)',
      '(?:too many|sign|invite) people',
      'subject is no one',
    ],
  },
  { term: 'trusted issuer', not: ['believ(?:e|es|ed|ing)'] },
  { term: 'reuse', not: ['(?:one|token) that comes again'] },
  { term: 'attempt limiter', not: ['(?:secret|create|code) guesses', 'guesses\\.ts'] },
  { term: 'key maintenance', not: ['looks? after'] },
  {
    term: 'revocation',
    not: ['announc(?:e|es|ed|ing) (?:a |the |each )?(?:revocation|grant)s?', 'hearsay'],
  },
  { term: 'logout notification', not: ['told of a sign out'] },
  { term: 'config rule', not: ['config contradictions?'] },
  { term: 'email form', not: ['ask for mail'] },
  { term: 'publish', not: ['post told'] },
  { term: 'leadership', not: ['(?:process|relay) leads'] },
  { term: 'snapshot', not: ['takes? a snapshot'] },
  {
    term: 'sequence',
    not: [
      'numbers? (?:an|committed) events?',
      'numbers what was',
      'numbered events? of',
      'numbered without a gap',
    ],
  },
  {
    term: 'dead letter',
    not: ['puts? (?:it |an event )?aside', 'bury', 'buries', 'buried(?! at)', 'burying'],
  },
  { term: 'retryable', not: ['nobodys fault'] },
  { term: 'batch', not: ['in runs'] },
  // The tables `outbox_rest` and `idempotent_answer` have been created by applied migrations, and stay.
  { term: 'default partition', not: ['rest partition(?! of)'] },
  { term: 'replay', not: ['anew'] },
  { term: 'idempotency record', not: ['idempotent answers'] },
  { term: 'idempotency key', not: ['once for (?:a|each) key'] },
  { term: 'purge', not: ['forgets? old'] },
  { term: 'shared, exclusive lock', not: ['hold posts', 'await holders'] },
  { term: 'service runtime', not: ['packages/deployable'] },
  { term: 'startup error', not: ['cannot start'] },
  { term: 'drain timeout', not: ['leaving ms'] },
  { term: 'idle window', not: ['quiet ms'] },
  { term: 'signal debounce', not: ['same wish'] },
  { term: 'external store', not: ['given stores?'] },
  { term: 'restart', not: ['another (?:one )?takes its place'] },
  { term: 'in-process Redis', not: ['the one inside'] },
  { term: 'Error codes', not: ['says no with', 'say no with', 'rejects with(?= \\|)'] },
  {
    term: 'a page of docs/, with its section',
    not: ['specification: (?:errors|limits|authentication|scalars|enums)', 'specification, errors'],
  },
  { term: 'Action', not: ['what to do +\\|'] },
  // "whether or not there is" is no place.
  {
    term: 'present time, and what exists',
    not: ['at present', 'is there', '(?:are|not|still|already|always|longer) there(?! (?:is|are))'],
  },
];
