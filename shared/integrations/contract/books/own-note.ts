import { readOwnId } from '../read-own-id.js';

/**
 * Builds the note of a record that we write, where the vendor has no other place for our id. People
 * can read it there, and change it at some vendors.
 */
export function buildOwnNote(kind: 'invoice' | 'payment', id: string): string {
  return `Tow Dispatch ${kind} ${id}`;
}

export function readOwnNote(kind: 'invoice' | 'payment', note: string | undefined): string | null {
  const [, id] = new RegExp(`Tow Dispatch ${kind} ([0-9a-fA-F-]{36})`).exec(note ?? '') ?? [];
  return readOwnId(id);
}
