import type { Bytes } from '../bytes.ts';
import { messages, RedisError } from '../errors.ts';
import type { ScoredMember, SortedSet } from '../keyspace/sorted-set.ts';
import { double, type Reply } from '../protocol/reply.ts';
import { argument, ArgumentReader, doubleArgument } from './arguments.ts';
import type { Call } from './command.ts';

const OPTIONS = ['NX', 'XX', 'GT', 'LT', 'CH', 'INCR'];

type Change = 'added' | 'updated' | 'same' | 'rejected';

/** ZADD with NX or XX, GT or LT, CH, INCR. */
export function add({ args, keyspace }: Call): Reply {
  const key = argument(args, 0);
  const reader = new ArgumentReader(args, 1);
  const options = readOptions(reader);
  const additions = readAdditions(reader.rest());
  checkOptions(options, additions.length);
  const present = keyspace.read(key, 'zset')?.members;
  if (present === undefined && options.has('XX')) return options.has('INCR') ? null : 0;
  const wanted = options.has('INCR') ? additions.map((addition) => increased(addition, present)) : additions;
  const { members } = keyspace.obtain(key, 'zset');
  const changes = wanted.map((addition) => apply(members, addition, options));
  keyspace.changed(key);
  return options.has('INCR') ? responseIncrease(wanted, changes) : countChanges(changes, options.has('CH'));
}

function readOptions(reader: ArgumentReader): ReadonlySet<string> {
  const given = new Set<string>();
  for (;;) {
    const option = OPTIONS.find((name) => reader.skip(name));
    if (option === undefined) return given;
    given.add(option);
  }
}

function readAdditions(rest: readonly Bytes[]): ScoredMember[] {
  if (rest.length === 0 || rest.length % 2 === 1) throw new RedisError(messages.syntax);
  return rest.flatMap((score, index) =>
    index % 2 === 0 ? [{ score: doubleArgument(score), member: argument(rest, index + 1) }] : [],
  );
}

function checkOptions(options: ReadonlySet<string>, additions: number): void {
  if (options.has('NX') && options.has('XX'))
    throw new RedisError('ERR XX and NX options at the same time are not compatible');
  if (['NX', 'GT', 'LT'].filter((option) => options.has(option)).length > 1)
    throw new RedisError('ERR GT, LT, and/or NX options at the same time are not compatible');
  if (options.has('INCR') && additions > 1)
    throw new RedisError('ERR INCR option supports a single increment-element pair');
}

function increased({ member, score }: ScoredMember, present: SortedSet | undefined): ScoredMember {
  const sum = (present?.score(member) ?? 0) + score;
  if (Number.isNaN(sum)) throw new RedisError(messages.notANumber);
  return { member, score: sum };
}

function apply(members: SortedSet, { member, score }: ScoredMember, options: ReadonlySet<string>): Change {
  const old = members.score(member);
  if (old === undefined) {
    if (options.has('XX')) return 'rejected';
    members.set(member, score);
    return 'added';
  }
  if (options.has('NX')) return 'rejected';
  if (old === score) return options.has('GT') || options.has('LT') ? 'rejected' : 'same';
  if ((options.has('GT') && score < old) || (options.has('LT') && score > old)) return 'rejected';
  members.set(member, score);
  return 'updated';
}

function responseIncrease(wanted: readonly ScoredMember[], changes: readonly Change[]): Reply {
  return changes[0] === 'rejected' ? null : double(wanted[0]?.score);
}

function countChanges(changes: readonly Change[], withUpdates: boolean): number {
  return changes.filter((change) => change === 'added' || (withUpdates && change === 'updated')).length;
}
