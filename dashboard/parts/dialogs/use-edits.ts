import { useState } from 'react';

/**
 * Keeps what a person has typed over a record. Only the members that the person changed are kept
 * and sent, so that saving again after a 412 keeps what somebody else wrote into the others.
 */
export function useEdits<Fields extends object>(record: Fields) {
  const [edits, setEdits] = useState<Partial<Fields>>({});
  return {
    /** The record with what was typed. */
    draft: { ...record, ...edits },
    /** The members that were typed and differ from the record. */
    edits: Object.fromEntries(
      Object.entries(edits).filter(([name, value]) => value !== record[name as keyof Fields]),
    ) as Partial<Fields>,
    edit: (patch: Partial<Fields>) => setEdits((before) => ({ ...before, ...patch })),
  };
}

/**
 * Returns only the members that the person has just changed. Some forms report their whole state
 * after every change, so this function compares that state with the shown one. A member missing
 * from the new state is returned as undefined.
 */
export function findTyped<Fields extends object>(next: Fields, shown: Fields): Partial<Fields> {
  const names = new Set(Object.keys({ ...shown, ...next })) as Set<keyof Fields & string>;
  const isTyped = (name: keyof Fields) => JSON.stringify(next[name]) !== JSON.stringify(shown[name]);
  return Object.fromEntries([...names].filter(isTyped).map((name) => [name, next[name]])) as Partial<Fields>;
}
