import { formatStreamId } from '../keyspace/stream-id.ts';
import type { StreamEntry } from '../keyspace/stream.ts';
import type { Reply } from '../protocol/reply.ts';

/** An entry as XRANGE and XREAD show it: its id, and its fields and values in turn. */
export function entryReply({ id, fields }: StreamEntry): Reply {
  return [formatStreamId(id), fields];
}
