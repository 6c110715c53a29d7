import { messageRecords } from './messages.js';
import type { RecordKind } from './record-kind.js';

/** The kinds of records that are written at vendors, by their name in the operations. */
const RECORD_KINDS: Readonly<Record<string, RecordKind>> = { message: messageRecords };

/** @throws {Error} when this version does not know the kind: a newer worker will run it */
export function findRecordKind(name: string): RecordKind {
  const found = RECORD_KINDS[name];
  if (!found) throw new Error(`unknown kind of records ${name}`);
  return found;
}

/** The kind of records that each stream changes. */
const STREAM_KINDS: Readonly<Record<string, string>> = { messages: 'message' };

export function findStreamKind(stream: string): RecordKind {
  return findRecordKind(STREAM_KINDS[stream] ?? stream);
}
