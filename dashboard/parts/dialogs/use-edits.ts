import { useState } from 'react';

/**
 * Keeps the members of a record that the person has changed. A form sends only these members. So a
 * second save after a 412 does not overwrite the members that a colleague has changed.
 */
export function useEdits<Fields extends object>(record: Fields) {
  const [edits, setEdits] = useState<Partial<Fields>>({});
  return {
    /** The record with the person's changes. */
    draft: { ...record, ...edits },
    /** The changed members whose values differ from the record. */
    edits: Object.fromEntries(
      Object.entries(edits).filter(([name, value]) => value !== record[name as keyof Fields]),
    ) as Partial<Fields>,
    edit: (patch: Partial<Fields>) => setEdits((before) => ({ ...before, ...patch })),
  };
}

/**
 * Returns only the members that the person has just changed. Some forms report their whole state
 * after every change, so this function compares that state with the shown state. A member that is
 * missing in the new state is returned as undefined.
 */
export function findTyped<Fields extends object>(next: Fields, shown: Fields): Partial<Fields> {
  const names = new Set(Object.keys({ ...shown, ...next })) as Set<keyof Fields & string>;
  const isTyped = (name: keyof Fields) => JSON.stringify(next[name]) !== JSON.stringify(shown[name]);
  return Object.fromEntries([...names].filter(isTyped).map((name) => [name, next[name]])) as Partial<Fields>;
}
