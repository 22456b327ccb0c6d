import type { Bytes } from '../bytes.ts';
import { formatDouble } from '../values/double.ts';
import type { Reply, ReplyPair, TaggedReply } from './reply.ts';

/** 2 until a connection asks for 3 with HELLO. */
export type ProtocolVersion = 2 | 3;

/**
 * Writes a reply as it goes over the wire.
 *
 * @see https://redis.io/docs/latest/develop/reference/protocol-spec/
 */
export function encodeReply(reply: Reply, version: ProtocolVersion): Bytes {
  if (typeof reply === 'string') return bulk(reply);
  if (typeof reply === 'number' || typeof reply === 'bigint') return `:${reply}\r\n`;
  if (reply === null) return version === 3 ? '_\r\n' : '$-1\r\n';
  return 'kind' in reply ? encodeTagged(reply, version) : aggregate('*', reply, version);
}

function encodeTagged(reply: TaggedReply, version: ProtocolVersion): Bytes {
  switch (reply.kind) {
    case 'status':
      return `+${reply.text}\r\n`;
    case 'error':
      return `-${reply.message}\r\n`;
    case 'double':
      return version === 3 ? `,${formatDouble(reply.value)}\r\n` : bulk(formatDouble(reply.value));
    case 'map':
      return encodeMap(reply.entries, reply.resp2, version);
    case 'pairs':
      return version === 3
        ? aggregate('*', reply.pairs, version)
        : aggregate('*', reply.pairs.flat(), version);
    case 'set':
      return aggregate(version === 3 ? '~' : '*', reply.members, version);
    case 'push':
      return aggregate(version === 3 ? '>' : '*', reply.items, version);
    case 'nullArray':
      return version === 3 ? '_\r\n' : '*-1\r\n';
    case 'verbatim':
      return version === 3 ? `=${reply.text.length + 4}\r\ntxt:${reply.text}\r\n` : bulk(reply.text);
    case 'several':
      return encodeAll(reply.replies, version);
    default:
      return reply satisfies never;
  }
}

function encodeMap(entries: readonly ReplyPair[], resp2: 'flat' | 'pairs', version: ProtocolVersion): Bytes {
  if (version === 3) return `%${entries.length}\r\n${encodeAll(entries.flat(), version)}`;
  return aggregate('*', resp2 === 'flat' ? entries.flat() : entries, version);
}

function aggregate(sign: string, items: readonly Reply[], version: ProtocolVersion): Bytes {
  return `${sign}${items.length}\r\n${encodeAll(items, version)}`;
}

function encodeAll(items: readonly Reply[], version: ProtocolVersion): Bytes {
  let text = '';
  for (const item of items) text += encodeReply(item, version);
  return text;
}

function bulk(bytes: Bytes): Bytes {
  return `$${bytes.length}\r\n${bytes}\r\n`;
}
